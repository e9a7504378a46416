"""What a model needs on a card, and the ways in which it may be divided: the formulas, in fractions."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from properties.placement.fleet import backend_of, flag_of

HEADROOM, GONE = (2, 3), (1, 2)
"""MiB on one card and on several, small as the cards of these tests: `conftest` tells the product so."""

FRACTION_FLAGS = ("--gpu-memory-utilization", "--mem-fraction-static")


@dataclass(frozen=True)
class Division:
    tp: int
    pp: int
    dp: int
    need: int

    @property
    def cards(self):
        return self.tp * self.pp * self.dp


def need_of(model, tp, pp):
    """MiB that a card of the largest stage holds."""
    weights, kv, overhead, shape = model["weights"], model["kvCache"], model["overhead"], model["architecture"]
    heads, layers = shape["kvHeads"], shape["layers"]
    stage = Fraction(ceil(Fraction(layers, pp)), layers)
    cached = Fraction(max(Fraction(1), Fraction(heads, tp)), heads)
    return ceil(stage * (Fraction(weights, tp) + kv * cached)) + overhead


def host_need(model):
    return model["weights"] + model["kvCache"] + model["overhead"]


def layer_mib(model):
    return Fraction(model["weights"] + model["kvCache"], model["architecture"]["layers"])


def layers_on(model, free):
    """How many layers a card with so much free memory holds."""
    layers, each, room = model["architecture"]["layers"], layer_mib(model), free - model["overhead"]
    if room < 0:
        return 0
    return layers if not each else min(layers, room // each)


def allowed_tp(shape, tp):
    vocabulary = ceil(shape["vocabSize"] / 64) * 64
    kv = shape["kvHeads"]
    return (
        shape["heads"] % tp == 0
        and vocabulary % tp == 0
        and shape.get("visionHeads", tp) % tp == 0
        and (kv % tp == 0 or tp % kv == 0)
    )


def divisions(spec, most):
    """Every allowed division over at most so many cards, in the order in which they are tried."""
    model, backend = spec["model"], backend_of(spec)
    if backend == "custom":
        return [Division(cards, 1, 1, need_of_custom(model, cards)) for cards in range(1, most + 1)]
    fixed = {name: flag_of(spec, f"--{name}-parallel-size") for name in ("tensor", "pipeline", "data")}
    tps = [int(fixed["tensor"])] if fixed["tensor"] else range(1, most + 1)
    pps = [int(fixed["pipeline"])] if fixed["pipeline"] else range(1, model["architecture"]["layers"] + 1)
    dp = int(fixed["data"] or 1)
    found = [
        Division(tp, pp, dp, need_of(model, tp, pp))
        for tp in tps
        for pp in pps
        if tp * pp * dp <= most and pp <= model["architecture"]["layers"] and allowed_tp(model["architecture"], tp)
    ]
    return sorted(found, key=lambda each: (each.pp > 1, each.cards, -each.tp))


def need_of_custom(model, cards):
    """Equal shares, without any rule of divisibility; a KV head is still kept whole."""
    return need_of(model, cards, 1)


@dataclass(frozen=True)
class MemoryFraction:
    """A memory-fraction flag; `static` speaks of weights and KV cache, to which the overhead is added."""

    share: Fraction
    static: bool
    overhead: int

    def of(self, division, memory):
        """The share of a card, or of what it has left when weights are loaded."""
        return self.share * (memory - _of_parts(GONE, division) if self.static else memory)

    def takes(self, division, memory):
        return ceil(self.of(division, memory)) + (self.overhead if self.static else 0)

    def holds(self, division, memory):
        return division.need - (self.overhead if self.static else 0) <= self.of(division, memory)


def _of_parts(amounts, division):
    one, several = amounts
    return several if division.tp * division.pp > 1 else one


def fraction_of(spec):
    value = flag_of(spec, *FRACTION_FLAGS)
    if value is None or "model" not in spec:
        return None
    return MemoryFraction(Fraction(value), backend_of(spec) == "sglang", spec["model"]["overhead"])


def booked(spec, division, card):
    """What a share books on a card."""
    fraction = fraction_of(spec)
    return division.need if fraction is None else fraction.takes(division, card.memory)


def kept(spec, division, card):
    """What a share takes from whatever comes later: what it books, and its headroom."""
    leaves = backend_of(spec) in ("vllm", "sglang") and fraction_of(spec) is None
    return booked(spec, division, card) + (_of_parts(HEADROOM, division) if leaves else 0)


def fits(spec, division, card):
    """Whether a card has room for a share of a model."""
    if card.memory is None or card.whole:
        return False
    fraction = fraction_of(spec)
    return kept(spec, division, card) <= card.free and (fraction is None or fraction.holds(division, card.memory))

"""Every way in which one replica fits a cluster, tier by tier, by trying: the oracle of verdicts, tiers and shapes."""

from collections import defaultdict
from dataclasses import dataclass

from properties.placement.dividing import Division, divisions, fits, host_need, layer_mib, layers_on, need_of
from properties.placement.fleet import backend_of, flag_of, passes, usable

TIERS = ("one-gpu", "one-worker", "many-workers", "partial-offload", "cpu")


@dataclass(frozen=True)
class Way:
    """A tier, the preference of the cards (0: first), what *fewest cards* compares, the shape and the worker."""

    tier: str
    rank: int
    order: tuple
    tp: int
    pp: int
    cards: int
    worker: str | None = None

    @property
    def place(self):
        return self.rank, self.order


def ways(spec, hosts):
    """All ways of the first tier in which there is one; empty where nothing fits."""
    fit = [host for host in hosts if passes(host, spec) and host.has(spec.get("cpu"), spec.get("ram"))]
    for tier in _tiers(spec, hosts, fit):
        found = list(tier)
        if found:
            return found
    return []


def best(found):
    """Those that come first before any score."""
    least = min((each.place for each in found), default=None)
    return [each for each in found if each.place == least]


def takes_no_division(spec):
    """Whether flags and number of cards leave no way to divide the model, on however many cards."""
    if "model" not in spec or backend_of(spec) not in ("vllm", "sglang"):
        return False
    count = spec.get("gpus", {}).get("count")
    every = divisions(spec, count or 256)
    return not [each for each in every if count in (None, each.cards)]


def _tiers(spec, hosts, fit):
    count = spec.get("gpus", {}).get("count")
    if "model" not in spec:
        yield from _bare(spec, fit)
    elif count is not None:
        yield from _counted(spec, fit, count)
    elif backend_of(spec) == "llama-cpp":
        yield from _layered(spec, fit)
    else:
        yield from _shared(spec, hosts, fit)
    if "model" in spec and count is None and spec.get("cpuOffload") and backend_of(spec) in ("llama-cpp", "custom"):
        ram = host_need(spec["model"]) + spec.get("ram", 0)
        yield (Way("cpu", 0, (), 1, 1, 0, host.name) for host in fit if host.has(spec.get("cpu"), ram))


def _bare(spec, fit):
    gpus = spec.get("gpus")
    if gpus is None:
        yield (Way("as-requested", 0, (), 1, 1, 0, host.name) for host in fit)
        return
    count = gpus.get("count", 1)

    def takes(card):
        return bare_fits(gpus, card)

    yield _on_workers("as-requested", spec, fit, [((0,), 1, 1, count, takes)])
    if gpus.get("locality") == "any" or spec.get("distributed"):
        yield _over_workers("as-requested", spec, fit, [((0,), 1, 1, count, takes)])


def bare_fits(gpus, card):
    """Whether a card gives what was asked for without a model."""
    memory, compute = gpus.get("memory"), gpus.get("computePercent")
    if memory is None and compute is None:
        return card.untouched
    return (
        not card.whole
        and (memory is None or (card.memory is not None and card.free >= memory))
        and card.compute >= (compute or 0)
    )


def _shared(spec, hosts, fit):
    widest = max((len(host.cards) for host in hosts), default=0)
    shapes = [_shape(spec, order, each) for order, each in enumerate(divisions(spec, widest))]
    yield _on_workers("one-gpu", spec, fit, [each for each in shapes if each[3] == 1])
    yield _on_workers("one-worker", spec, fit, [each for each in shapes if each[3] > 1])
    if spec.get("distributed") and backend_of(spec) != "custom":
        cards = sum(len(host.cards) for host in hosts)
        wide = [_shape(spec, order, each) for order, each in enumerate(divisions(spec, cards)) if each.cards > 1]
        yield _over_workers("many-workers", spec, fit, wide)


def _counted(spec, fit, count):
    spans = spec.get("distributed") or spec.get("gpus", {}).get("locality") == "any"
    if backend_of(spec) == "llama-cpp" and count > 1:
        yield _layers_on_workers("as-requested", spec, fit, count)
        if spans:
            yield _layers_over_workers("as-requested", spec, fit, count)
        return
    if backend_of(spec) == "llama-cpp":
        one = Division(1, 1, 1, need_of(spec["model"], 1, 1))
        yield _on_workers("as-requested", spec, fit, [((0,), 1, 1, 1, lambda card: fits(spec, one, card))])
        return
    exact = [each for each in divisions(spec, count) if each.cards == count]
    shapes = [_shape(spec, order, each) for order, each in enumerate(exact)]
    yield _on_workers("as-requested", spec, fit, shapes)
    if spans and backend_of(spec) != "custom":
        yield _over_workers("as-requested", spec, fit, shapes)


def _shape(spec, order, division):
    return (order,), division.tp, division.pp, division.cards, lambda card: fits(spec, division, card)


def _on_workers(tier, spec, fit, shapes):
    for host in fit:
        for rank, cards in _kinds(spec, host.cards):
            for order, tp, pp, count, takes in shapes:
                if sum(map(takes, cards)) >= count:
                    yield Way(tier, rank, order, tp, pp, count, host.name)


def _over_workers(tier, spec, fit, shapes):
    """Tensor parallel stays inside a worker, unless a flag asks for more cards than any that can take part has."""
    splits = flag_of(spec, "--tensor-parallel-size") is not None
    kinds = {card.kind: rank for host in fit for card in host.cards if (rank := usable(card, spec)) is not None}
    able = [host for host in fit if any(takes(card) for card in host.cards for *_, takes in shapes)]
    for kind, rank in kinds.items():
        cards = [[card for card in host.cards if card.kind == kind and usable(card, spec) is not None] for host in able]
        widest = max(map(len, cards), default=0)
        for order, tp, pp, count, takes in shapes:
            unit = 1 if splits and tp > widest else tp
            if sum(sum(map(takes, mine)) // unit for mine in cards) * unit >= count:
                yield Way(tier, rank, order, tp, pp, count)


def _kinds(spec, cards):
    """The usable cards of a worker by model, with the preference for it."""
    kinds = defaultdict(list)
    for card in cards:
        rank = usable(card, spec)
        if rank is not None:
            kinds[rank, card.kind].append(card)
    return [(rank, found) for (rank, _), found in kinds.items()]


def _layered(spec, fit):
    one = Division(1, 1, 1, need_of(spec["model"], 1, 1))
    yield _on_workers("one-gpu", spec, fit, [((0,), 1, 1, 1, lambda card: fits(spec, one, card))])
    yield _layers_on_workers("one-worker", spec, fit)
    if spec.get("distributed"):
        yield _layers_over_workers("many-workers", spec, fit)
    if spec.get("cpuOffload"):
        yield _offloaded(spec, fit)


def rooms(spec, cards):
    """Layers that each usable card could hold, the roomiest first; cards without room are left out."""
    found = [
        layers_on(spec["model"], card.free)
        for card in cards
        if usable(card, spec) is not None and card.memory is not None and not card.whole
    ]
    return sorted((each for each in found if each > 0), reverse=True)


def _cards_for(room, layers, count=None):
    """The fewest cards that hold so many layers, or exactly `count` of them; None where they do not.

    A model with fewer layers than cards were asked for leaves the rest of them alone.
    """
    if count is not None:
        return min(count, layers) if len(room) >= count and sum(room[:count]) >= layers else None
    return next((number for number in range(1, len(room) + 1) if sum(room[:number]) >= layers), None)


def _layers_on_workers(tier, spec, fit, count=None):
    layers = spec["model"]["architecture"]["layers"]
    for host in fit:
        for runtime in {card.runtime for card in host.cards}:
            room = rooms(spec, [card for card in host.cards if card.runtime == runtime])
            cards = _cards_for(room, layers, count)
            if cards:
                yield Way(tier, 0, (cards,), 1, 1, cards, host.name)


def _layers_over_workers(tier, spec, fit, count=None):
    room = rooms(spec, [card for host in fit for card in host.cards])
    cards = _cards_for(room, spec["model"]["architecture"]["layers"], count)
    if cards:
        yield Way(tier, 0, (cards,), 1, 1, cards)


def _offloaded(spec, fit):
    """As many layers as find room, the rest in the RAM of one worker that takes part."""
    if spec.get("distributed"):
        taking = [host for host in fit if rooms(spec, host.cards)]
        room = rooms(spec, [card for host in taking for card in host.cards])
        yield from _left_behind(spec, taking, room, None)
    for host in fit:
        for runtime in {card.runtime for card in host.cards}:
            room = rooms(spec, [card for card in host.cards if card.runtime == runtime])
            yield from _left_behind(spec, [host], room, host.name)


def _left_behind(spec, taking, room, worker):
    layers = spec["model"]["architecture"]["layers"]
    held = sum(room)
    left = layers - held
    if not held or left <= 0:
        return
    ram = -(-left * layer_mib(spec["model"]) // 1) + spec.get("ram", 0)
    if any(host.has(0, ram) for host in taking):
        yield Way("partial-offload", 0, (left, len(room)), 1, 1, len(room), worker)

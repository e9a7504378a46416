"""What workloads ask, tier by tier; and which of them cannot be asked for."""

from dataclasses import replace

import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.workload import Locality
from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.asks.tier import Tier
from unit.placement.builders import LLAMA, asks_of, need, role, worker

EIGHT = worker("a", cards=8)
FOUR = worker("b", cards=4)
MODEL = need(8000, **LLAMA)
ANY = {"locality": Locality.ANY}


def tiers(what, *workers):
    """Of each ask its tier, whether it spans, and the tp x pp of its shapes or its taking."""
    return [
        (str(ask.tier) + "+" * ask.spans, [(shape.tp, shape.pp) for shape in ask.shapes] or str(ask.taking))
        for ask in asks_of(what, *(workers or (EIGHT,))).asks
    ]


def names(what, *workers):
    return [name for name, _ in tiers(what, *workers)]


TIERS = {
    "vLLM": (role(MODEL, "vllm"), ["one-gpu", "one-worker"]),
    "vLLM over workers": (role(MODEL, "vllm", distributed=True), ["one-gpu", "one-worker", "many-workers+"]),
    "vLLM wherever": (role(MODEL, "vllm", gpus=ANY), ["one-gpu", "one-worker", "many-workers+"]),
    "vLLM does not offload": (role(MODEL, "vllm", cpu_offload=True), ["one-gpu", "one-worker"]),
    "custom": (role(MODEL), ["one-gpu", "one-worker"]),
    "custom spans nothing": (role(MODEL, "custom", distributed=True), ["one-gpu", "one-worker"]),
    "custom on the CPU": (role(MODEL, cpu_offload=True), ["one-gpu", "one-worker", "cpu"]),
    "llama.cpp": (role(MODEL, "llama-cpp"), ["one-gpu", "one-worker"]),
    "llama.cpp with everything": (
        role(MODEL, "llama-cpp", distributed=True, cpu_offload=True),
        ["one-gpu", "one-worker", "many-workers+", "partial-offload+", "partial-offload", "cpu"],
    ),
    "a number of cards": (role(MODEL, "vllm", gpus={"count": 2}), ["as-requested"]),
    "a number of cards, over workers": (
        role(MODEL, "vllm", gpus={"count": 2}, distributed=True),
        ["as-requested", "as-requested+"],
    ),
    "a number of cards spans no custom engine": (role(MODEL, gpus={"count": 2}, distributed=True), ["as-requested"]),
    "whole cards": (role(gpus={"count": 2}), ["as-requested"]),
    "whole cards wherever": (role(gpus={"count": 2, **ANY}), ["as-requested", "as-requested+"]),
    "MIG instances": (role(MODEL, "vllm", gpus={"mig": "1g.5gb"}, distributed=True), ["as-requested"]),
    "no cards": (role(cpu_milli=1), ["as-requested"]),
    "a flag for one card": (role(MODEL, "vllm", "-tp=1", "-pp=1"), ["one-gpu"]),
    "a flag for several": (role(MODEL, "vllm", "-tp=4"), ["one-worker"]),
}


@pytest.mark.parametrize(("what", "wanted"), TIERS.values(), ids=TIERS)
def test_tiers_in_order(what, wanted):
    assert names(what) == wanted


SHAPES = {
    "without pipeline first, even with more cards": (
        role(need(8, heads=4, kv_heads=4, layers=4), "vllm"),
        FOUR,
        [("one-gpu", [(1, 1)]), ("one-worker", [(2, 1), (4, 1), (1, 2), (1, 3), (2, 2), (1, 4)])],
    ),
    "custom: equal shares": (role(MODEL), FOUR, [("one-gpu", [(1, 1)]), ("one-worker", [(2, 1), (3, 1), (4, 1)])]),
    "llama.cpp: by layers": (role(MODEL, "llama-cpp"), FOUR, [("one-gpu", [(1, 1)]), ("one-worker", "layers")]),
    "a flag fixes its own number": (
        role(need(8, heads=4, kv_heads=4, layers=4), "vllm", "-tp=2"),
        FOUR,
        [("one-worker", [(2, 1), (2, 2)])],
    ),
    "a number of cards": (
        role(need(8, heads=4, kv_heads=4, layers=4), "vllm", gpus={"count": 4}),
        FOUR,
        [("as-requested", [(4, 1), (2, 2), (1, 4)])],
    ),
    "without a model: a number": (role(gpus={"count": 3}), FOUR, [("as-requested", [(1, 1)])]),
    "a cluster without cards": (role(MODEL, "vllm"), worker(), [("one-gpu", [(1, 1)])]),
}


@pytest.mark.parametrize(("what", "where", "wanted"), SHAPES.values(), ids=SHAPES)
def test_shapes_in_order(what, where, wanted):
    assert tiers(what, where) == wanted


REQUESTS = {
    "whole cards": ({"count": 2}, Taking.WHOLE, 2, 0, False),
    "one card is the default": ({"memory_mib": 100}, Taking.SHARE, 1, 100, True),
    "compute alone": ({"compute_milli": 500}, Taking.SHARE, 1, 0, False),
    "cards of a size are whole": ({"count": 1, "card_memory_mib": 100}, Taking.WHOLE, 1, 0, False),
}


@pytest.mark.parametrize(("gpus", "taking", "cards", "need_mib", "needs_memory"), REQUESTS.values(), ids=REQUESTS)
def test_requests_without_a_model(gpus, taking, cards, need_mib, needs_memory):
    (ask,) = asks_of(role(gpus=gpus), EIGHT).asks

    assert (ask.tier, ask.taking, ask.shapes) == (Tier.AS_REQUESTED, taking, (CardShape(cards, need_mib),))
    assert ask.rule.needs_memory is needs_memory
    assert ask.compute_milli == gpus.get("compute_milli", 0)
    assert ask.rule.card_memory_mib == gpus.get("card_memory_mib", 0)


def test_on_the_cpu_a_model_needs_ram():
    model = need(8000, kv_mib=800, overhead_mib=50, **LLAMA)
    *_, cpu = asks_of(role(model, cpu_offload=True, ram_mib=150), EIGHT).asks

    assert (cpu.tier, cpu.taking, cpu.ram_mib) == (Tier.CPU, Taking.NOTHING, 9000)


UNKNOWN = {
    "the need": (role(need(unknown="give model.weights"), "vllm"), "give model.weights"),
    "the need of a number of cards": (
        role(need(unknown="give model.weights"), "vllm", gpus={"count": 2}),
        "give model.weights",
    ),
    "the layers of a number of cards": (
        role(need(10), "llama-cpp", gpus={"count": 2}),
        "the need is unknown: give model.architecture.layers",
    ),
}


@pytest.mark.parametrize(("what", "sentence"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_need_is_asked_once_and_said(what, sentence):
    (ask,) = asks_of(what, EIGHT).asks

    assert ask.unknown == sentence


def llama(flag, *, cpu_offload=True, layers=80, **others):
    return role(need(8000, layers=layers), "llama-cpp", "-ngl", flag, cpu_offload=cpu_offload, **others)


REFUSED = {
    "none, without leave": (llama("0", cpu_offload=False), "backend.args", "only 0 of 80 layers", "cpuOffload: true"),
    "none of nobody knows how many": (
        llama("0", cpu_offload=False, layers=None),
        "backend.args",
        "only 0 layers are on cards",
        "cpuOffload: true",
    ),
    "some, without leave": (llama("60", cpu_offload=False), "backend.args", "only 60 of 80 layers", "--gpu-layers"),
    "none, on so many cards": (llama("0", gpus={"count": 2}), "backend.args", "asks for 2 cards", "gpus.count"),
    "none of nobody knows how many, on a card": (
        llama("0", gpus={"count": 1}, layers=None),
        "backend.args",
        "asks for 1 card",
        "gpus.count",
    ),
    "cards that heads do not allow": (
        role(need(8, heads=4, kv_heads=4, layers=1), "vllm", gpus={"count": 3}),
        "gpus.count",
        "cannot divide the model over 3 cards",
        "heads",
    ),
    "flags that heads do not allow": (
        role(need(8, heads=4, kv_heads=4, layers=1), "vllm", "-tp=3"),
        "backend.args",
        "vllm cannot divide the model as its flags ask",
        "heads",
    ),
}


@pytest.mark.parametrize(("what", "place", "problem", "step"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_asked_for(what, place, problem, step):
    with pytest.raises(InputError) as caught:
        asks_of(what, EIGHT)

    assert caught.value.place == place
    assert problem in caught.value.message
    assert step in caught.value.next


OVERSOLD = {
    "every shape on one worker": (role(need(8, heads=2, kv_heads=2, layers=2), "vllm"), "one-worker", [1, 2, 2, 4]),
    "a number of cards": (role(MODEL, "vllm", gpus={"count": 8}), "as-requested", [8] * 4),
    "a share": (role(gpus={"memory_mib": 9}), "as-requested", [1]),
    "layers, equally": (role(MODEL, "llama-cpp"), "one-worker", [1, 2, 3, 4, 5, 6, 7, 8]),
    "layers on so many cards": (role(MODEL, "llama-cpp", gpus={"count": 3}), "as-requested", [3]),
}


@pytest.mark.parametrize(("what", "tier", "cards"), OVERSOLD.values(), ids=OVERSOLD)
def test_leave_to_oversell_is_asked_last(what, tier, cards):
    what = replace(what, shape=replace(what.shape, allow_overcommit=True))
    *others, last = asks_of(what, EIGHT).asks

    assert not any(ask.overcommit for ask in others)
    assert (last.overcommit, str(last.tier), last.taking) == (True, tier, Taking.SHARE)
    assert [shape.cards for shape in last.shapes] == cards


def test_oversold_layers_are_equal_and_rounded_up():
    *_, last = asks_of(role(need(80, layers=80, overhead_mib=5), "llama-cpp", allow_overcommit=True), EIGHT).asks

    assert [shape.need_mib for shape in last.shapes[:3]] == [85, 45, 32]


@pytest.mark.parametrize(
    "what",
    [
        role(gpus={"count": 2}, allow_overcommit=True),
        role(cpu_milli=1, allow_overcommit=True),
        role(need(unknown="give"), "vllm", allow_overcommit=True),
        llama("60", allow_overcommit=True),
    ],
)
def test_what_cannot_be_oversold(what):
    assert not any(ask.overcommit for ask in asks_of(what, EIGHT).asks)


COPIES = {
    "one card each": (role(gpus={"memory_mib": 9}), [1]),
    "two cards each": (role(gpus={"count": 2, "memory_mib": 9}), [5]),
    "whole cards": (role(gpus={"count": 2}), [1]),
    "tiers": (role(MODEL, "vllm"), [1, 5]),
    "over workers": (role(MODEL, "vllm", distributed=True), [1, 5, 1]),
    "whole cards that are joined": (role(gpus={"count": 2, "locality": Locality.NVLINK}), [4]),
    "whole cards that are fast": (role(gpus={"count": 3, "min_bandwidth_gb_per_s": 50.0}), [2]),
    "of more than half a worker": (role(gpus={"count": 5, "locality": Locality.NVLINK}), [1]),
    "whole cards on a socket": (role(gpus={"count": 2, "locality": Locality.SAME_SOCKET}), [1]),
    "no more shares than a worker holds": (role(gpus={"count": 4, "memory_mib": 30_000}), [2]),
    "by compute": (role(gpus={"count": 6, "compute_milli": 400}), [2]),
    "under a flag": (role(MODEL, "vllm", "--gpu-memory-utilization=0.9", "-tp=4"), [2]),
}


@pytest.mark.parametrize(("what", "copies"), COPIES.values(), ids=COPIES)
def test_copies_are_told_only_where_they_matter(what, copies):
    assert [ask.copies for ask in asks_of(what, EIGHT, copies=5).asks] == copies


@pytest.mark.parametrize("what", [what for what, _ in COPIES.values()], ids=COPIES)
def test_asks_for_fewer_copies_are_those_of_a_fresh_start(what):
    fresh = asks_of(what, EIGHT, copies=2)

    assert asks_of(what, EIGHT, copies=5).with_left(Snapshot.load((EIGHT,), ()), 2) == fresh

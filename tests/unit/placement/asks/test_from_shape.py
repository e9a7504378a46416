"""What workloads ask, tier by tier; and which of them cannot be asked for."""

from dataclasses import replace

import pytest

from bayplan.cluster.gpu import CardId, GpuId
from bayplan.cluster.workload import CostLimit, Locality
from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import CardShape, FractionOf, Taking
from bayplan.placement.asks.tier import Tier
from unit.placement.builders import LLAMA, asks_of, hash_of, need, role, worker

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


def spanning(what, *workers):
    return next(ask for ask in asks_of(what, *workers).asks if ask.spans)


def test_over_workers_tensor_parallel_stays_inside_one():
    shapes = spanning(role(MODEL, "vllm", distributed=True), EIGHT, FOUR).shapes

    assert max(shape.tp for shape in shapes) == 8
    assert all(shape.unit == shape.tp and not shape.splits for shape in shapes)
    assert (4, 3) in [(shape.tp, shape.pp) for shape in shapes]


def test_a_number_of_cards_above_a_worker_is_a_pipeline():
    one, many = asks_of(role(MODEL, "vllm", gpus={"count": 16}, distributed=True), EIGHT, worker("c", cards=8)).asks

    assert (one.shapes[0].tp, one.shapes[0].pp) == (16, 1)
    assert (many.shapes[0].tp, many.shapes[0].pp) == (8, 2)


def test_a_flag_may_ask_for_more_than_a_worker_has():
    asks = asks_of(role(MODEL, "sglang", "--tp-size=16", distributed=True), EIGHT, worker("c", cards=8)).asks

    assert [(ask.tier, ask.shapes[0].tp, ask.shapes[0].splits) for ask in asks] == [
        (Tier.ONE_WORKER, 16, True),
        (Tier.MANY_WORKERS, 16, True),
    ]


@pytest.mark.parametrize("distributed", [False, True])
def test_more_cards_than_there_are_is_still_asked_for(distributed):
    asks = asks_of(role(MODEL, "vllm", "-tp=16", distributed=distributed), EIGHT).asks

    assert [(ask.tier, [shape.cards for shape in ask.shapes]) for ask in asks] == [(Tier.ONE_WORKER, [16])]


def test_copies_of_the_data_parallel_are_whole():
    (ask,) = asks_of(role(MODEL, "vllm", "-tp=2", "-pp=1", "-dp=3"), EIGHT).asks

    beside = {"headroom_mib": 1230, "gone_mib": 2048}
    assert ask.shapes == (CardShape(6, 4000, tp=2, pp=1, dp=3, unit=2, splits=True, **beside),)


def test_what_each_card_needs():
    model = need(8000, kv_mib=800, overhead_mib=50, **LLAMA)
    one, several = asks_of(role(model, "vllm"), EIGHT).asks

    assert one.shapes[0].need_mib == 8850
    assert {shape.cards: shape.need_mib for shape in several.shapes if shape.pp == 1} == {2: 4450, 4: 2250, 8: 1150}


def test_a_share_that_is_asked_for_is_the_least_that_is_booked():
    one, several = asks_of(role(MODEL, "vllm", gpus={"memory_mib": 5000}), EIGHT).asks

    assert one.shapes[0].need_mib == 8000
    assert {shape.need_mib for shape in several.shapes} == {5000}


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


def test_what_is_demanded_is_handed_on():
    what = role(
        gpus={"count": 1, "models": ("H100",)}, cpu_milli=1, ram_mib=2, regions=("eu",), anti_affinity=("o",),
        near=("db",), max_carbon_g_per_kwh=3.0, cost=CostLimit(4.0, spot=False),
    )  # fmt: skip
    (ask,) = asks_of(what, EIGHT).asks

    assert (ask.cpu_milli, ask.ram_mib, ask.regions, ask.anti_affinity, ask.near) == (1, 2, ("eu",), ("o",), ("db",))
    assert (ask.max_carbon_g_per_kwh, ask.max_usd_per_hour, ask.spot, ask.rule.models) == (3.0, 4.0, False, ("H100",))


FLAGS = {
    "vLLM": (role(MODEL, "vllm", "--gpu-memory-utilization=0.9"), FractionOf.CARD),
    "SGLang": (role(MODEL, "sglang", "--mem-fraction-static=0.9"), FractionOf.STATIC),
}


@pytest.mark.parametrize(("what", "of"), FLAGS.values(), ids=FLAGS)
def test_a_fraction_is_of_the_card_or_of_the_model(what, of):
    fits = {ask.fit for ask in asks_of(what, EIGHT).asks}

    assert [(float(fit.fraction), fit.of) for fit in fits] == [(0.9, of)]


def test_on_the_cpu_a_model_needs_ram():
    model = need(8000, kv_mib=800, overhead_mib=50, **LLAMA)
    *_, cpu = asks_of(role(model, cpu_offload=True, ram_mib=150), EIGHT).asks

    assert (cpu.tier, cpu.taking, cpu.ram_mib) == (Tier.CPU, Taking.NOTHING, 9000)


def test_chosen_cards_and_those_that_are_not_there():
    ids = (GpuId("a", "cuda", 1), GpuId("a", "cuda", 99), GpuId("nobody", "cuda", 0))
    asked = asks_of(role(gpus={"count": 1}, gpu_ids=ids), EIGHT)

    assert asked.asks[0].selected == frozenset({(hash_of("a"), CardId("cuda", 1))})
    assert [warning.split()[1] for warning in asked.warnings] == ["a:cuda:99", "nobody:cuda:0"]


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


def test_layers_that_nobody_counted_are_not_divided():
    asked = asks_of(role(need(10), "llama-cpp", cpu_offload=True, distributed=True), EIGHT)

    assert [str(ask.tier) for ask in asked.asks] == ["one-gpu", "cpu"]
    assert asked.warnings == ("model.architecture.layers is not known, so the model is not divided over cards",)


def llama(flag, *, cpu_offload=True, layers=80, **others):
    return role(need(8000, layers=layers), "llama-cpp", "-ngl", flag, cpu_offload=cpu_offload, **others)


GPU_LAYERS = {
    "none": (llama("0"), ["cpu"], None),
    "none of a number that nobody knows": (llama("0", layers=None), ["cpu"], None),
    "some": (llama("60"), ["partial-offload"], (60, 20)),
    "some, over workers": (llama("60", distributed=True), ["partial-offload", "partial-offload+"], (60, 20)),
    "all": (llama("80"), ["one-gpu", "one-worker"], (80, 0)),
    "more than there are": (llama("999"), ["one-gpu", "one-worker"], (80, 0)),
    "all, without leave to offload": (llama("80", cpu_offload=False), ["one-gpu", "one-worker"], (80, 0)),
    "as many as fit": (llama("auto"), ["one-gpu", "one-worker", "partial-offload", "cpu"], (80, 0)),
    "of a number that nobody knows": (llama("5", layers=None), ["one-gpu"], None),
    "some, on so many cards": (llama("60", gpus={"count": 2}), ["as-requested"], (60, 20)),
    "some, on one card": (llama("60", gpus={"count": 1}), ["as-requested"], (60, 20)),
    "all, on one card": (llama("80", gpus={"count": 1}), ["as-requested"], None),
}


@pytest.mark.parametrize(("what", "wanted", "layers"), GPU_LAYERS.values(), ids=GPU_LAYERS)
def test_layers_that_a_flag_puts_on_cards(what, wanted, layers):
    asks = asks_of(what, EIGHT).asks
    found = {(ask.layers.count, ask.layers.kept) for ask in asks if ask.layers is not None}

    assert [str(ask.tier) + "+" * ask.spans for ask in asks] == wanted
    assert found == ({layers} if layers else set())


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


NEAR = {
    "NVLink": ({"count": 2, "locality": Locality.NVLINK}, [(Locality.NVLINK, 0.0)]),
    "bandwidth": ({"count": 2, "min_bandwidth_gb_per_s": 50.0}, [(None, 50.0)]),
    "one worker is what is asked anyhow": ({"count": 2, "locality": Locality.SAME_NODE}, [(None, 0.0)]),
    "one card": ({"count": 1, "locality": Locality.NVLINK, "min_bandwidth_gb_per_s": 50.0}, [(None, 0.0)]),
    "any, over workers too": ({"count": 2, "locality": Locality.ANY}, [(None, 0.0), (None, 0.0)]),
    "nobody knows how fast workers are joined": (
        {"count": 2, "locality": Locality.ANY, "min_bandwidth_gb_per_s": 50.0}, [(None, 50.0)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("gpus", "wanted"), NEAR.values(), ids=NEAR)
def test_how_near_cards_must_be(gpus, wanted):
    assert [(ask.locality, ask.min_bandwidth_gb_per_s) for ask in asks_of(role(gpus=gpus), EIGHT).asks] == wanted


@pytest.mark.parametrize("near", [Locality.NVLINK, Locality.SAME_SOCKET, Locality.SAME_NODE])
def test_a_locality_goes_before_leave_to_span(near):
    asks = asks_of(role(MODEL, "vllm", gpus={"locality": near}, distributed=True), EIGHT).asks

    assert [str(ask.tier) for ask in asks] == ["one-gpu", "one-worker"]
    assert asks[0].locality is None


@pytest.mark.parametrize(("count", "warnings"), [(2, ()), (3, ("gpus.count: of 3 cards only 2 get a layer",))])
def test_cards_that_get_no_layer_are_told(count, warnings):
    asked = asks_of(role(need(40, layers=2), "llama-cpp", gpus={"count": count}), EIGHT)

    assert asked.warnings == warnings


MIG = {
    "one": (role(gpus={"mig": "1G.5gb"}), Taking.SLICES, (CardShape(1),), "1g.5gb"),
    "several": (role(gpus={"mig": "1g.5gb", "count": 3}), Taking.SLICES, (CardShape(3),), "1g.5gb"),
    "none": (role(gpus={"mig": "1g.5gb", "count": 0}), Taking.NOTHING, (), None),
    "whatever the model needs": (
        role(need(unknown="nobody knows"), "vllm", gpus={"mig": "1g.5gb"}), Taking.SLICES, (CardShape(1),), "1g.5gb",
    ),
    "a fraction of the card means nothing": (
        role(MODEL, "vllm", "--gpu-memory-utilization=0.5", gpus={"mig": "3g.20gb"}, allow_overcommit=True),
        Taking.SLICES, (CardShape(1),), "3g.20gb",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("what", "taking", "shapes", "mig"), MIG.values(), ids=MIG)
def test_mig_instances_are_asked_for_by_name(what, taking, shapes, mig):
    (only,) = asks_of(what, EIGHT).asks

    assert (only.taking, only.shapes, only.mig, only.unknown) == (taking, shapes, mig, "")
    assert (only.locality, only.rule.needs_memory) == (None, False)
    assert only.fit is None or only.taking is Taking.NOTHING


def test_a_model_that_its_instances_cannot_hold_is_told():
    assert asks_of(role(MODEL, "vllm", gpus={"mig": "1g.5gb"}), EIGHT).warnings == (
        "gpus.mig: the model needs 7.8 GiB; 1 x 1g.5gb have 5.0 GiB",
    )
    assert asks_of(role(MODEL, "vllm", gpus={"mig": "1g.10gb"}), EIGHT).warnings == ()

"""Replicas over several workers: in which domain, on which workers, with how many cards each."""

import pytest

import bayplan
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.workload import CostLimit, Locality
from bayplan.placement.asks.ask import CardShape, Layers
from bayplan.placement.decision.worker_domains import worker_ask
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, need, planner, role, sized, worker

pytestmark = pytest.mark.usefixtures("no_headroom")

HEADS = {"heads": 8, "kv_heads": 8, "layers": 8}


def server(name, cards=4, *, mib=100, model="H100-SXM5-80GB", path=(), **others):
    """A worker with so many cards of 100 MiB; `path` is zone, block, rack and NVLink domain."""
    gpus = [gpu(number, memory_mib=mib, model=model) for number in range(cards)]
    names = ("zone", "block", "rack", "nvlink_domain")
    return worker(name, cards=gpus, topology=TopologyPath(**dict(zip(names, path, strict=False))), **others)


def spanning(mib, *args, engine="vllm", numbers=HEADS, **others):
    return role(need(mib, **numbers), engine, *args, distributed=True, **others)


def spans(what, *workers, bookings=(), replicas=1):
    """Of the first replica its tp and pp, and by worker its number of cards; None where nothing is placed."""
    plan = planner(*workers, bookings=bookings).plan(sized(what, replicas=replicas))
    if not plan.replicas:
        return None
    placed = plan.replicas[0].placed
    return (placed.shape.tp, placed.shape.pp), {each.worker: len(each.cards) for each in placed.bookings}


A, B, C = server("a"), server("b"), server("c")

SHAPES = {
    "a pipeline of workers": (spanning(800), (A, B), ((4, 2), [4, 4])),
    "the largest tp of as many cards": (spanning(600), (A, B), ((4, 2), [4, 4])),
    "partial workers": (spanning(600), (server("a", 3), server("b", 3), server("c", 3)), ((1, 8), [2, 3, 3])),
    "tensor parallel stays on a worker": (spanning(400, "-tp=2"), (server("a", 3), server("b", 3)), ((2, 2), [2, 2])),
    "not enough anywhere": (spanning(1300), (A, B, C), None),
    "cards of one model only": (spanning(800), (A, server("b", model="A100-SXM4-40GB")), None),
    "a flag for more than a worker has": (spanning(800, "-tp=8"), (A, B), ((8, 1), [4, 4])),
    "such a flag takes partial workers too": (
        spanning(800, "-tp=8"),
        (server("a", 5), server("b", 5)),
        ((8, 1), [3, 5]),
    ),
    "copies of a data-parallel": (spanning(300, "-tp=4", "-pp=1", "-dp=2"), (A, B), ((4, 1), [4, 4])),
    "a copy that fits no worker": (spanning(500, "-tp=4", "-pp=1", "-dp=2"), (A, B), None),
    "so many whole cards": (role(gpus={"count": 6, "locality": Locality.ANY}), (A, B), ((1, 1), [2, 4])),
    "one worker before several": (role(gpus={"count": 3}, distributed=True), (server("a", 2), B), ((1, 1), [3])),
}


@pytest.mark.parametrize(("what", "workers", "wanted"), SHAPES.values(), ids=SHAPES)
def test_shapes_over_workers(what, workers, wanted):
    found = spans(what, *workers)

    assert (found and (found[0], sorted(found[1].values()))) == wanted


def test_workers_that_hold_others_give_what_is_left():
    held = (booking("o", whole(0), whole(1), on="a"), booking("o", share(0, 50), on="b"))

    assert spans(spanning(400, "-tp=1"), A, B, bookings=held) == ((1, 4), {"a": 1, "b": 3})
    assert spans(spanning(500, "-tp=1"), A, B, bookings=held) is None


def near(name, zone, rack, cards=4, nvlink=None):
    return server(name, cards, path=(zone, "b", rack, nvlink))


RACKS = [near("a", "x", "1"), near("b", "x", "2"), near("c", "x", "2"), near("d", "y", "1"), near("e", "y", "2")]

DOMAINS = {
    "one rack": (spanning(800), RACKS, {"b", "c"}),
    "one zone where no rack has room": (spanning(800), [RACKS[0], RACKS[1], RACKS[3]], {"a", "b"}),
    "the whole cluster where no zone has": (spanning(800), [RACKS[0], RACKS[3]], {"a", "d"}),
    "who names no rack is in none": (spanning(800), [RACKS[0], server("z"), RACKS[3]], None),
}


@pytest.mark.parametrize(("what", "workers", "wanted"), DOMAINS.values(), ids=DOMAINS)
def test_the_innermost_domain(what, workers, wanted):
    _, by_worker = spans(what, *workers)

    assert len(by_worker) == 2
    assert wanted is None or set(by_worker) == wanted


def test_a_nearer_domain_does_not_cost_more_cards():
    """The rack would need three stages of its smaller cards, the zone two."""
    small = [server(name, 1, mib=60, path=("x", "b", "1")) for name in "abc"]
    large = [server(name, 1, path=("x", "b", rack)) for name, rack in (("d", "2"), ("e", "3"))]

    assert spans(spanning(160), *small, *large) == ((1, 2), {"d": 1, "e": 1})


NVLINKED = [near("a", "x", "1", nvlink="n"), near("b", "x", "1", nvlink="n"), near("c", "x", "2"), near("d", "x", "2")]

NVLINK = {
    "tensor parallel over workers stays in one": (spanning(800, "-tp=8"), NVLINKED, {"a", "b"}),
    "and goes elsewhere where none suffices": (spanning(800, "-tp=8"), [NVLINKED[0], *NVLINKED[2:]], {"c", "d"}),
    "a pipeline may": (spanning(800), [NVLINKED[0], NVLINKED[2]], {"a", "c"}),
    "nobody declared one": (spanning(800, "-tp=8"), NVLINKED[2:], {"c", "d"}),
}


@pytest.mark.parametrize(("what", "workers", "wanted"), NVLINK.values(), ids=NVLINK)
def test_nvlink_domains(what, workers, wanted):
    found = spans(what, *workers)

    assert (set(found[1]) if found else None) == wanted


def test_how_many_cards_a_worker_has_counts_only_cards_that_could_be_used():
    """The worker with eight other cards makes nobody's four cards too few."""
    small = server("z", 8, mib=10, model="L4")

    assert spans(spanning(800, "-tp=8"), A, B, small) == ((8, 1), {"a": 4, "b": 4})


MODELS = [server("a"), server("b"), server("c", model="L40S"), server("d", model="L40S")]

PREFERRED = {
    "the first": (("H100", "L40S"), {"a", "b"}),
    "the other way round": (("L40S", "H100"), {"c", "d"}),
    "the only one that is there": (("B200", "L40S"), {"c", "d"}),
}


@pytest.mark.parametrize(("models", "wanted"), PREFERRED.values(), ids=PREFERRED)
def test_preferred_models(models, wanted):
    assert set(spans(spanning(800, gpus={"models": models}), *MODELS)[1]) == wanted


def test_preference_before_fewer_cards():
    few = [server(name, 1, mib=200, model="B200") for name in "ab"]
    many = [server(name, 2, model="L40S") for name in "cd"]
    what = spanning(400, gpus={"models": ("L40S", "B200")})

    assert set(spans(what, *few, *many)[1]) == {"c", "d"}


LIMITS = {"both": (20.0, True), "not both": (19.0, False), "no limit": (None, True)}


@pytest.mark.parametrize(("limit", "fits"), LIMITS.values(), ids=LIMITS)
def test_workers_are_paid_for_together(limit, fits):
    workers = [server(name, usd_per_hour=10.0) for name in "ab"]

    assert (spans(spanning(800, cost=CostLimit(limit)), *workers) is not None) is fits


def test_prices_that_add_up_to_the_limit_are_within_it():
    workers = [server("a", usd_per_hour=1.1), server("b", usd_per_hour=2.2)]

    assert spans(spanning(800, cost=CostLimit(3.3)), *workers) is not None


def test_workers_that_are_paid_for_cost_nothing_more():
    workers = [server(name, 8, usd_per_hour=10.0) for name in "ab"]
    plan = planner(*workers).plan(sized(spanning(800, "-tp=4", "-pp=2", cost=CostLimit(20.0)), replicas=2))

    assert len(plan.replicas) == 2


def llama(mib, layers, *args, **others):
    return role(need(mib, layers=layers), "llama-cpp", *args, distributed=True, **others)


LAYERS = {
    "cards of any kind": (llama(160, 16), [server("a", 1), server("b", 1, mib=60, model="L4")], {"a": 1, "b": 1}),
    "the fewest cards": (llama(180, 18), [server("a", 1), server("b", 1), server("c", 4, mib=40)], {"a": 1, "b": 1}),
    "as many as are asked for": (
        llama(120, 12, gpus={"count": 3}), [server(name, 1) for name in "abc"], {"a": 1, "b": 1, "c": 1},
    ),
    "too few as asked for": (llama(210, 21, gpus={"count": 2}), [server(name, 1) for name in "abc"], None),
    "not enough": (llama(310, 31), [server(name, 1) for name in "abc"], None),
}  # fmt: skip


@pytest.mark.parametrize(("what", "workers", "wanted"), LAYERS.values(), ids=LAYERS)
def test_layers_over_workers(what, workers, wanted):
    found = spans(what, *workers)

    assert (found[1] if found else None) == wanted


def test_layers_stay_in_one_rack_at_equal_cards():
    racks = [near("a", "x", "1", 1), near("b", "y", "2", 1), near("c", "y", "2", 1)]

    assert set(spans(llama(200, 20), *racks)[1]) == {"b", "c"}


HOSTS = {
    "enough on one": (llama(300, 30, cpu_offload=True), (0, 100), True),
    "not enough on any": (llama(300, 30, cpu_offload=True), (99, 99), False),
    "RAM that nobody told": (llama(300, 30, cpu_offload=True), (None, None), False),
    "beside what is asked for": (llama(300, 30, cpu_offload=True, ram_mib=1), (1, 100), False),
    "what a flag keeps": (llama(300, 30, "-ngl=15", cpu_offload=True), (149, 150), True),
    "what a flag keeps has no room": (llama(300, 30, "-ngl=15", cpu_offload=True), (149, 149), False),
}


@pytest.mark.parametrize(("what", "rams", "fits"), HOSTS.values(), ids=HOSTS)
def test_layers_that_stay_need_a_host(what, rams, fits):
    workers = [server(name, 1, ram_mib=ram) for name, ram in zip("ab", rams, strict=True)]

    assert (spans(what, *workers) is not None) is fits


def test_what_is_asked_of_each_worker():
    asked = ask(shapes=(CardShape(4, 30), CardShape(8, 20)), copies=3)
    by_layers = ask(layers=Layers(9, 1, 0, cards=3))

    assert worker_ask(asked) == ask(shapes=(CardShape(1, 20),), spans=True)
    assert worker_ask(asked, CardShape(4, 30)).shapes == (CardShape(1, 30),)
    assert worker_ask(by_layers).layers == Layers(9, 1, 0, partial=True)


@pytest.mark.parametrize("strategy", ["pack", "spread"])
def test_the_score_is_the_mean_over_the_workers(strategy):
    """Of pack: 80 of 100 and 80 of 90 MiB; of spread: nobody is there yet."""
    workers = [server("a", 1), server("b", 1, mib=90)]
    (replica,) = planner(*workers).plan(sized(spanning(160, "-tp=1", strategy=strategy))).replicas
    wanted = 2 / 3 * (80 / 100 + 80 / 90) / 2 if strategy == "pack" else 1.0

    assert replica.score == pytest.approx(wanted)


def test_the_tighter_domain_under_pack():
    racks = [near("a", "x", "1"), near("b", "x", "1"), near("c", "y", "1"), near("d", "y", "1")]
    held = tuple(booking(name, *[share(card, 10) for card in range(4)], on=name) for name in "cd")

    assert set(spans(spanning(640, "-tp=4"), *racks, bookings=held)[1]) == {"c", "d"}


SIX_LAYERS = {
    "model": {"weights": 1, "kvCache": 13, "overhead": 0, "architecture": {"heads": 4, "kvHeads": 1, "layers": 6}},
    "backend": {"name": "llama-cpp"},
    "gpus": {"count": 2},
    "distributed": True,
}


def two_cards_by_layers(*workers):
    """The plan of a replica of 14 MiB on two cards of 16 MiB; each worker is a list of runtimes."""
    cards = [[{"index": at, "runtime": name, "memory": 16} for at, name in enumerate(names)] for names in workers]
    named = [{"name": f"w{at}", "gpus": gpus} for at, gpus in enumerate(cards)]
    return bayplan.plan({"metadata": {"name": "chat"}, "spec": SIX_LAYERS}, {"workers": named})


@pytest.mark.parametrize("runtimes", [("cuda", "cuda"), ("cuda", "rocm")])
def test_workers_are_scored_by_the_layers_that_they_hold(runtimes):
    (replica,) = two_cards_by_layers(*[[name] for name in runtimes])["replicas"]

    assert replica["score"] == pytest.approx(2 / 3 * 7 / 16)


def test_cards_of_two_makers_on_one_worker_are_no_pair():
    assert two_cards_by_layers(["cuda", "rocm"])["placed"] == 0
    assert two_cards_by_layers(["cuda", "rocm"], ["cuda"])["placed"] == 1

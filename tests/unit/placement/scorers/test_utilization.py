"""Utilization: static, live and dry-run parts, by hand; what is not known counts half and is named."""

import pytest

from bayplan.cluster.workload import DryRun
from bayplan.framework.errors import ConfigError, InputError
from bayplan.library.registry import placement_plugins, read_config
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.scorers.utilization import Utilization, Weights
from fleets import booking, share
from unit.placement.builders import ask, gpu, keeps_its_promises, worker
from unit.placement.scorers.explained import note, score, seen, terms

STATIC = Utilization(Weights(1, 0, 0))
LIVE = Utilization(Weights(0, 1, 0))
PACKED = Utilization(Weights(0, 1, 0), direction="pack")
DRY = Utilization(Weights(0, 0, 1))
DRY_PACKED = Utilization(Weights(0, 0, 1), direction="pack")

ONE = ask(taking=Taking.WHOLE, shapes=(CardShape(1),))
TWO = ask(taking=Taking.WHOLE, shapes=(CardShape(2),))
NONE = ask()
BUSY = {"gpu_percent": 90.0, "memory_bandwidth_percent": 80.0}
IDLE = {"gpu_percent": 10.0, "memory_bandwidth_percent": 0.0}
HOST = {"cpu_percent": 60.0, "ram_percent": 50.0}


def cards(count, **fields):
    return [gpu(number, **fields) for number in range(count)]


WORTH = {
    "number, capability and link": (cards(2, model="Tesla K80", pcie_gen=3), (0.25 + 0.37 + 0.6) / 3),
    "eight cards are many": (cards(8, model="V100-SXM2-16GB", pcie_gen=5), (1 + 0.7 + 1) / 3),
    "so are more": (cards(16, model="B200", pcie_gen=6), 1.0),
    "unknown model and link": (cards(4, model="Mystery 9000"), 0.5),
    "no model": (cards(4, model=None), 0.5),
    "card by card": ([gpu(0, model="T4", pcie_gen=5), gpu(1, model=None, pcie_gen=None)], (0.25 + 0.625 + 0.75) / 3),
}  # fmt: skip


@pytest.mark.parametrize(("gpus", "wanted"), WORTH.values(), ids=WORTH)
def test_static(gpus, wanted):
    assert score(STATIC, ONE, worker(cards=gpus)) == pytest.approx(wanted)


def test_static_without_cards():
    assert score(STATIC, NONE, worker(cards=0)) == 0.0


ON_HOST = (1 - 0.6) + (1 - 0.5)
LOADS = {
    "one card": (ONE, LIVE, seen(BUSY, **HOST), 1, (0.1 + 0.2 + ON_HOST) / 4),
    "pack is the other way round": (ONE, PACKED, seen(BUSY, **HOST), 1, (0.9 + 0.8 + 0.6 + 0.5) / 4),
    "mean over the cards": (TWO, LIVE, seen(BUSY, IDLE, **HOST), 2, (0.5 + 0.6 + ON_HOST) / 4),
    "only cards that are taken": (ONE, LIVE, seen(BUSY, IDLE, **HOST), 2, (0.1 + 0.2 + ON_HOST) / 4),
    "nothing measured": (ONE, LIVE, None, 1, 0.5),
    "no host": (ONE, LIVE, seen(BUSY), 1, (0.1 + 0.2 + 0.5 + 0.5) / 4),
    "no card": (ONE, LIVE, seen(**HOST), 1, (0.5 + 0.5 + ON_HOST) / 4),
    "one of two cards": (TWO, LIVE, seen(BUSY, **HOST), 2, ((0.1 + 0.5) / 2 + (0.2 + 0.5) / 2 + ON_HOST) / 4),
    "a workload without cards": (NONE, LIVE, seen(BUSY, **HOST), 1, ON_HOST / 2),
    "as old as allowed": (ONE, LIVE, seen(BUSY, age_s=120, **HOST), 1, (0.1 + 0.2 + ON_HOST) / 4),
    "too old": (ONE, LIVE, seen(BUSY, age_s=121, **HOST), 1, 0.5),
    "of no known age": (ONE, LIVE, seen(BUSY, age_s=None, **HOST), 1, (0.1 + 0.2 + ON_HOST) / 4),
    "older is allowed": (
        ONE, Utilization(Weights(0, 1, 0), max_age_seconds=600), seen(BUSY, age_s=600, **HOST), 1,
        (0.1 + 0.2 + ON_HOST) / 4,
    ),
    "a card of another runtime": (ONE, LIVE, seen({**BUSY, "runtime": "rocm"}), 1, 0.5),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "scorer", "load", "count", "wanted"), LOADS.values(), ids=LOADS)
def test_live(asked, scorer, load, count, wanted):
    assert score(scorer, asked, worker(cards=count, utilization=load)) == pytest.approx(wanted)


def sharing(*records, **others):
    rule = CardRule(needs_memory=True)
    return ask(taking=Taking.SHARE, shapes=(CardShape(1, 4_096),), rule=rule, dry_run=records, **others)


ON_A100 = DryRun("A100", 30, 10_240)
RUNS = {
    "room left by both": (DRY, (ON_A100,), 20.0, (), (0.5 + 0.75) / 2),
    "pack: both together": (DRY_PACKED, (ON_A100,), 20.0, (), (0.5 + 0.25) / 2),
    "overloaded": (DRY, (ON_A100,), 90.0, (), (0 + 0.75) / 2),
    "pack: overloaded": (DRY_PACKED, (ON_A100,), 90.0, (), (0 + 0.25) / 2),
    "exactly full": (DRY_PACKED, (DryRun("A100", 70.1, 40_960),), 29.9, (), 1.0),
    "what is booked counts": (DRY, (ON_A100,), 20.0, (booking("x", share(0, 20_480)),), (0.5 + 0.25) / 2),
    "no record at all": (DRY, (), 20.0, (), 0.5),
    "none of this model": (DRY, (DryRun("T4", 30, 10),), 20.0, (), 0.5),
    "the nearest name": (DRY, (DryRun("A100", 80, 40_960), DryRun("A100-40GB", 30, 10_240)), 20.0, (), 0.625),
    "no memory recorded": (DRY, (DryRun("A100", 30),), 20.0, (), (0.5 + 0.5) / 2),
    "no use recorded": (DRY, (DryRun("A100", None, 10_240),), 20.0, (), (0.5 + 0.75) / 2),
    "use not measured": (DRY, (ON_A100,), None, (), (0.5 + 0.75) / 2),
    "pack: use not measured": (DRY_PACKED, (ON_A100,), None, (), (0.5 + 0.25) / 2),
}


@pytest.mark.parametrize(("scorer", "records", "used", "bookings", "wanted"), RUNS.values(), ids=RUNS)
def test_dry_run(scorer, records, used, bookings, wanted):
    on = worker(cards=1, utilization=seen({"gpu_percent": used}))

    assert score(scorer, sharing(*records), on, bookings=bookings) == pytest.approx(wanted)


def test_memory_seen_in_use_counts_where_it_is_more_than_what_is_booked():
    on = worker(cards=[gpu(observed_used_mib=30_720)], utilization=seen({"gpu_percent": 20.0}))
    bookings = (booking("x", share(0, 1_024)),)

    assert score(DRY, sharing(DryRun("A100", 30, 5_120)), on, bookings=bookings) == pytest.approx((0.5 + 0.125) / 2)


def test_without_cards_a_dry_run_is_neutral():
    assert score(DRY, ask(dry_run=(ON_A100,)), worker(cards=1)) == 0.5


def test_parts_are_weighed():
    on = worker(cards=cards(2, model="V100-SXM2-16GB", memory_mib=16_384, pcie_gen=3), utilization=seen(
        *[{"gpu_percent": 50.0, "memory_bandwidth_percent": 30.0}] * 2, cpu_percent=20.0, ram_percent=40.0
    ))  # fmt: skip
    asked = ask(taking=Taking.WHOLE, shapes=(CardShape(2),), dry_run=(DryRun("V100", 30, 8_192),))
    static, live, dry_run = (0.25 + 0.7 + 0.6) / 3, (0.5 + 0.7 + 0.8 + 0.6) / 4, (0.2 + 0.5) / 2

    assert score(Utilization(), asked, on) == pytest.approx(0.2 * static + 0.5 * live + 0.3 * dry_run)
    assert score(Utilization(Weights(2, 1, 1)), asked, on) == pytest.approx((2 * static + live + dry_run) / 4)


ALL_LIVE = "gpuPercent, memoryBandwidthPercent, cpuPercent, ramPercent"
NOTES = {
    "everything is known": (LIVE, ONE, seen(IDLE, **HOST), ""),
    "nothing measured": (LIVE, ONE, None, f"not known: {ALL_LIVE}"),
    "some": (LIVE, ONE, seen(IDLE, cpu_percent=1.0), "not known: ramPercent"),
    "too old": (LIVE, ONE, seen(age_s=600, **HOST), f"measured 600 s ago, longer than 120 s; not known: {ALL_LIVE}"),
    "of no known age": (LIVE, ONE, seen(IDLE, age_s=None, **HOST), "the time of the measurement is not known"),
    "what the cards are": (STATIC, ONE, None, "not known: pcieGen"),
    "what is of no weight is not named": (STATIC, ONE, seen(IDLE, age_s=600), "not known: pcieGen"),
    "no record": (DRY, ONE, seen(IDLE), "not known: dryRun"),
    "no cards, no record": (DRY, NONE, seen(IDLE), ""),
}  # fmt: skip


@pytest.mark.parametrize(("scorer", "asked", "load", "wanted"), NOTES.values(), ids=NOTES)
def test_note(scorer, asked, load, wanted):
    assert note(scorer, asked, worker(cards=1, utilization=load)) == wanted


def test_a_model_that_nobody_described_is_noted():
    assert note(STATIC, ONE, worker(cards=cards(1, model="Mystery", pcie_gen=3))) == "not known: computeCapability"


REFUSED = {
    "a weight below 0": (lambda: Weights(live=-0.5), "live: -0.5 is below 0"),
    "no weight": (lambda: Weights(0, 0, 0), "all weights are 0"),
    "weights beyond numbers": (lambda: Weights(1e308, 1e308), "the weights have no finite sum"),
    "an age below 0": (lambda: Utilization(max_age_seconds=-1), "-1 seconds are no age"),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_a_configuration_says_where():
    plugins = [{"type": "utilization", "parameters": {"weights": {"dryRun": -2}}}, {"type": "max-score"}]
    profiles = [{"name": "mine", "plugins": [{"pluginRef": "utilization"}, {"pluginRef": "max-score"}]}]
    config = {"scheduler": "placement", "plugins": plugins, "schedulingProfiles": profiles}

    with pytest.raises(ConfigError, match=r"plugins\[0\].parameters.weights.dryRun: -2 is below 0; write 0 or more"):
        read_config(config, placement_plugins())


def test_contract():
    workers = [
        worker(cards=3, utilization=seen(BUSY, {}, IDLE, **HOST)),
        worker(cards=[gpu(model=None, memory_mib=None)], utilization=seen(IDLE, age_s=900)),
        worker(cards=2),
        worker(),
    ]
    made = {"chosen": [[True, True, False], [True, False, False], [False, True, False], [False] * 3]}
    for scorer in (Utilization(), Utilization(direction="pack")):
        keeps_its_promises(scorer, workers, [NONE, ONE, sharing(ON_A100)], made=made)


P100 = 16_384
MEASURED = {  # model, or model and batch size: most of the GPU in percent, most of its memory in percent
    "small_bert L-2 H-128": (21.13, 16.41),
    "small_bert L-2 H-256": (30.53, 29.97),
    "small_bert L-2 H-512": (40.53, 57.08),
    "ResNet50 32": (73.0, 53.78),
    "ResNet50 2": (49.47, 53.78),
    "DCGAN 32": (36.6, 12.01),
    "Nasnet_Mobile 32": (59.13, 9.7),
}
"""Training runs on a Tesla P100: `MGUP` and `MGMAP` of Alnair's open data on GPU sharing (Apache-2.0)."""

FOUND = {  # what runs on three cards, what comes: the card under spread, under pack
    "a small BERT fills what a ResNet leaves, or stays alone": (
        ("small_bert L-2 H-256", "ResNet50 32", None), "small_bert L-2 H-128", "c", "b",
    ),
    "two that would overload a card do not meet": (
        ("ResNet50 32", "small_bert L-2 H-512", None), "Nasnet_Mobile 32", "c", "b",
    ),
    "the lighter neighbour, or the fuller card": (
        ("ResNet50 2", "small_bert L-2 H-128", "Nasnet_Mobile 32"), "DCGAN 32", "b", "a",
    ),
    "memory has room, the GPU has not": (
        ("ResNet50 32", "ResNet50 2", "small_bert L-2 H-128"), "small_bert L-2 H-256", "c", "b",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("running", "comes", "spread", "pack"), FOUND.values(), ids=FOUND)
def test_recorded_runs_share_cards(running, comes, spread, pack):
    """The dry-run part alone, on figures that were really measured: who may meet whom on one card."""
    workers, bookings = [], []
    for name, run in zip("abc", running, strict=True):
        used, memory = MEASURED.get(run, (0.0, 0.0))
        card = gpu(model="Tesla P100-PCIE-16GB", memory_mib=P100)
        workers.append(worker(name, cards=[card], utilization=seen({"gpu_percent": used})))
        bookings += [booking(run, share(0, round(P100 * memory / 100)), on=name)] if run else []
    percent, memory = MEASURED[comes]
    need = round(P100 * memory / 100)
    shapes, rule = (CardShape(1, need),), CardRule(needs_memory=True)
    asked = ask(taking=Taking.SHARE, shapes=shapes, rule=rule, dry_run=(DryRun("P100", percent, need),))

    best = [next(iter(terms(scorer, asked, *workers, bookings=bookings))) for scorer in (DRY, DRY_PACKED)]

    assert best == [spread, pack]

"""Load risk: mean and deviation of the worst resource on the worst card, by hand."""

import pytest

from bayplan.cluster.workload import DryRun
from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.scorers.load_risk import LoadRisk
from unit.placement.builders import ask, gpu, keeps_its_promises, worker
from unit.placement.scorers.explained import note, score, seen

CPU, BOTH, GPU, CARDS = LoadRisk(("cpu",)), LoadRisk(("cpu", "ram")), LoadRisk(("gpu",)), LoadRisk()
CORE = ask(cpu_milli=1_000, ram_mib=1_024)


def share(*, memory_mib=8_192, cards=1, **others):
    rule = CardRule(needs_memory=True)
    return ask(taking=Taking.SHARE, shapes=(CardShape(cards, memory_mib),), rule=rule, **others)


def host(cpu, ram=(10.0, 0.0), *, cpu_milli=10_000, ram_mib=10_240, **others):
    fields = dict(zip(("cpu_percent", "cpu_stdev", "ram_percent", "ram_stdev"), (*cpu, *ram), strict=True))
    return worker(cpu_milli=cpu_milli, ram_mib=ram_mib, utilization=seen(**fields, **others))


def cards(*measured):
    names = ("gpu_percent", "gpu_stdev", "memory_percent", "memory_stdev")
    return worker(cards=len(measured), utilization=seen(*[dict(zip(names, each, strict=True)) for each in measured]))


def risk(*args):
    return LoadRisk(("cpu",), *args)


RISKS = {
    "mean and deviation": (CPU, CORE, host((40, 36)), 1 - (0.5 + 0.36) / 2),
    "steady": (CPU, CORE, host((90, 0)), 0.5),
    "expected use is at most all": (CPU, ask(cpu_milli=4_000), host((80, 0)), 0.5),
    "a root": (risk(1, 2), CORE, host((40, 36)), 1 - (0.5 + 0.6) / 2),
    "a margin": (risk(2), CORE, host((40, 20)), 1 - (0.5 + 0.4) / 2),
    "a margin after the root": (risk(2, 2), CORE, host((20, 16)), 1 - (0.3 + 0.8) / 2),
    "a deviation is at most all": (risk(9), CORE, host((40, 36)), 1 - (0.5 + 1) / 2),
    "a margin below 0": (risk(-1), CORE, host((40, 36)), 0.75),
    "a sensitivity below 0": (risk(1, -1), CORE, host((40, 36)), 1 - (0.5 + 0.36) / 2),
    "a sensitivity of 0": (risk(1, 0), CORE, host((40, 36)), 0.75),
    "a sensitivity of 0, all deviation": (risk(1, 0), CORE, host((40, 100)), 1 - (0.5 + 1) / 2),
    "the worst resource": (BOTH, CORE, host((40, 10), (70, 20)), 1 - (0.8 + 0.2) / 2),
    "nothing is asked for": (BOTH, ask(), host((40, 10), (10, 0)), 1 - (0.4 + 0.1) / 2),
    "card and memory": (CARDS, share(compute_milli=200), cards((50, 10, 20, 5)), 1 - (0.7 + 0.1) / 2),
    "memory is worse": (CARDS, share(compute_milli=50), cards((0, 0, 70, 5)), 1 - (0.9 + 0.05) / 2),
    "the worst card": (GPU, share(cards=2, compute_milli=200), cards((0, 0, 0, 0), (60, 0, 0, 0)), 0.6),
    "cards that are not taken": (GPU, share(compute_milli=200), cards((0, 0, 0, 0), (60, 0, 0, 0)), 0.9),
    "a dry run": (GPU, share(dry_run=(DryRun("A100", 30),)), cards((50, 0, 0, 0)), 0.6),
    "all of the card": (GPU, share(), cards((0, 0, 0, 0)), 0.5),
    "a mean that is not known": (CARDS, share(), cards((None, None, 0, 0)), 0.0),
    "a deviation that is not known": (GPU, share(compute_milli=200), cards((60, None, 0, 0)), 0.6),
    "nothing measured": (CARDS, share(), worker(cards=1), 0.0),
    "too old": (CPU, CORE, host((40, 36), age_s=121), 0.0),
    "capacity not known": (CPU, CORE, host((40, 36), cpu_milli=None), 0.0),
    "no cards": (CARDS, CORE, cards((0, 0, 0, 0)), 0.0),
    "no cards, but CPU": (LoadRisk(("gpu", "cpu")), CORE, host((90, 0)), 0.5),
}  # fmt: skip


@pytest.mark.parametrize(("scorer", "asked", "on", "wanted"), RISKS.values(), ids=RISKS)
def test_score(scorer, asked, on, wanted):
    assert score(scorer, asked, on) == pytest.approx(wanted)


NOTES = {
    "all is known": (BOTH, CORE, host((40, 36)), ""),
    "no deviation": (CPU, CORE, host((40, None)), "not known: cpuStdev"),
    "nothing measured": (GPU, share(), worker(cards=1), "not known: gpuPercent, gpuStdev"),
    "capacities": (BOTH, CORE, host((1, 1), cpu_milli=None, ram_mib=None), "not known: cpu, ram"),
    "no cards": (CARDS, CORE, cards((0, 0, 0, 0)), "the workload takes no cards"),
}  # fmt: skip


@pytest.mark.parametrize(("scorer", "asked", "on", "wanted"), NOTES.values(), ids=NOTES)
def test_note(scorer, asked, on, wanted):
    assert note(scorer, asked, on) == wanted


def test_refused():
    with pytest.raises(InputError, match="resources: no resource is listed; list some of gpu, gpu-memory, cpu, ram"):
        LoadRisk(())
    with pytest.raises(InputError, match="max_age_seconds"):
        LoadRisk(max_age_seconds=-1)


@pytest.mark.parametrize("scorer", [CARDS, BOTH, LoadRisk(("gpu", "gpu-memory", "cpu", "ram"), 2, 0)])
def test_contract(scorer):
    workers = [cards((10, 5, 50, 7), (90, None, 0, 0)), host((40, 36)), worker(cards=[gpu(memory_mib=None)]), worker()]
    made = {
        "chosen": [[True, True], [False] * 2, [True, False], [False] * 2],
        "card_room": [[40_960] * 2] * 4,
        "fit_shape": [0] * 4,
    }
    keeps_its_promises(scorer, workers, [CORE, share(), ask()], made=made)

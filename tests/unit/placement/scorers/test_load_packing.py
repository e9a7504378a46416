"""Load packing: the load that a resource would have, against a target; by hand."""

from fractions import Fraction

import numpy as np
import pytest

from bayplan.cluster.workload import Container, DryRun
from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.scorers.load_packing import LoadPacking, towards
from unit.placement.builders import ask, gpu, keeps_its_promises, worker
from unit.placement.scorers.explained import note, score, seen

LINE = {  # load, target: score
    "none": (0, 40, 0.4),
    "half way": (20, 40, 0.7),
    "the target": (40, 40, 1.0),
    "the target, but for rounding": (40 + 1e-12, 40, 1.0),
    "just behind": (40 + 1e-7, 40, 0.4),
    "well behind": (70, 40, 0.2),
    "full": (100, 40, 0.0),
    "more than full": (130, 40, 0.0),
    "another target": (50, 80, 0.925),
    "not known": (np.nan, 40, 0.0),
}


@pytest.mark.parametrize(("load", "target", "wanted"), LINE.values(), ids=LINE)
def test_towards_the_target(load, target, wanted):
    assert towards(np.array([load]), target).tolist() == [pytest.approx(wanted)]


def share(*, memory_mib=4_096, cards=1, **others):
    rule = CardRule(needs_memory=True)
    return ask(**{"taking": Taking.SHARE, "shapes": (CardShape(cards, memory_mib),), "rule": rule, **others})


def whole(cards=1, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(cards),), **others)


def at(load):
    """The score of a load of so many percent, against the usual target."""
    return towards(np.array([load]), 40.0).tolist()[0]


def gpus(*percents, field="gpu_percent", **others):
    cards = len(percents)
    return worker(cards=cards, utilization=seen(*[{field: percent} for percent in percents], **others))


def memory(*percents):
    return gpus(*percents, field="memory_percent")


def host(percent, cpu_milli=8_000):
    return worker(cpu_milli=cpu_milli, utilization=seen(cpu_percent=percent))


GPU, MEMORY, CPU = LoadPacking(), LoadPacking("gpu-memory"), LoadPacking("cpu")
POD = (Container(cpu_milli=500, cpu_limit_milli=600), Container(cpu_milli=400), Container())

LOADS = {
    "a share of the compute": (GPU, share(compute_milli=100), gpus(20), at(30)),
    "that goes before a dry run": (GPU, share(compute_milli=100, dry_run=(DryRun("A100", 70),)), gpus(20), at(30)),
    "a dry run": (GPU, share(dry_run=(DryRun("A100", 15),)), gpus(20), at(35)),
    "a dry run on another model": (GPU, share(dry_run=(DryRun("T4", 15),)), gpus(0), at(100)),
    "all of the card": (GPU, whole(), gpus(0), at(100)),
    "several cards count together": (GPU, share(cards=2, compute_milli=100), gpus(10, 40), at(35)),
    "one of them is not measured": (GPU, share(cards=2, compute_milli=100), gpus(10, None), 0.0),
    "only those that are taken count": (GPU, share(compute_milli=100), gpus(10, None), at(20)),
    "without cards": (GPU, ask(), gpus(10), 0.0),
    "memory": (MEMORY, share(memory_mib=4_096), memory(10), at(20)),
    "memory of several cards": (MEMORY, share(memory_mib=4_096, cards=2), memory(10, 30), at(30)),
    "memory of whole cards": (MEMORY, whole(), memory(0), at(100)),
    "memory that a flag takes": (
        MEMORY, share(fit=Fit(Fraction(1, 4), FractionOf.CARD)), memory(10), at(35),
    ),
    "no memory is asked for": (MEMORY, share(memory_mib=0, rule=CardRule(), compute_milli=9), memory(30), at(30)),
    "layers": (
        MEMORY,
        ask(taking=Taking.LAYERS, layers=Layers(4, Fraction(1_024), 0), rule=CardRule(needs_memory=True)),
        memory(10),
        at(20),
    ),
    "CPU": (CPU, ask(cpu_milli=800), host(30), 1.0),
    "CPU not asked for": (CPU, ask(), host(30), at(30)),
    "containers": (CPU, ask(cpu_milli=900, containers=POD), host(10, 22_000), at(20)),
    "CPU of unknown size": (CPU, ask(cpu_milli=800), host(30, None), 0.0),
    "nothing measured": (GPU, whole(), worker(cards=1), 0.0),
    "too old": (GPU, share(compute_milli=100), gpus(20, age_s=121), 0.0),
    "older is allowed": (LoadPacking(max_age_seconds=200), share(compute_milli=100), gpus(20, age_s=121), at(30)),
}  # fmt: skip


@pytest.mark.parametrize(("scorer", "asked", "on", "wanted"), LOADS.values(), ids=LOADS)
def test_load(scorer, asked, on, wanted):
    assert score(scorer, asked, on) == pytest.approx(wanted)


NOTES = {
    "measured": (GPU, share(), gpus(10), ""),
    "not measured": (GPU, share(), worker(cards=1), "not known: gpuPercent"),
    "memory not measured": (MEMORY, share(), gpus(10), "not known: memoryPercent"),
    "CPU neither measured nor known": (CPU, ask(), worker(), "not known: cpuPercent, cpu"),
    "size not known": (
        MEMORY, whole(), worker(cards=[gpu(memory_mib=None)], utilization=seen({"memory_percent": 5.0})),
        "not known: memory",
    ),
    "too old": (GPU, share(), gpus(10, age_s=121), "measured 121 s ago, longer than 120 s; not known: gpuPercent"),
    "no cards": (GPU, ask(), gpus(10), "the workload takes no cards"),
}  # fmt: skip


@pytest.mark.parametrize(("scorer", "asked", "on", "wanted"), NOTES.values(), ids=NOTES)
def test_note(scorer, asked, on, wanted):
    assert note(scorer, asked, on) == wanted


@pytest.mark.parametrize("target", [0, 100, -3, 140])
def test_no_target(target):
    with pytest.raises(InputError, match=f"target_percent: {target} percent are no target"):
        LoadPacking(target_percent=target)


def test_no_age():
    with pytest.raises(InputError, match="max_age_seconds"):
        LoadPacking(max_age_seconds=-1)


@pytest.mark.parametrize("scorer", [GPU, MEMORY, CPU], ids=["gpu", "gpu-memory", "cpu"])
def test_contract(scorer):
    workers = [gpus(10, 50), memory(10, None), host(90), host(None, None), worker(cards=[gpu(memory_mib=None)])]
    made = {
        "chosen": [[True, False], [True, True], [False] * 2, [False] * 2, [True, False]],
        "card_room": [[40_960] * 2] * 5,
        "fit_shape": [0] * 5,
    }
    keeps_its_promises(scorer, workers, [ask(cpu_milli=800), share(), whole()], made=made)

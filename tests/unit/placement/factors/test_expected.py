"""What a replica is expected to use: of a card's compute, of its memory, of the host's CPU."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.cluster.workload import Container, DryRun
from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.factors.expected import card_mib, dry_run_of, gpu_percent, limited_cpu_milli
from unit.placement.builders import ask, gpu, table_of, worker

FAMILY, PRODUCT, OTHER = DryRun("A100", 50, 100), DryRun("A100-SXM4-40GB", 60, 200), DryRun("T4", 70, 300)

RECORDS = {
    "none": ((), None),
    "of another model": ((OTHER,), None),
    "of the family": ((OTHER, FAMILY), FAMILY),
    "of the product before the family": ((FAMILY, PRODUCT), PRODUCT),
    "whatever the order": ((PRODUCT, FAMILY), PRODUCT),
}


@pytest.mark.parametrize(("records", "wanted"), RECORDS.values(), ids=RECORDS)
def test_the_record_that_names_the_card_most_closely(records, wanted):
    assert dry_run_of(records, "NVIDIA-A100-SXM4-40GB") == wanted


def rows(*cards, chosen=None, shape=0, room=None):
    table = table_of(worker(cards=cards))
    shown = {name: table.columns[name] for name in ("card_model_id", "card_memory_mib")}
    chosen = np.array([chosen or [True] * len(cards)])
    room = np.array([room or [each.memory_mib or 0 for each in cards]])
    pools = table.shared["pools"]
    return SimpleNamespace(**shown, chosen=chosen, card_room=room, fit_shape=np.array([shape]), pools=pools)


MIXED = (gpu(0), gpu(1, model="T4"), gpu(2, model=None))
PERCENTS = {
    "all of a card": (ask(), [100, 100, 100]),
    "a share": (ask(compute_milli=250), [25, 25, 25]),
    "a dry run": (ask(dry_run=(FAMILY,)), [50, 100, 100]),
    "a share before a dry run": (ask(compute_milli=250, dry_run=(FAMILY,)), [25, 25, 25]),
    "a dry run that does not say": (ask(dry_run=(DryRun("A100", None, 5),)), [100, 100, 100]),
}


@pytest.mark.parametrize(("asked", "wanted"), PERCENTS.values(), ids=PERCENTS)
def test_compute(asked, wanted):
    assert gpu_percent(asked, rows(*MIXED)).tolist() == [wanted]


def share(*needs, **others):
    shapes = tuple(CardShape(number + 1, need) for number, need in enumerate(needs))
    return ask(**{"taking": Taking.SHARE, "shapes": shapes, "rule": CardRule(needs_memory=True), **others})


def layers(count):
    rule = CardRule(needs_memory=True)
    return ask(taking=Taking.LAYERS, layers=Layers(count, Fraction(100), 50), rule=rule)


def slices(count, mig="1g.5gb"):
    return ask(taking=Taking.SLICES, shapes=(CardShape(count),), mig=mig)


NAN = pytest.approx(np.nan, nan_ok=True)
SMALL = (gpu(0, memory_mib=1_000), gpu(1, memory_mib=2_000))
UNSIZED = (gpu(0, memory_mib=None),)
MEMORY = {
    "a share": (share(300), rows(*SMALL), [300, 300]),
    "of the shape that fits": (share(300, 150), rows(*SMALL, shape=1), [150, 150]),
    "what a flag takes": (share(300, fit=Fit(Fraction(1, 2), FractionOf.CARD)), rows(*SMALL), [500, 1_000]),
    "compute alone": (share(0, rule=CardRule(), compute_milli=5), rows(*SMALL), [0, 0]),
    "whole cards": (ask(taking=Taking.WHOLE, shapes=(CardShape(2),)), rows(*SMALL), [1_000, 2_000]),
    "whole cards of unknown size": (ask(taking=Taking.WHOLE, shapes=(CardShape(1),)), rows(*UNSIZED), [NAN]),
    "layers, by what is free": (layers(15), rows(*SMALL), [50 + 500, 50 + 1_000]),
    "layers on one card": (layers(5), rows(*SMALL, chosen=[True, False]), [550, 0]),
    "slices": (slices(1), rows(*SMALL, chosen=[True, False]), [5_120, 5_120]),
    "slices on fewer cards": (slices(3), rows(*SMALL), [7_680, 7_680]),
    "slices of a size that nobody knows": (slices(1, "weird"), rows(gpu()), [NAN]),
    "nothing": (ask(), rows(*SMALL), [0, 0]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "shown", "wanted"), MEMORY.values(), ids=MEMORY)
def test_memory(asked, shown, wanted):
    assert card_mib(asked, shown)[0].tolist() == wanted


CPU = {
    "asked for": (ask(cpu_milli=700), 700),
    "not asked for": (ask(), 0),
    "a limit": (ask(cpu_milli=100, containers=(Container(100, cpu_limit_milli=900),)), 900),
    "a limit of nothing": (ask(containers=(Container(0, cpu_limit_milli=0),)), 0),
    "a request": (ask(cpu_milli=100, containers=(Container(100),)), 150),
    "neither": (ask(containers=(Container(ram_mib=5),)), 1_000),
    "containers add up": (ask(cpu_milli=100, containers=(Container(100), Container())), 1_150),
}


@pytest.mark.parametrize(("asked", "wanted"), CPU.values(), ids=CPU)
def test_cpu(asked, wanted):
    assert limited_cpu_milli(asked) == wanted

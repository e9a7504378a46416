"""What an ask is to packing, and what it needs of each kind of worker."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.taint import Taint, Toleration
from bayplan.placement.asks.ask import CardRule, CardShape, Layers, Taking
from bayplan.placement.packing.demand import NEVER_MILLI, demand_of, needs_milli, share_milli
from unit.placement.builders import ask, gpu, worker

MEMORY = CardRule(needs_memory=True)


def wholes(count=1, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(count),), **others)


def share(mib=0, milli=0, count=1, **others):
    rule = MEMORY if mib else CardRule()
    return ask(taking=Taking.SHARE, shapes=(CardShape(count, mib),), rule=rule, compute_milli=milli, **others)


SEEN = {
    "nothing": (ask(), (0, 0, 0, 0, 0)),
    "host": (ask(cpu_milli=500, ram_mib=7), (500, 7, 0, 0, 0)),
    "whole cards": (wholes(2, cpu_milli=500), (500, 0, 2, 1000, 0)),
    "compute": (share(milli=300), (0, 0, 1, 300, 0)),
    "memory": (share(mib=900, count=2), (0, 0, 2, 0, 900)),
    "both": (share(mib=900, milli=300), (0, 0, 1, 300, 900)),
    "the first of several shapes": (
        ask(taking=Taking.SHARE, shapes=(CardShape(1, 900), CardShape(2, 450)), rule=MEMORY), (0, 0, 1, 0, 900)),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "wanted"), SEEN.values(), ids=SEEN)
def test_demand(asked, wanted):
    assert demand_of(asked)[:5] == wanted


NOT_FORESEEN = {
    "layers": ask(taking=Taking.LAYERS, layers=Layers(2, 10, 0)),
    "slices": ask(taking=Taking.SLICES, mig="1g.5gb", shapes=(CardShape(1),)),
    "named cards": wholes(gpu_ids=["a:cuda:0"]),
    "over several workers": wholes(4, spans=True),
    "a need that nobody knows": share(mib=1, unknown="give weights"),
}


@pytest.mark.parametrize("asked", NOT_FORESEEN.values(), ids=NOT_FORESEEN)
def test_not_foreseen(asked):
    assert demand_of(asked) is None


SHARES = {
    "what compute says": (share(milli=300), 40_000, 300),
    "what memory says, rounded up": (share(mib=10_001), 40_000, 251),
    "the larger of both": (share(mib=20_000, milli=300), 40_000, 500),
    "never nothing": (share(), 40_000, 1),
    "of unknown size": (share(mib=10_000, milli=300), -1, 300),
    "more than a card": (share(mib=80_000), 40_000, 2000),
}


@pytest.mark.parametrize(("asked", "memory_mib", "wanted"), SHARES.values(), ids=SHARES)
def test_share(asked, memory_mib, wanted):
    assert share_milli(demand_of(asked), np.array([memory_mib])).tolist() == [wanted]


WORKERS = [
    worker("large", cards=[gpu(0, memory_mib=80_000), gpu(1, memory_mib=40_000)]),
    worker("small", cards=[gpu(0, memory_mib=20_000, model="T4")], labels={"zone": "a"}),
    worker("tainted", cards=[gpu(0, memory_mib=40_000)], taints=(Taint("gpu", "NoSchedule"),)),
    worker("none"),
]
TOLERANT = {"tolerations": (Toleration("gpu", "Exists"),)}
NEEDS = {
    "the largest card counts": (share(mib=20_000), (250, 1000, None, None)),
    "too few cards are a matter of room": (wholes(2), (1000, 1000, None, None)),
    "a model": (wholes(rule=CardRule(models=("T4",))), (None, 1000, None, None)),
    "labels": (wholes(selector={"zone": "a"}), (None, 1000, None, None)),
    "tolerant": (wholes(**TOLERANT), (1000, 1000, 1000, None)),
    "no cards": (ask(), (0, 0, None, 0)),
}


@pytest.mark.parametrize(("asked", "wanted"), NEEDS.values(), ids=NEEDS)
def test_what_each_worker_must_give(asked, wanted):
    snapshot = Snapshot.load(WORKERS, ())
    rows = SimpleNamespace(**snapshot.table.columns, **snapshot.table.shared)
    found = needs_milli([demand_of(asked), demand_of(ask())], rows)
    places = [snapshot.row(each.name) for each in WORKERS]

    assert found[0][places].tolist() == [NEVER_MILLI if each is None else each for each in wanted]

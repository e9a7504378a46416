"""Which instances a worker gives: what exists first, then what disturbs least, and large rooms last."""

import numpy as np
import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.asks.siblings import Siblings
from bayplan.placement.cards.mig.instances import slice_loads
from bayplan.placement.decision.bookings import Devices
from fleets import CUT, FIXED, booking, instance
from unit.placement.builders import ask, gpu, hash_of, subject, worker

OFF = MigState(enabled=False, reconfigurable=True)
LOOSE = {"mig_slices": FrozenMap({"1g.5gb": 2})}
A80 = {"model": "A100-SXM4-80GB", "memory_mib": 81_920}


def slices(profile="1g.5gb", count=1, *, gpu_ids=None, **rule):
    return ask(taking=Taking.SLICES, shapes=(CardShape(count),), mig=profile, rule=CardRule(**rule), gpu_ids=gpu_ids)


def taken(asked, where, *held, order="tight", who=None):
    """The instances that a replica would get, as `INDEX:PROFILE@START`."""
    snapshot = Snapshot.load([where], [booking("x", *held)] if held else [])
    placed = Devices(snapshot, order).placed(asked, snapshot.table, 0, who or subject())
    return [f"{part.index}:{part.mig}" for part in placed.bookings[0].cards]


def exists(*slices_, reconfigurable=True):
    return MigState(True, reconfigurable, tuple(MigInstance(*each) for each in slices_))


CHOICES = {
    "what exists before what is made": (slices(), [gpu(mig=CUT), gpu(1, mig=FIXED)], {}, (), ["1:1g.5gb@6"]),
    "of no known card before what is made": (slices(), [gpu(mig=CUT)], LOOSE, (), ["None:1g.5gb"]),
    "what exists on a card before that": (slices(), [gpu(mig=FIXED)], LOOSE, (), ["0:1g.5gb@6"]),
    "a cut card before one that is not": (slices(), [gpu(mig=OFF), gpu(1, mig=CUT)], {}, (), ["1:1g.5gb@6"]),
    "a card that will be cut before another": (
        slices(), [gpu(mig=OFF), gpu(1, mig=OFF)], {}, (instance("1g.5gb", 6, index=1),), ["1:1g.5gb@5"],
    ),
    "the card where no large room is lost": (
        slices(), [gpu(mig=CUT), gpu(1, mig=CUT)], {}, (instance("1g.5gb", 6, index=1),), ["1:1g.5gb@5"],
    ),
    "a gap that nothing larger could use": (
        slices(), [gpu(mig=CUT), gpu(1, mig=CUT)], {},
        (instance("4g.20gb", 0), instance("4g.20gb", 0, index=1), instance("1g.5gb", 4, index=1)), ["1:1g.5gb@5"],
    ),
    "of equals the first": (slices("7g.40gb"), [gpu(mig=CUT), gpu(1, mig=CUT)], {}, (), ["0:7g.40gb@0"]),
    "several on one card": (
        slices("3g.20gb", 2), [gpu(mig=CUT), gpu(1, mig=CUT)], {}, (), ["0:3g.20gb@0", "0:3g.20gb@4"],
    ),
    "from everywhere": (
        slices(count=4), [gpu(mig=FIXED), gpu(1, mig=OFF)], LOOSE, (),
        ["0:1g.5gb@6", "1:1g.5gb@6", "None:1g.5gb", "None:1g.5gb"],
    ),
    "the preferred model before what exists": (
        slices("1g.10gb", models=("A100-SXM4-80GB", "A100-SXM4-40GB")),
        [gpu(mig=exists(("1g.10gb", 6))), gpu(1, mig=OFF, **A80)], {}, (), ["1:1g.10gb@6"],
    ),
    "the card that is named": (slices(gpu_ids=["a:cuda:1"]), [gpu(mig=CUT), gpu(1, mig=CUT)], {}, (), ["1:1g.5gb@6"]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "cards", "host", "held", "expected"), CHOICES.values(), ids=CHOICES)
def test_the_choice(asked, cards, host, held, expected):
    assert taken(asked, worker(cards=cards, **host), *held) == expected


def test_spread_takes_the_card_with_the_fewest_replicas():
    where = worker(cards=[gpu(mig=CUT), gpu(1, mig=CUT)])

    assert taken(slices(), where, instance("1g.5gb", 6), order="even") == ["1:1g.5gb@6"]
    assert taken(slices(count=2), where, order="even") == ["0:1g.5gb@6", "1:1g.5gb@6"]


def test_spread_keeps_clear_of_siblings_before_others():
    where = worker(cards=[gpu(mig=CUT), gpu(1, mig=CUT)])
    held = (instance("1g.5gb", 6), instance("1g.5gb", 5), instance("1g.5gb", 6, index=1))
    who = subject(siblings=Siblings.of({hash_of("a"): (1, {1: 1})}))

    assert taken(slices(), where, *held, order="even", who=who) == ["0:1g.5gb@4"]


def test_siblings_count_as_five():
    who = subject(siblings=Siblings.of({7: (2, {0: 1, 2: 2})}))

    assert slice_loads(who, np.array([7, 8]), np.array([[1, 3, 2], [1, 0, 0]])).tolist() == [[5, 3, 10], [1, 0, 0]]

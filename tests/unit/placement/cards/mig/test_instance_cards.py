"""The cards and the fullness that scorers see."""

import numpy as np
import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.cards.mig.instance_cards import READS, given, one_slice
from bayplan.placement.producers.slice_keys import SliceKeys
from fleets import CUT, FIXED, booking, instance
from unit.placement.builders import ask, gpu, look, worker


def slices(profile="1g.5gb", count=1, **rule):
    return ask(taking=Taking.SLICES, shapes=(CardShape(count),), mig=profile, rule=CardRule(**rule))


def rows_of(asked, *workers, held=()):
    snapshot = Snapshot.load(workers, [booking("x", *held)] if held else [])
    index = np.array([snapshot.row(each.name) for each in workers], np.intp)
    rows = look(asked, snapshot.table, index)
    for name in (*READS, *SliceKeys.reads):
        if name in snapshot.table.columns:
            setattr(rows, name, snapshot.table.columns[name][index])
    vars(rows).update(SliceKeys().produce(asked, rows, None))
    return rows


LOOSE = {"mig_slices": FrozenMap({"1g.5gb": 4})}

FULL = {
    "one of an idle card": (slices(), [gpu(mig=CUT)], {}, (), 1 / 8),
    "one of a fuller card": (slices(), [gpu(mig=CUT)], {}, (instance("4g.20gb", 0),), 1 / 4),
    "one that exists": (slices("3g.20gb"), [gpu(mig=FIXED)], {}, (), 4 / 7),
    "one of no known card": (slices(), [], LOOSE, (), 1 / 4),
    "two of one card": (slices("2g.10gb", 2), [gpu(mig=CUT)], {}, (), 1 / 2),
    "the fullest of two cards": (
        slices("3g.20gb", 3), [gpu(mig=CUT), gpu(1, mig=CUT)], {}, (instance("4g.20gb", 0),), 1,
    ),
    "on a card and on none": (slices(count=3), [gpu(mig=FIXED)], LOOSE, (), 2 / 4),
    "too few": (slices("3g.20gb", 3), [gpu(mig=CUT)], {}, (), 0),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "cards", "host", "held", "full"), FULL.values(), ids=FULL)
def test_fullness(asked, cards, host, held, full):
    found = given(asked, rows_of(asked, worker(cards=cards, **host), held=held))

    assert found.fullness[0] == pytest.approx(full, abs=1e-5)
    assert found.fits.tolist() == [full > 0]


@pytest.mark.parametrize(("cards", "host"), [([gpu(mig=CUT)], {}), ([gpu(mig=FIXED)], LOOSE), ([], LOOSE), ([], {})])
def test_the_short_way(cards, host):
    asked = slices()
    rows = rows_of(asked, worker(cards=cards, **host), worker("b", cards=2))
    fits, full = one_slice(asked, rows)
    found = given(asked, rows)

    assert fits.tolist() == found.fits.tolist()
    assert full.tolist() == found.fullness.tolist()


RANKS = {
    "the first model": (1, [gpu(mig=CUT), gpu(1, model="A100-SXM4-80GB", memory_mib=81_920, mig=CUT)], 0),
    "only the second": (1, [gpu(mig=CUT)], 1),
    "both": (9, [gpu(mig=CUT), gpu(1, model="A100-SXM4-80GB", memory_mib=81_920, mig=CUT)], 1),
    "neither": (1, [gpu()], -1),
}


@pytest.mark.parametrize(("count", "cards", "rank"), RANKS.values(), ids=RANKS)
def test_the_last_model_that_is_needed_counts(count, cards, rank):
    asked = slices("1g.10gb", count, models=("A100-SXM4-80GB", "A100-SXM4-40GB"))

    assert given(asked, rows_of(asked, worker(cards=cards))).rank.tolist() == [rank]

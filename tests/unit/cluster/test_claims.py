"""Rows without some of their bookings are what `after` says of each, whatever the bookings hold."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from bayplan.cluster import claims as claims_module
from bayplan.cluster.booking import CardBooking
from bayplan.cluster.claims import NOWHERE, Claims
from bayplan.cluster.columns import STATE_NAMES
from bayplan.cluster.mig import MigInstance
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.cluster.snapshot import Snapshot
from fleets import CUT, a100, after, booking, instance, share, whole, worker

SLICE = CardBooking(None, mig=MigInstance("1g.5gb", None))
WORKERS = [
    worker("a", [a100(0, observed_used_mib=30_000), a100(1, observed_used_mib=100), a100(2, mig=CUT)]),
    worker("b", 2, mig_slices={"1g.5gb": 3}),
    worker("c", [a100(0, numa=0), a100(1, numa=1)], numa=Numa(zones=(NumaZone(0), NumaZone(1)))),
]
BOOKINGS = [
    booking("m", share(0, 10_000, 300), cpu_milli=500, ram_mib=700),
    booking("n", share(0, 5_000, headroom_mib=800), whole(1)),
    booking("o", instance("1g.5gb", 0, 2), instance("2g.10gb", 2, 2)),
    booking("p", whole(0), on="b", ram_mib=9),
    booking("p", whole(0), on="b", replica=1, ram_mib=9),
    booking("q", SLICE, SLICE, on="b"),
    booking("r", whole(1), on="c", cpu_milli=100, ram_mib=200),
    booking("s", whole(7), on="c"),
]


def expected(snapshot, row, gone, table=None):
    return after(snapshot, row, released=gone, table=table, foreseen=True)


@pytest.mark.parametrize("most", [0, 1000], ids=["many kinds", "few kinds"])
@pytest.mark.parametrize("forked", [False, True], ids=["table", "fork"])
def test_as_if_released_one_by_one(forked, most, monkeypatch):
    monkeypatch.setattr(claims_module, "_MOST_COUNTS", most)
    snapshot = Snapshot.load(WORKERS, BOOKINGS)
    table = snapshot.table.fork() if forked else None
    if table is not None:
        extra = booking("x", share(1, 77), on="b")
        table.write(snapshot.row("b"), snapshot.after(snapshot.row("b"), booked=(extra,), foreseen=True))
    claims = Claims(snapshot, BOOKINGS)
    numbers = range(len(BOOKINGS))
    cases = [
        (snapshot.row(name), chosen)
        for name in "abc"
        for size in (0, 1, 2, 3)
        for chosen in combinations([each for each in numbers if BOOKINGS[each].worker == name], size)
    ]
    case = np.repeat(np.arange(len(cases)), [len(chosen) for _, chosen in cases])[::-1]
    claim = np.array([number for _, chosen in cases for number in chosen], np.intp)[::-1]

    columns = claims.without(np.array([row for row, _ in cases]), case, claim, table)

    for number, (row, chosen) in enumerate(cases):
        wanted = expected(snapshot, row, [BOOKINGS[each] for each in chosen], table)
        for name in STATE_NAMES:
            assert columns[name].dtype == snapshot.table.columns[name].dtype
            assert np.array_equal(columns[name][number], wanted[name]), (name, row, chosen)


def test_a_worker_that_is_not_there():
    snapshot = Snapshot.load(WORKERS, BOOKINGS)

    claims = Claims(snapshot, [replace(BOOKINGS[0], worker="gone"), BOOKINGS[3]])

    assert claims.rows.tolist() == [NOWHERE, snapshot.row("b")]


def test_only_the_columns_that_are_wanted():
    claims = Claims(Snapshot.load(WORKERS, BOOKINGS), BOOKINGS)
    nothing = np.zeros(0, np.intp)

    assert claims.without(np.array([0]), nothing, nothing, names=("ram_free_mib",)).keys() == {"ram_free_mib"}

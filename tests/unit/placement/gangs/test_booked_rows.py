"""Many rows with one more copy each, as bookings would make them."""

import numpy as np
import pytest

from bayplan.cluster.columns import STATE_NAMES
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.asks.subject import Subject
from bayplan.placement.gangs.booked_rows import BookedRows
from fleets import booking, share as held_share, whole
from unit.placement.builders import ask, gpu, planned_cluster, worker

ZONED = Numa(zones=(NumaZone(0, cpu_milli=8000, ram_mib=99), NumaZone(1, cpu_milli=8000, ram_mib=99)))
FLEET = [
    worker("plain", cards=4, cpu_milli=8000, ram_mib=99, resources=FrozenMap({"rdma/ib": 9})),
    worker(
        "seen", cards=[gpu(0, observed_used_mib=50), gpu(1, observed_used_mib=50), gpu(2)], cpu_milli=8000, ram_mib=99
    ),
    worker("zoned", cards=[gpu(0, numa=1), gpu(1, numa=1), gpu(2, numa=0)], cpu_milli=8000, ram_mib=99, numa=ZONED),
    worker("shared", cards=[gpu(0, places=4), gpu(1, places=7)], cpu_milli=8000, ram_mib=99),
]
HELD = [booking("o", held_share(0, 30), on="seen"), booking("o", whole(3), on="plain", replica=1)]
MEMORY = CardRule(needs_memory=True)

ASKS = {
    "a whole card": ask(taking=Taking.WHOLE, shapes=(CardShape(1),), cpu_milli=7, ram_mib=3),
    "two whole cards": ask(taking=Taking.WHOLE, shapes=(CardShape(2),), cpu_milli=7, ram_mib=3),
    "a share": ask(taking=Taking.SHARE, shapes=(CardShape(1, 100),), rule=MEMORY, ram_mib=3),
    "shares of two": ask(taking=Taking.SHARE, shapes=(CardShape(2, 100),), rule=MEMORY, compute_milli=300),
    "a share with headroom": ask(taking=Taking.SHARE, shapes=(CardShape(1, 100, headroom_mib=40),), rule=MEMORY),
    "places": ask(taking=Taking.PLACES, shapes=(CardShape(3),), cpu_milli=7),
    "no card": ask(cpu_milli=7),
    "a resource": ask(resources=FrozenMap({"rdma/ib": 3})),
}


def holds_twice(asked, name):
    if asked.taking is Taking.PLACES:
        return name == "shared"
    return name != "seen" or asked.taking is not Taking.WHOLE


@pytest.mark.parametrize("asked", ASKS.values(), ids=ASKS)
def test_two_copies_one_after_the_other(asked):
    ready = planned_cluster(*FLEET, bookings=HELD)
    snapshot, devices, subject = ready.snapshot, ready.strategies.devices("pack"), Subject("new")
    fork, index = snapshot.table.fork(), np.arange(len(FLEET))
    booked = BookedRows(snapshot.table, index)
    kept = np.array([holds_twice(asked, each.name) for each in snapshot.workers])
    index = index[kept]
    booked.keep(kept)
    for _ in range(1 if len(asked.shapes) and asked.shapes[0].cards == 2 else 2):
        booked.book(asked, "tight", subject)
        for row in index.tolist():
            (share,) = devices.placed(asked, fork, row, subject).shares
            fork.write(row, snapshot.after(row, booked=(share.booking,), table=fork, foreseen=True))
        there = fork.gather(STATE_NAMES, index)
        for name in STATE_NAMES:
            assert booked.columns[name].tolist() == there[name].tolist(), name


def test_the_table_stays_as_it_was():
    ready = planned_cluster(*FLEET, bookings=HELD)
    table = ready.snapshot.table
    before = {name: column.copy() for name, column in table.columns.items()}
    booked = BookedRows(table, np.arange(3))
    booked.book(ASKS["a share"], "tight", Subject("new"))

    assert booked.state["bookings"].sum() == table.columns["bookings"].sum() + 3
    assert all(np.array_equal(table.columns[name], column) for name, column in before.items())


def test_some_rows_are_forgotten():
    booked = BookedRows(planned_cluster(*FLEET).snapshot.table, np.arange(3))
    booked.keep(np.array([True, False, True]))

    assert booked.size == 2
    assert len(booked.gather(("bookings",), np.arange(2))["bookings"]) == 2

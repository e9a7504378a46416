"""Gangs of equal members, many at once."""

import pytest

from bayplan.cluster.topology import Level
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.gangs.equal_gangs import GangAsk, GangPlacer
from unit.placement.builders import ask, planned_cluster, worker
from unit.placement.gangs.racks import rack

CARD = ask(taking=Taking.WHOLE, shapes=(CardShape(1),), cpu_milli=1)
FLEET = [*rack("x", 2, cpu_milli=99), *rack("y", 2, 2, cpu_milli=99), worker("z", cards=9, cpu_milli=99)]


def gang(desired, minimum=None, level=Level.RACK, **others):
    return GangAsk("g", CARD, desired, minimum or desired, level, **others)


def racks_of(placed):
    return None if placed is None else [each.bookings[0].worker.split("-")[0] for each in placed.members]


GANGS = {
    "the tightest rack": ([gang(2)], [["x", "x"]]),
    "one after the other": ([gang(2), gang(3), gang(1)], [["x", "x"], ["y"] * 3, ["y"]]),
    "the second finds the first there": ([gang(4), gang(3)], [["y"] * 4, None]),
    "as many as there are": ([gang(9, 3)], [["y"] * 4]),
    "fewer than the minimum": ([gang(9, 5)], [None]),
    "more than there are anywhere": ([gang(16, level=None)], [None]),
}


@pytest.mark.parametrize(("gangs", "where"), GANGS.values(), ids=GANGS)
def test_where_they_go(gangs, where):
    found, _ = GangPlacer(planned_cluster(*FLEET).strategies, "pack").place_many(gangs)

    assert [racks_of(each) for each in found] == where


def test_anywhere():
    placed, _ = GangPlacer(planned_cluster(*FLEET).strategies, "pack").place(gang(15, level=None))

    assert sorted(racks_of(placed)) == ["x"] * 2 + ["y"] * 4 + ["z"] * 9


def test_what_each_member_books():
    placed, _ = GangPlacer(planned_cluster(*FLEET).strategies, "pack").place(gang(2, priority=7))

    bookings = [role.bookings[0] for role in placed.members]
    assert [(each.workload, each.replica, each.gang, each.priority) for each in bookings] == [
        ("g", 0, "g", 7), ("g", 1, "g", 7),
    ]  # fmt: skip
    assert [card.index for each in bookings for card in each.cards] == [0, 1]
    assert {each.cpu_milli for each in bookings} == {1}


def test_nothing_is_written_until_somebody_does():
    ready = planned_cluster(*FLEET)
    table = ready.snapshot.table
    _, writes = GangPlacer(ready.strategies, "pack").place(gang(2))

    assert table.columns["bookings"].sum() == 0
    writes.apply()
    assert table.columns["bookings"].sum() == 2


def test_no_racks_at_all():
    placed, writes = GangPlacer(planned_cluster(worker("a", cards=4, cpu_milli=9)).strategies, "pack").place(gang(1))

    assert placed is None
    assert not writes.taken

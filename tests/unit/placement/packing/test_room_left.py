"""What is free in thousandths of cards, and what is left after a demand."""

from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.packing.demand import demand_of
from bayplan.placement.packing.room_left import BOUNDLESS, Room, fits, needed, room_after, room_left, taken
from fleets import booking, share, whole
from unit.placement.builders import gpu, worker
from unit.placement.scorers.packed import part, percent, wholes


def rows_of(on, *bookings):
    table = Snapshot.load((on,), bookings).table
    return SimpleNamespace(size=1, **table.columns)


LEFT = {
    "idle": (worker(cards=2), (), [1000, 1000]),
    "held whole": (worker(cards=2), (booking("o", whole(1)),), [1000, 0]),
    "a share of memory": (worker(cards=2), (booking("o", share(0, 30_720)),), [250, 1000]),
    "a share of compute": (worker(cards=2), (booking("o", share(0, 10_240, 600)),), [400, 1000]),
    "of unknown size": (worker(cards=[gpu(0, memory_mib=None)]), (booking("o", share(0, None, 600)),), [400]),
    "not healthy": (worker(cards=[gpu(0, healthy=False), gpu(1)]), (), [0, 1000]),
}


@pytest.mark.parametrize(("on", "bookings", "wanted"), LEFT.values(), ids=LEFT)
def test_cards(on, bookings, wanted):
    assert room_left(rows_of(on, *bookings)).milli.tolist() == [wanted]


def test_hosts():
    known = room_left(rows_of(worker(cpu_milli=5000, ram_mib=100), booking("o", cpu_milli=1000, ram_mib=30)))
    unknown = room_left(rows_of(worker()))

    assert (known.cpu_milli.tolist(), known.ram_mib.tolist()) == ([4000], [70])
    assert (unknown.cpu_milli.tolist(), unknown.ram_mib.tolist()) == ([BOUNDLESS], [BOUNDLESS])


TAKEN = {
    "the fullest that suffices": (300, 1, [1000, 400, 200], [1000, 100, 200]),
    "equals by position": (300, 1, [500, 500], [200, 500]),
    "two of them": (300, 2, [1000, 400, 200], [700, 100, 200]),
    "too few: the freest give what they have": (300, 2, [400, 200, 100], [100, 0, 100]),
    "none asked": (300, 0, [400], [400]),
}


@pytest.mark.parametrize(("need", "cards", "free", "wanted"), TAKEN.values(), ids=TAKEN)
def test_what_is_taken(need, cards, free, wanted):
    room = Room(np.array([10]), np.array([5]), np.array([free]))
    left = taken(room, 4, 9, cards, np.array([need]))

    assert (left.cpu_milli.tolist(), left.ram_mib.tolist(), left.milli.tolist()) == ([6], [0], [wanted])
    assert room.milli.tolist() == [free]


FITS = {
    "all there": (10, 5, 2, True),
    "CPU": (11, 5, 2, False),
    "RAM": (10, 6, 2, False),
    "cards": (10, 5, 3, False),
}


@pytest.mark.parametrize(("cpu_milli", "ram_mib", "cards", "wanted"), FITS.values(), ids=FITS)
def test_fits(cpu_milli, ram_mib, cards, wanted):
    room = Room(np.array([10]), np.array([5]), np.array([[300, 400, 299]]))

    assert fits(room, cpu_milli, ram_mib, cards, np.array([300])).tolist() == [wanted]


AFTER = {
    "whole": (wholes(1, 2), [0, 1000], 3000),
    "memory": (part(10_240), [750, 1000], 5000),
    "compute": (percent(30), [700, 1000], 5000),
}


@pytest.mark.parametrize(("asked", "cards", "cpu_milli"), AFTER.values(), ids=AFTER)
def test_after_a_demand(asked, cards, cpu_milli):
    rows, demand = rows_of(worker(cards=2, cpu_milli=5000)), demand_of(asked)
    left = room_after(room_left(rows), demand, needed(demand, rows))

    assert (left.milli.tolist(), left.cpu_milli.tolist()) == ([cards], [cpu_milli])

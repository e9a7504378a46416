"""NUMA zones as columns, and what containers want of them."""

import numpy as np
import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.cards.numa.zones import BOUNDLESS, READS, ZoneDemand, any_strict, demands, together, zones_of
from fleets import booking, whole
from unit.placement.builders import worker
from unit.placement.numa_builders import pod, wants, zoned


class Rows:
    """All rows of a snapshot, in the order in which the workers are given."""

    def __init__(self, *workers, bookings=()):
        snapshot = Snapshot.load(workers, bookings)
        index = np.array([snapshot.row(each.name) for each in workers], np.intp)
        self.pools = snapshot.pools
        for name in READS:
            if name != "pools":
                setattr(self, name, snapshot.table.columns[name][index])


FREE = {
    "as they are": (zoned((3, 50), (2, 40), cards=[0, 1]), (), [3000, 2000], [50, 40]),
    "less what their cards' holders take": (
        zoned((3, 50), (2, 40), cards=[0, 1]), (booking("o", whole(1), cpu_milli=500, ram_mib=10),),
        [3000, 1500], [50, 30]),
    "never below nothing": (
        zoned((3, 50), (2, 40), cards=[0, 1]), (booking("o", whole(1), cpu_milli=9000),), [3000, 0], [50, 40]),
    "never more than the worker": (zoned((3, 50), (2, 40), cpu_milli=2500), (), [2500, 2000], [50, 40]),
    "nobody tells": (zoned((None, 50), (None, 40)), (), [BOUNDLESS, BOUNDLESS], [50, 40]),
    "nobody tells but the worker": (zoned((None, 50), (None, 40), cpu_milli=7000), (), [7000, 7000], [50, 40]),
    "one is silent": (zoned((None, 50), (2, None)), (), [0, 2000], [50, 0]),
}  # fmt: skip


@pytest.mark.parametrize(("on", "bookings", "cpu", "ram"), FREE.values(), ids=FREE)
def test_what_zones_have_free(on, bookings, cpu, ram):
    zones = zones_of(Rows(on, bookings=bookings))

    assert (zones.cpu_milli[0].tolist(), zones.ram_mib[0].tolist()) == (cpu, ram)


def test_workers_of_all_kinds_beside_each_other():
    zones = zones_of(Rows(zoned((1, 9), (1, 9), name="two", cards=[1, 0]), zoned((1, 9), name="one"), worker("none")))

    assert zones.there.tolist() == [[True, True], [True, False], [False, False]]
    assert zones.inside[0].tolist() == [[False, True], [True, False]]
    assert not zones.inside[2].any()
    assert zones.cards(np.ones((3, 2), np.bool_))[0].tolist() == [1, 1]


STRICT = {
    "nobody": ([worker()], False),
    "another policy": ([zoned((1, 9), policy="restricted")], False),
    "one of them": ([worker("x"), zoned((1, 9))], True),
}


@pytest.mark.parametrize(("workers", "strict"), STRICT.values(), ids=STRICT)
def test_whether_anybody_insists(workers, strict):
    assert any_strict(Snapshot.load(workers).pools) is strict


SHARE = {"taking": Taking.SHARE, "shapes": (CardShape(1, 10),)}

WANTED = {
    "a native workload": (wants(2, 5, 1), [(2000, 5, 1)]),
    "nothing": (wants(), [(0, 0, 0)]),
    "one container": (pod((2, 5, 1)), [(2000, 5, 1)]),
    "two": (pod((2, 5, 1), (1, 1)), [(2000, 5, 1), (1000, 1, 0)]),
    "two that share a card": (pod((2, 5, 1), (1, 1, 1), **SHARE), [(3000, 6, 1)]),
    "others among them": (
        pod((2, 5), (2, 5, 1), (4, 4), (1, 1, 1), **SHARE), [(2000, 5, 0), (3000, 6, 1), (4000, 4, 0)]),
    "one that has a share": (pod((2, 5), (1, 1, 1), **SHARE), [(2000, 5, 0), (1000, 1, 1)]),
    "not guaranteed": (pod((2, 5, 1), (1, 1), guaranteed=False), [(0, 0, 1), (0, 0, 0)]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "wanted"), WANTED.values(), ids=WANTED)
def test_what_containers_want(asked, wanted):
    cards = asked.shapes[0].cards if asked.shapes else 0

    assert [tuple(each) for each in demands(asked, cards)] == wanted


def test_what_all_containers_want():
    assert together(pod((2, 5, 1), (1, 1)), 1) == ZoneDemand(3000, 6, 1)
    assert together(pod((2, 5, 1), (1, 1), guaranteed=False), 1) == ZoneDemand(0, 0, 1)

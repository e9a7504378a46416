"""NUMA zones: distances, and when a worker insists on one zone."""

from __future__ import annotations

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.numa import UNKNOWN_DISTANCE, Numa, NumaZone, shared_zone
from bayplan.framework.errors import InputError

STRICT = {
    "single zone, zones known": (Numa("single-numa-node", zones=(NumaZone(0),)), True),
    "single zone, no zones known": (Numa("single-numa-node"), False),
    "best effort": (Numa("best-effort", zones=(NumaZone(0),)), False),
    "restricted": (Numa("restricted", zones=(NumaZone(0),)), False),
    "nothing told": (Numa(), False),
}


@pytest.mark.parametrize(("numa", "strict"), STRICT.values(), ids=STRICT)
def test_strict(numa, strict):
    assert numa.strict is strict


def test_a_worker_looks_at_containers_unless_it_says_otherwise():
    assert (Numa().policy, Numa().scope) == ("none", "container")


DISTANCES = {"itself": (0, 10), "the other": (1, 21), "nobody told": (2, UNKNOWN_DISTANCE)}


@pytest.mark.parametrize(("other", "distance"), DISTANCES.values(), ids=DISTANCES)
def test_distance(other, distance):
    assert NumaZone(0, distances=FrozenMap({0: 10, 1: 21})).distance(other) == distance


def test_an_unknown_distance_is_the_farthest():
    assert UNKNOWN_DISTANCE == 255


REFUSED = {
    "id": (lambda: NumaZone(-1), "id"),
    "cpu": (lambda: NumaZone(0, cpu_milli=-1), "cpu"),
    "ram": (lambda: NumaZone(0, ram_mib=-1), "ram"),
    "a zone twice": (lambda: Numa(zones=(NumaZone(0), NumaZone(1), NumaZone(0))), "zones[2].id"),
}


@pytest.mark.parametrize(("make", "place"), REFUSED.values(), ids=REFUSED)
def test_zones_that_cannot_be_are_refused(make, place):
    with pytest.raises(InputError) as caught:
        make()

    assert caught.value.place == place
    assert caught.value.next


SHARED = {
    "one zone": ([0, 0], 0),
    "another": ([1], 1),
    "two zones": ([0, 1], None),
    "one is not told": ([0, None], None),
    "none is told": ([None], None),
    "as columns say it": ([-1, -1], None),
    "no cards": ([], None),
}


@pytest.mark.parametrize(("zones", "shared"), SHARED.values(), ids=SHARED)
def test_the_zone_that_cards_share(zones, shared):
    assert shared_zone(zones) == shared

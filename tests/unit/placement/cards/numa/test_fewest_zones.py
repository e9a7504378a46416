"""How few zones hold a request, by hand."""

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.placement.cards.numa.fewest_zones import fewest_score


def numa(*distances, ids=None):
    """Zones with so far to the others; with no distances at all, two zones."""
    lists = distances or ((), ())
    named = ids or range(len(lists))
    return Numa(zones=tuple(_zone(each, row, named) for each, row in zip(named, lists, strict=True)))


def _zone(number, row, named):
    return NumaZone(number, distances=FrozenMap(dict(zip(named, row, strict=False))))


FOUR = numa((10, 12, 20, 20), (12, 10, 20, 20), (20, 20, 10, 12), (20, 20, 12, 10))
EIGHT = numa(*([10 if one == other else 20 for other in range(8)] for one in range(8)))

SCORES = {
    "one zone": (FOUR, [(2, 50, 1)] * 4, [(2, 50, 1)], 0.94),
    "one zone of many": (FOUR, [(0, 0, 0)] * 3 + [(2, 50, 1)], [(2, 50, 1)], 0.94),
    "two that are near": (FOUR, [(2, 50, 1)] * 4, [(4, 50, 1)], 0.82),
    "two that are far": (FOUR, [(2, 50, 1), (1, 50, 0), (2, 50, 1), (1, 50, 0)], [(2, 50, 2)], 0.76),
    "by RAM": (FOUR, [(9, 50, 0)] * 4, [(1, 99, 0)], 0.82),
    "three": (FOUR, [(1, 1, 1)] * 4, [(3, 1, 0)], 0.70),
    "all of eight": (EIGHT, [(1, 1, 1)] * 8, [(8, 0, 0)], 0.10),
    "more than there is": (FOUR, [(1, 1, 1)] * 4, [(5, 0, 0)], 0.0),
    "unknown distances are all alike": (numa(), [(1, 1, 1)] * 2, [(2, 0, 0)], 0.82),
    "a zone that is nearer to itself": (numa((10, 50), (50, 90)), [(0, 0, 0), (5, 5, 5)], [(1, 1, 1)], 0.88),
    "nothing": (FOUR, [(0, 0, 0)] * 4, [(0, 0, 0)], 0.94),
    "each container on its own": (FOUR, [(2, 50, 0)] * 4, [(2, 50, 0)] * 4, 0.94),
    "the worst container counts": (FOUR, [(2, 50, 0)] * 4, [(2, 50, 0), (4, 50, 0)], 0.82),
    "what the first took is gone": (numa(), [(3, 9, 0)] * 2, [(2, 1, 0), (2, 1, 0), (2, 1, 0)], 0.82),
    "the last finds nothing": (numa(), [(3, 9, 0)] * 2, [(3, 1, 0), (3, 1, 0), (1, 1, 0)], 0.0),
    "no containers": (FOUR, [(0, 0, 0)] * 4, [], 1.0),
}  # fmt: skip


@pytest.mark.parametrize(("zones", "free", "wanted", "score"), SCORES.values(), ids=SCORES)
def test_score(zones, free, wanted, score):
    assert fewest_score(zones, free, wanted) == pytest.approx(score)


def test_zones_stand_in_the_order_of_their_ids():
    """The free amounts follow the ids, however the zones are listed."""
    listed = Numa(zones=FOUR.zones[::-1])
    free = [(2, 50, 1), (2, 50, 0), (0, 0, 1), (0, 0, 0)]

    assert fewest_score(listed, free, [(4, 1, 0)]) == fewest_score(FOUR, free, [(4, 1, 0)]) == 0.82


def test_with_many_zones_the_roomiest_are_taken():
    """Of 24 zones there are too many sets of five to compare: no set is called the nearest."""
    many = numa(*([10 if one == other else 20 + one for other in range(24)] for one in range(24)))

    assert fewest_score(many, [(1, 1, 0)] * 24, [(5, 1, 0)]) == pytest.approx(0.40)
    assert fewest_score(many, [(1, 1, 0)] * 24, [(9, 1, 0)]) == 0.0
    assert fewest_score(many, [(1, 1, 0)] * 24, [(25, 1, 0)]) == 0.0

"""Many paths at once are as near as each by itself."""

import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.topology import CLOSENESS, LEVELS, TopologyPath
from bayplan.placement.factors.nearness import nearest, undecided

NAME = st.sampled_from([None, "x", "y"])
PATHS = st.lists(st.builds(TopologyPath, NAME, NAME, NAME, NAME, NAME), max_size=6)


def closeness(one, other):
    """Of the innermost level that both share: where both name a level and differ, nothing below it is shared."""
    near = 0.0
    for level, mine, theirs in zip(LEVELS, one.names, other.names, strict=True):
        if mine is not None and theirs is not None:
            if mine != theirs:
                break
            near = CLOSENESS[level]
    return near


HOME = TopologyPath("eu", "eu-1", "b1", "k1", "n1")
NEAR = {
    "all": (HOME, HOME, 0.8),
    "the rack": (HOME, TopologyPath("eu", "eu-1", "b1", "k1", "n2"), 0.8),
    "the block": (HOME, TopologyPath("eu", "eu-1", "b1", "k2", "n1"), 0.6),
    "the zone": (HOME, TopologyPath("eu", "eu-1", "b2", "k1"), 0.4),
    "the region": (HOME, TopologyPath("eu", "eu-2", "b1", "k1"), 0.2),
    "nothing": (HOME, TopologyPath("us", "eu-1", "b1", "k1"), 0.0),
    "a rack, with nothing above it named": (TopologyPath(rack="k1"), HOME, 0.8),
    "a zone, the other's region unnamed": (TopologyPath(zone="eu-1"), HOME, 0.4),
    "one is not known": (TopologyPath(), HOME, 0.0),
    "neither is known": (TopologyPath(), TopologyPath(), 0.0),
    "a level in between unnamed": (TopologyPath("eu", "eu-1", None, "k1"), HOME, 0.8),
}


@pytest.mark.parametrize(("one", "other", "near"), NEAR.values(), ids=NEAR)
def test_how_near_two_workers_are(one, other, near):
    assert nearest([one], [other]).tolist() == nearest([other], [one]).tolist() == [near]


@given(PATHS, PATHS)
def test_as_each_by_itself(paths, places):
    alone = [max((closeness(path, place) for place in places), default=0.0) for path in paths]

    assert nearest(paths, places).tolist() == alone


@given(PATHS, PATHS)
def test_what_is_undecided_by_itself(paths, places):
    def open_levels(path, place):
        for level, mine, theirs in zip(LEVELS, path.names, place.names, strict=True):
            if mine is not None and theirs is not None and mine != theirs:
                return
            if (mine is None) != (theirs is None) or not any(path.names + place.names):
                yield level

    for path, found in zip(paths, undecided(paths, places), strict=True):
        near = max((closeness(path, place) for place in places), default=0.0)
        levels = {level for place in places for level in open_levels(path, place) if CLOSENESS[level] > near}
        assert found == min(levels, key=LEVELS.index, default=None)


def test_thousands_of_both():
    """Ten seconds of comparing each with each."""
    paths = [TopologyPath("r", f"z{number % 3}", f"b{number % 30}", f"k{number}") for number in range(4000)]

    assert set(nearest(paths[::2], paths[1::2]).tolist()) == {0.4}
    assert set(undecided(paths[::2], paths[1::2])) == {None}

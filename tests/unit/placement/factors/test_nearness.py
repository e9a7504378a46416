"""Many paths at once are as near as each by itself."""

from hypothesis import given, strategies as st

from bayplan.cluster.topology import CLOSENESS, LEVELS, TopologyPath
from bayplan.placement.factors.nearness import nearest, undecided

NAME = st.sampled_from([None, "x", "y"])
PATHS = st.lists(st.builds(TopologyPath, NAME, NAME, NAME, NAME, NAME), max_size=6)


@given(PATHS, PATHS)
def test_as_each_by_itself(paths, places):
    alone = [max((path.closeness(place) for place in places), default=0.0) for path in paths]

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
        near = max((path.closeness(place) for place in places), default=0.0)
        levels = {level for place in places for level in open_levels(path, place) if CLOSENESS[level] > near}
        assert found == min(levels, key=LEVELS.index, default=None)


def test_thousands_of_both():
    """Ten seconds of comparing each with each."""
    paths = [TopologyPath("r", f"z{number % 3}", f"b{number % 30}", f"k{number}") for number in range(4000)]

    assert set(nearest(paths[::2], paths[1::2]).tolist()) == {0.4}
    assert set(undecided(paths[::2], paths[1::2])) == {None}

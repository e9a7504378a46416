"""Many paths at once are as near as each by itself."""

from hypothesis import given, strategies as st

from bayplan.cluster.topology import TopologyPath
from bayplan.placement.nearness import nearest

NAME = st.sampled_from([None, "x", "y"])
PATHS = st.lists(st.builds(TopologyPath, NAME, NAME, NAME, NAME, NAME), max_size=6)


@given(PATHS, PATHS)
def test_as_each_by_itself(paths, places):
    alone = [max((path.closeness(place) for place in places), default=0.0) for path in paths]

    assert nearest(paths, places).tolist() == alone


def test_thousands_of_both():
    """Ten seconds of comparing each with each."""
    paths = [TopologyPath("r", f"z{number % 3}", f"b{number % 30}", f"k{number}") for number in range(4000)]

    assert set(nearest(paths[::2], paths[1::2]).tolist()) == {0.4}

"""Where workers stand, what they share, and how they are ordered."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.topology import LEVELS, NOWHERE, SAME_WORKER, Level, TopologyPath

HOME = TopologyPath("eu", "eu-1", "b1", "k1", "n1")

DOMAINS = {
    "region": (Level.REGION, ("eu",)),
    "zone": (Level.ZONE, ("eu", "eu-1")),
    "rack": (Level.RACK, ("eu", "eu-1", "b1", "k1")),
    "nvlink domain": (Level.NVLINK_DOMAIN, ("eu", "eu-1", "b1", "k1", "n1")),
}


@pytest.mark.parametrize(("level", "names"), DOMAINS.values(), ids=DOMAINS)
def test_a_domain_is_all_names_down_to_its_level(level, names):
    assert HOME.domain(level) == names


def test_a_level_without_a_name_is_no_domain():
    path = TopologyPath(zone="a", rack="k1")

    assert [path.domain(level) for level in LEVELS] == [
        None,
        (None, "a"),
        None,
        (None, "a", None, "k1"),
        None,
    ]


def test_levels_go_from_the_outside_in():
    assert [(str(level), level.depth) for level in LEVELS] == [
        ("region", 0),
        ("zone", 1),
        ("block", 2),
        ("rack", 3),
        ("nvlink-domain", 4),
    ]


NAMES = st.none() | st.sampled_from(["", "a", "b"])
PATHS = st.builds(TopologyPath, NAMES, NAMES, NAMES, NAMES, NAMES)


@given(st.lists(PATHS, max_size=30))
def test_sorted_workers_make_every_domain_one_slice(paths):
    ordered = sorted(paths, key=lambda path: path.sort_key)

    for level in LEVELS:
        runs = [key for key, _ in groupby(path.domain(level) for path in ordered) if key is not None]
        assert len(runs) == len(set(runs))


def test_nothing_is_closer_than_the_same_worker():
    assert SAME_WORKER == 1.0


def test_what_has_no_name_comes_last_in_its_parent():
    paths = [TopologyPath("b"), NOWHERE, TopologyPath("a", None, None, "k1"), TopologyPath("a", "z"), TopologyPath("a")]

    ordered = sorted(paths, key=lambda path: path.sort_key)

    assert ordered == [paths[3], paths[2], paths[4], paths[0], paths[1]]

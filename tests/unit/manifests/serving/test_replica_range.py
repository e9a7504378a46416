"""How many replicas Models and Servers ask for, and limits that contradict each other."""

from __future__ import annotations

import pytest

from bayplan.manifests.serving.replica_range import ReplicaRange, read_replica_range
from unit.manifests.opened import opened, places

# replicas, minReplicas, maxReplicas; how many are wanted, or the field that is wrong
SCALING = {
    "nothing given": ((None, None, None), 1),
    "replicas alone": ((2, None, None), 2),
    "no replicas": ((0, None, None), 0),
    "a minimum alone": ((None, 3, None), 3),
    "a minimum of 0": ((None, 0, None), 1),
    "a maximum alone": ((None, None, 4), 1),
    "within both": ((2, 1, 3), 2),
    "at the minimum": ((1, 1, 3), 1),
    "at the maximum": ((3, 1, 3), 3),
    "a maximum of 0 is none": ((9, 1, 0), 9),
    "below the minimum": ((1, 2, 3), "replicas"),
    "above the maximum": ((4, 1, 3), "replicas"),
    "the limits cross": ((3, 3, 2), "minReplicas"),
}


@pytest.mark.parametrize(("given", "wanted"), SCALING.values(), ids=SCALING)
def test_replicas(given, wanted):
    fields = opened(dict(zip(("replicas", "minReplicas", "maxReplicas"), given, strict=True)))
    found = read_replica_range(fields)

    if isinstance(wanted, str):
        assert places(fields) == [wanted]
    else:
        assert (places(fields), found.wanted) == ([], wanted)


def test_the_range():
    assert read_replica_range(opened({"minReplicas": 2, "maxReplicas": 4})) == ReplicaRange(2, 2, 4)
    assert read_replica_range(opened({"minReplicas": 0})) == ReplicaRange(1, 0, None)

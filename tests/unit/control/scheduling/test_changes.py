import copy

import pytest

from bayplan.control.scheduling.changes import asks_anew, pending_since, same_spec
from unit.control.scheduling.scheduler import pod, workload


def changed(document, **parts):
    found = copy.deepcopy(document)
    for name, value in parts.items():
        found[name] = {**found.get(name, {}), **value}
    return found


PENDING = pod("p")
ANEW = {
    "it is new": (None, PENDING, True),
    "it had a place": (pod("p", nodeName="a"), PENDING, True),
    "a gate was removed": (pod("p", schedulingGates=[{"name": "g"}]), PENDING, True),
    "another demand": (PENDING, pod("p", 2), True),
    "another label": (PENDING, changed(PENDING, metadata={"labels": {"a": "b"}}), True),
    "another condition": (PENDING, changed(PENDING, status={"conditions": [{"type": "PodScheduled"}]}), False),
    "another annotation": (PENDING, changed(PENDING, metadata={"annotations": {"a": "b"}}), False),
    "nothing": (PENDING, copy.deepcopy(PENDING), False),
}


@pytest.mark.parametrize(("old", "new", "expected"), ANEW.values(), ids=ANEW)
def test_whether_a_pod_asks_for_something_new(old, new, expected):
    assert asks_anew(old, new) is expected


def test_whether_an_owner_asks_for_something_new():
    old = workload("w", 2)

    assert same_spec(old, changed(old, status={"replicas": 2}))
    assert not same_spec(old, workload("w", 3))
    assert not same_spec(None, old)
    assert not same_spec(old, None)


NOW = 1_767_225_600.0
SINCE = {
    "created long ago": ("2025-12-31T23:00:00Z", NOW - 3599.0),
    "created just now": ("2026-01-01T00:00:00Z", NOW),
    "created by a clock that is ahead": ("2026-01-01T01:00:00Z", NOW),
    "no time": (None, NOW),
    "nonsense": ("yesterday", NOW),
}


@pytest.mark.parametrize(("created", "expected"), SINCE.values(), ids=SINCE)
def test_since_when_a_pod_waits(created, expected):
    document = changed(PENDING, metadata={"creationTimestamp": created})

    assert pending_since(document, NOW) == expected

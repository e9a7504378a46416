import pytest

from bayplan.control.store import Collection, Deletion, Key, Propagation, Stored
from bayplan.control.store_errors import ForbiddenError, StaleError
from bayplan.stores.deletion import check_preconditions, deleted_object, may_go

PODS, POOLS = Key(Collection("", "pods"), "d", "x"), Key(Collection("g", "pools"), "d", "x")
NAMESPACE = Key(Collection("", "namespaces", namespaced=False), "", "x")
BOUND = {"spec": {"nodeName": "n"}}


def held(*finalizers, **metadata):
    return {
        "metadata": {
            "uid": "u",
            "generation": 1,
            **({"finalizers": list(finalizers)} if finalizers else {}),
            **metadata,
        }
    }


def marked(*finalizers, grace_s=0, **metadata):
    return held(*finalizers, deletionTimestamp=f"+{grace_s}", deletionGracePeriodSeconds=grace_s, **metadata)


FOREGROUND, ORPHAN = Deletion(Propagation.FOREGROUND), Deletion(Propagation.ORPHAN)
CASES = {
    "nothing holds it": (POOLS, Deletion(), held(), None),
    "a finalizer holds it": (POOLS, Deletion(), held("a"), marked("a", generation=2)),
    "in the foreground": (POOLS, FOREGROUND, held(), marked("foregroundDeletion", generation=2)),
    "orphans": (POOLS, ORPHAN, held("a"), marked("a", "orphan", generation=2)),
    "a second wish replaces the first": (POOLS, ORPHAN, marked("foregroundDeletion"), marked("orphan")),
    "it no longer waits": (POOLS, Deletion(), marked("foregroundDeletion"), None),
    "nothing new": (POOLS, Deletion(), marked("a"), marked("a")),
    "a Pod without a node": (PODS, Deletion(grace_s=30), held(), None),
    "a Pod with a node": (PODS, Deletion(grace_s=5), held() | BOUND, marked(grace_s=5, generation=2) | BOUND),
    "less time": (PODS, Deletion(grace_s=5), marked(grace_s=9) | BOUND, marked(grace_s=5) | BOUND),
    "more time": (PODS, Deletion(grace_s=99), marked(grace_s=9) | BOUND, marked(grace_s=9) | BOUND),
    "no time": (PODS, Deletion(grace_s=0), marked(grace_s=9) | BOUND, None),
    "a Pod that has ended": (PODS, Deletion(grace_s=5), held() | BOUND | {"status": {"phase": "Failed"}}, None),
}  # fmt: skip


@pytest.mark.parametrize(("key", "wish", "old", "expected"), CASES.values(), ids=CASES)
def test_deletions(key, wish, old, expected):
    outcome = deleted_object(key, wish, old, lambda seconds: f"+{seconds}")

    assert outcome.gone is (expected is None)
    assert outcome.document == (old if expected is None else expected)


def test_a_namespace_ends_when_its_own_finalizers_are_gone():
    full = held() | {"kind": "Namespace", "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
    outcome = deleted_object(NAMESPACE, Deletion(), full, lambda seconds: f"+{seconds}")

    assert (outcome.gone, outcome.document["status"]) == (False, {"phase": "Terminating"})
    assert may_go(outcome.document | {"spec": {}})


def test_what_is_not_being_deleted_stays():
    assert not may_go(held())


REFUSED = {
    "another life": (POOLS, Deletion(uid="v"), StaleError),
    "another revision": (POOLS, Deletion(revision=6), StaleError),
    "a namespace that must stay": (Key(NAMESPACE.collection, "", "kube-system"), Deletion(), ForbiddenError),
}


@pytest.mark.parametrize(("key", "wish", "error"), REFUSED.values(), ids=REFUSED)
def test_preconditions(key, wish, error):
    with pytest.raises(error):
        check_preconditions(key, wish, Stored(b"", 7), held())
    check_preconditions(POOLS, Deletion(uid="u", revision=7), Stored(b"", 7), held())

import pytest

from unit.library.invariants.cluster_objects import booking, node, owned, pod, verdict


def replica(name, number, owner="d", **said):
    return pod(name, annotations=booking(owner, int(number)), **said)


INDEX = {"batch.kubernetes.io/job-completion-index": "0"}
HOLDS = {
    "two replicas": [replica("a", "0"), replica("b", "1")],
    "the same number of two owners": [replica("a", "0"), replica("b", "0", owner="e")],
    "a successor of one that is being deleted": [
        pod("a", deletionTimestamp="2026-01-01T00:00:00Z", **owned("Job", "d", labels=INDEX)),
        pod("b", **owned("Job", "d", labels=INDEX)),
    ],
    "a successor of one that ended": [replica("a", "0", phase="Failed"), replica("b", "0")],
    "a replica over two workers": [replica("a", "0"), replica("b", "0", on="m", labels={"bayplan.io/shard": "a"})],
    "Pods without a number": [pod("a", **owned("ReplicaSet", "d")), pod("b", **owned("ReplicaSet", "d"))],
}


@pytest.mark.parametrize("pods", HOLDS.values(), ids=HOLDS)
def test_bound_once(pods):
    assert verdict("I2", node(), node("m"), *pods).ok is True


def test_a_replica_that_is_bound_twice():
    found = verdict("I2", node(), node("m"), replica("a", "2"), replica("b", "2", on="m"))

    assert found.violations == ("replica d#2: is bound 2 times: Pod default/a on n, Pod default/b on m",)


@pytest.mark.parametrize("label", ["apps.kubernetes.io/pod-index", "batch.kubernetes.io/job-completion-index"])
def test_a_replica_of_kubernetes_that_is_bound_twice(label):
    pods = (pod(name, on=on, **owned("StatefulSet", "d", labels={label: "3"})) for name, on in (("a", "n"), ("b", "m")))

    found = verdict("I2", node(), node("m"), *pods)
    assert found.violations == (
        "replica 3 of StatefulSet default/d: is bound 2 times: Pod default/a on n, Pod default/b on m",
    )


def test_an_object_that_is_there_twice():
    assert verdict("I2", node(), pod("a"), pod("a", on="m")).ok is False


def test_a_booking_that_is_there_twice():
    held = {"workload": "w", "replica": 0, "worker": "x"}
    cluster = {"kind": "Cluster", "metadata": {"name": "c"}, "workers": [{"name": "x"}], "bookings": [held, held]}

    assert verdict("I2", cluster).violations == ("replica w#0: has 2 bookings on worker x",)

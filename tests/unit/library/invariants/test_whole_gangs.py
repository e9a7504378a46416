import pytest

from unit.library.invariants.cluster_objects import node, owned, pod, verdict

GROUP = {
    "apiVersion": "scheduling.x-k8s.io/v1alpha1",
    "kind": "PodGroup",
    "metadata": {"name": "g", "namespace": "default"},
    "spec": {"minMember": 3},
}
POOL = {
    "apiVersion": "neuronetes.io/v1alpha1",
    "kind": "AgentPool",
    "metadata": {"name": "g", "namespace": "default"},
    "spec": {
        "agentClassRef": {"name": "c"},
        "minReplicas": 2,
        "maxReplicas": 4,
        "gpuRequirements": {"count": 1},
        "scheduling": {"gangScheduling": {"enabled": True, "minAvailable": 2}},
    },
}
LABEL = {"scheduling.x-k8s.io/pod-group": "g"}
DELETED = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def members(count, **said):
    return [pod(f"m{number}", labels=LABEL, **said) for number in range(count)]


def replicas(count):
    return [pod(f"r{number}", **owned("AgentPool", "g", "neuronetes.io/v1alpha1")) for number in range(count)]


HOLDS = {
    "none is bound": [GROUP, *members(3, on="")],
    "all are bound": [GROUP, *members(3)],
    "more than the minimum": [GROUP, *members(5)],
    "one has ended": [GROUP, *members(2), pod("x", labels=LABEL, phase="Succeeded")],
    "it is being taken back": [GROUP, *members(1), pod("x", labels=LABEL, **DELETED)],
    "a Pod of the same name is no member": [GROUP, pod("g")],
    "of another namespace": [GROUP, pod("x", labels=LABEL, namespace="other")],
    "a workload that is a gang": [POOL, *replicas(2)],
    "a launcher is no member": [
        POOL,
        pod("l", labels={"bayplan.io/role": "launcher"}, **owned("AgentPool", "g", "neuronetes.io/v1alpha1")),
    ],
    "a workload of the group's name": [GROUP, POOL, *replicas(2)],
}

IN_PART = {
    "some members": ([GROUP, *members(2), pod("x", on="", labels=LABEL)],
        "PodGroup default/g: 2 members are bound, it needs 3"),
    "a workload that is a gang": ([POOL, *replicas(1)], "AgentPool default/g: 1 members are bound, it needs 2"),
}  # fmt: skip


def timed(name, made, bound="", **said):
    """A member that says when it was made and bound, in seconds."""
    found = pod(name, on="a" if bound else "", labels=LABEL, creationTimestamp=f"2026-01-01T00:00:0{made}Z", **said)
    at = {"type": "PodScheduled", "status": "True", "lastTransitionTime": f"2026-01-01T00:00:0{bound}Z"}
    return found | {"status": {"phase": "Running" if bound else "Pending", "conditions": [at] if bound else []}}


TWO = [GROUP, timed("a", 1, 2), timed("b", 1, 2)]
INCOMPLETE = {
    "a member came later": [*TWO, timed("c", 3)],
    "a member came in the same second, before or after": [*TWO, timed("c", 2)],
    "a member went": TWO,
}


@pytest.mark.parametrize("objects", INCOMPLETE.values(), ids=INCOMPLETE)
def test_a_gang_that_became_incomplete_is_not_judged(objects):
    found = verdict("I3", node(), *objects)

    assert found.ok is None
    assert found.reason.startswith("PodGroup default/g: 2 members are bound, it needs 3; members went or came")


def test_a_member_that_was_passed_over():
    assert verdict("I3", node(), *TWO, timed("c", 1)).ok is False


@pytest.mark.parametrize("objects", HOLDS.values(), ids=HOLDS)
def test_whole_or_not_at_all(objects):
    assert verdict("I3", node(), *objects).ok is True


@pytest.mark.parametrize(("objects", "violation"), IN_PART.values(), ids=IN_PART)
def test_bound_in_part(objects, violation):
    assert verdict("I3", node(), *objects).violations == (violation,)


def test_no_gang_is_no_yes():
    assert verdict("I3", node(), pod("a")).ok is None


def test_gangs_are_judged_where_the_cluster_cannot_be_read():
    assert verdict("I3", node(), node(), GROUP, *members(1)).ok is False

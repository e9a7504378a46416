"""Whose replicas the Pods of an inventory are."""

from __future__ import annotations

import pytest

from bayplan.framework.errors import InputError
from unit.manifests.inventory.builders import node, read

UID = "754cca77-ac95-4b00-8f8b-f2d39f4e4804"
LWS = "leaderworkerset.sigs.k8s.io/"


def reference(kind, name, version="apps/v1"):
    return {"apiVersion": version, "kind": kind, "name": name, "controller": True, "uid": "u"}


def pod(name, *owners, labels=None, annotations=None, spec=None, **metadata):
    metadata = {"name": name, "labels": labels or {}, "annotations": annotations or {}, **metadata}
    if owners:
        metadata["ownerReferences"] = list(owners)
    containers = [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    return {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "n", "containers": containers, **(spec or {})}}


def thing(kind, name, version="apps/v1", owner=None, **metadata):
    owners = {} if owner is None else {"ownerReferences": [owner]}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **owners, **metadata}, "spec": {}}


def booked(*objects):
    found = read(node("n", gpu="8"), *objects).cluster.bookings
    return [(each.namespace, each.workload, each.replica, each.gang) for each in found]


SET = reference("ReplicaSet", "vllm-7c9f")
DEPLOYMENT = reference("Deployment", "vllm")
TORCH = reference("PyTorchJob", "t", "kubeflow.org/v1")
VOLCANO = reference("Job", "v", "batch.volcano.sh/v1alpha1")
GROUP = "scheduling.k8s.io/group-name"

ONE = {
    "nobody's": ((pod("p"),), ("p", None)),
    "a set that is not there": ((pod("p", SET, labels={"pod-template-hash": "7c9f"}),), ("vllm", None)),
    "a set without the hash": ((pod("p", SET),), ("vllm-7c9f", None)),
    "a set that is there": ((pod("p", SET), thing("ReplicaSet", "vllm-7c9f", owner=DEPLOYMENT)), ("vllm", None)),
    "a CronJob": (
        (
            pod("p", reference("Job", "c-1", "batch/v1")),
            thing("Job", "c-1", "batch/v1", reference("CronJob", "c", "batch/v1")),
        ),
        ("c", None),
    ),
    "a DaemonSet": ((pod("p", reference("DaemonSet", "ds")),), ("ds", None)),
    "a kind that nobody here knows": ((pod("p", reference("Rollout", "r", "argoproj.io/v1")),), ("r", None)),
    "a static Pod": ((pod("p", reference("Node", "n", "v1")),), ("p", None)),
    "a gang": ((pod("p", TORCH),), ("t", "t")),
    "a cluster of Ray for a service": (
        (
            pod("p", reference("RayCluster", "r-x1", "ray.io/v1")),
            thing("RayCluster", "r-x1", "ray.io/v1", reference("RayService", "r", "ray.io/v1")),
        ),
        ("r", "r"),
    ),
    "a group of leader and workers": (
        (pod("p", reference("StatefulSet", "v"), labels={LWS + "name": "v", LWS + "group-index": "1"}),),
        ("v-1", "v-1"),
    ),
    "a JobSet": (
        (pod("p", reference("Job", "js-w-0", "batch/v1"), labels={"jobset.sigs.k8s.io/jobset-name": "js"}),),
        ("js", "js"),
    ),
    "KServe": ((pod("p", SET, labels={"serving.kserve.io/inferenceservice": "k"}),), ("k", None)),
    "the label of a group goes first": ((pod("p", SET, labels={"scheduling.x-k8s.io/pod-group": "g"}),), ("g", "g")),
    "the annotation of a group": ((pod("p", annotations={GROUP: "g"}),), ("g", "g")),
    "the annotation of KAI": ((pod("p", SET, annotations={"pod-group-name": "pg"}),), ("pg", "pg")),
    "a group that Volcano made": ((pod("p", VOLCANO, annotations={GROUP: f"v-{UID}"}),), ("v", "v")),
    "a group that KAI made for a Pod": ((pod("p", annotations={"pod-group-name": f"pg-p-{UID}"}),), ("p", None)),
    "a group that is its controller's": (
        (
            pod("p", VOLCANO, annotations={GROUP: "v-group"}),
            thing("PodGroup", "v-group", "scheduling.volcano.sh/v1beta1", VOLCANO),
        ),
        ("v", "v"),
    ),
    "a group that is nobody's": (
        (pod("p", SET, annotations={GROUP: "g"}), thing("PodGroup", "g", "scheduling.volcano.sh/v1beta1")),
        ("g", "g"),
    ),
}


@pytest.mark.parametrize(("objects", "whose"), ONE.values(), ids=ONE)
def test_whose_a_pod_is(objects, whose):
    workload, gang = whose

    assert booked(*objects) == [("default", workload, 0, gang)]


def test_replicas_are_numbered_in_the_order_of_the_documents():
    labels = {"pod-template-hash": "7c9f"}
    pods = [pod(name, SET, labels=labels) for name in ("b", "a")]

    assert booked(*pods, pod("x"), pod("c", SET, labels=labels)) == [
        ("default", "vllm", 0, None),
        ("default", "vllm", 1, None),
        ("default", "x", 0, None),
        ("default", "vllm", 2, None),
    ]


def test_owners_of_another_namespace_are_others():
    objects = thing("ReplicaSet", "vllm-7c9f", owner=DEPLOYMENT, namespace="a"), pod("p", SET, namespace="b")

    assert booked(*objects) == [("b", "vllm-7c9f", 0, None)]


def test_a_budget_counts_the_pods_of_a_controller():
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "vllm"}}},
    }
    labels = {"app": "vllm", "pod-template-hash": "7c9f"}
    found = read(node("n", gpu="8"), *(pod(name, SET, labels=labels) for name in "abc"), budget)

    assert [(each.workload, each.min_available) for each in found.cluster.budgets] == [("vllm", 2)]
    assert not any("no workload of their own" in warning for warning in found.warnings)


CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 100}
PRIORITIES = {
    "of its class": ({"priorityClassName": "high"}, 100),
    "its own": ({"priorityClassName": "high", "priority": 7}, 7),
    "of Kubernetes": ({"priorityClassName": "system-cluster-critical"}, 2_000_000_000),
    "not known": ({"priorityClassName": "low"}, 0),
}


@pytest.mark.parametrize(("spec", "priority"), PRIORITIES.values(), ids=PRIORITIES)
def test_priorities(spec, priority):
    found = read(node("n", gpu="8"), pod("p", spec=spec), CLASS)

    assert found.cluster.bookings[0].priority == priority
    assert any("'low' is not in the inventory" in each for each in found.warnings) == (
        spec["priorityClassName"] == "low"
    )
    assert [(each.name, each.value) for each in found.priority_classes] == [("high", 100)]


def test_a_class_that_cannot_be_read_has_its_place():
    with pytest.raises(InputError) as refused:
        read(node("n"), {**CLASS, "value": "high"})

    assert "value" in refused.value.place


def test_kinds_that_tell_whose_pods_are_need_no_warning():
    warnings = read(node("n"), thing("ReplicaSet", "x"), thing("DaemonSet", "x"), thing("Service", "x", "v1")).warnings

    assert [each.partition(" objects")[0].rpartition(" ")[2] for each in warnings] == ["Service"]


HOSTILE = {
    "owners as a mapping": {"ownerReferences": {"a": 1}},
    "owners as a number": {"ownerReferences": 5},
    "owners that are none": {"ownerReferences": [None, 5, "x", {"controller": True}, {"controller": 1, "name": "x"}]},
    "an owner without a name": {"ownerReferences": [{"controller": True, "kind": "Job", "name": None}]},
}


@pytest.mark.parametrize("metadata", HOSTILE.values(), ids=HOSTILE)
def test_owners_of_any_form(metadata):
    assert booked(pod("p", **metadata)) == [("default", "p", 0, None)]


@pytest.mark.parametrize(
    "metadata", [None, 5, [], {"name": 5}, {"name": "x", "namespace": []}, {"name": "x", "ownerReferences": 1}]
)
def test_controllers_of_any_form(metadata):
    broken = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata}

    assert booked(broken, pod("p")) == [("default", "p", 0, None)]

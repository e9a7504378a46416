"""Who controls whom."""

from __future__ import annotations

import pytest

from bayplan.manifests.owners import Owned, Owners, Who, api_group, controller_of, role_of, told_by_labels

DEPLOYMENT = Who("apps", "Deployment", "n", "vllm")
SET = Who("apps", "ReplicaSet", "n", "vllm-7c9f")
LWS = "leaderworkerset.sigs.k8s.io/"


def reference(kind="ReplicaSet", name="vllm-7c9f", version="apps/v1", **more):
    return {"apiVersion": version, "kind": kind, "name": name, "controller": True, **more}


CONTROLLERS = {
    "a reference": ([reference()], SET),
    "of Kubernetes itself": (
        [reference("ReplicationController", "rc", "v1")],
        Who("", "ReplicationController", "n", "rc"),
    ),
    "the second is the controller": (
        [reference(controller=False), reference(name="b")],
        Who("apps", "ReplicaSet", "n", "b"),
    ),
    "nothing": (None, None),
    "an owner that controls nothing": ([reference(controller=None)], None),
    "the Node of a static Pod": ([reference("Node", "n0", "v1")], None),
    "no list": ({"kind": "x"}, None),
    "no references": ([1, "x", None, {}], None),
    "no names": ([reference(name=5), reference(kind=[1]), reference(name="")], None),
    "a version that is no text": ([reference(version=5)], Who("", "ReplicaSet", "n", "vllm-7c9f")),
}


@pytest.mark.parametrize(("references", "found"), CONTROLLERS.values(), ids=CONTROLLERS)
def test_the_controller_of_an_object(references, found):
    assert controller_of({"ownerReferences": references}, "n") == found


LABELS = {
    "a group": ({LWS + "name": "v", LWS + "group-index": "0"}, ("LeaderWorkerSet", "v", "v-0")),
    "a group without a number": ({LWS + "name": "v"}, None),
    "a JobSet": ({"jobset.sigs.k8s.io/jobset-name": "js"}, ("JobSet", "js", "js")),
    "KServe": ({"serving.kserve.io/inferenceservice": "k"}, ("InferenceService", "k", "k")),
    "KServe on Knative": (
        {"serving.kserve.io/inferenceservice": "k", "serving.knative.dev/service": "k-predictor"},
        ("InferenceService", "k", "k"),
    ),
    "the transformer of KServe": (
        {"serving.kserve.io/inferenceservice": "k", "component": "transformer", "serving.knative.dev/service": "t"},
        None,
    ),
    "Knative": ({"serving.knative.dev/service": "s"}, ("Service", "s", "s")),
    "others": ({"app": "x"}, None),
    "no texts": ({"jobset.sigs.k8s.io/jobset-name": ["js"], "serving.knative.dev/service": 5}, None),
}


@pytest.mark.parametrize(("labels", "found"), LABELS.values(), ids=LABELS)
def test_labels(labels, found):
    told = told_by_labels(labels, "n")

    assert (told and (told.who.kind, told.who.name, told.workload)) == found


def owners(*pairs):
    found = Owners()
    for who, controller in pairs:
        found.add(who, controller)
    return found


CHAINS = {
    "the set is known": ((SET, DEPLOYMENT), {}, DEPLOYMENT),
    "the set is known and nobody's": ((SET, None), {"pod-template-hash": "7c9f"}, SET),
    "the set is not known": (None, {"pod-template-hash": "7c9f"}, DEPLOYMENT),
    "another hash": (None, {"pod-template-hash": "9f"}, SET),
    "no hash": (None, {}, SET),
    "a hash that is no text": (None, {"pod-template-hash": 5}, SET),
}


@pytest.mark.parametrize(("known", "labels", "owner"), CHAINS.values(), ids=CHAINS)
def test_the_owner_of_a_pod(known, labels, owner):
    found = owners(*([known] if known else [])).owner_of(labels, SET, "n")

    assert found == Owned(owner, owner.name)


def test_a_pod_of_its_own():
    assert Owners().owner_of({}, None, "n") is None


def test_owners_in_a_circle_come_to_an_end():
    found = owners((SET, DEPLOYMENT), (DEPLOYMENT, SET)).owner_of({}, SET, "n")

    assert found.who == DEPLOYMENT


def test_namespaces_are_told_apart():
    other = Who("apps", "ReplicaSet", "m", "vllm-7c9f")

    assert owners((SET, DEPLOYMENT)).owner_of({}, other, "m").who == other


@pytest.mark.parametrize(("version", "group"), [("apps/v1", "apps"), ("v1", ""), (None, ""), (5, ""), ("a/b/c", "a/b")])
def test_groups(version, group):
    assert api_group(version) == group


def test_gangs():
    assert Who("kubeflow.org", "PyTorchJob", "n", "t").is_gang
    assert not Who("batch", "Job", "n", "j").is_gang


ROLES = {
    "nothing said": ({}, ""),
    "a leader": ({"leaderworkerset.sigs.k8s.io/worker-index": "0"}, "leader"),
    "a worker of it": ({"leaderworkerset.sigs.k8s.io/worker-index": "3"}, "worker"),
    "a head": ({"ray.io/node-type": "head", "ray.io/group": "headgroup"}, "head"),
    "a worker of a head": ({"ray.io/node-type": "worker", "ray.io/group": "gpu"}, "gpu"),
    "a task": ({"volcano.sh/task-spec": "ps"}, "ps"),
    "a type of replica": ({"training.kubeflow.org/replica-type": "master"}, "master"),
    "a replicated Job": ({"jobset.sigs.k8s.io/replicatedjob-name": "driver"}, "driver"),
    "no text": ({"volcano.sh/task-spec": 7}, ""),
}


@pytest.mark.parametrize(("labels", "role"), ROLES.values(), ids=ROLES)
def test_roles(labels, role):
    assert role_of(labels) == role

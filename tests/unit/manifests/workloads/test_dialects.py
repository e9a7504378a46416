"""Documents of any dialect, together."""

from __future__ import annotations

import pytest

from bayplan.cluster.model import ModelSpec
from bayplan.framework.errors import InputError
from bayplan.manifests.reader import Document, read_text
from bayplan.manifests.workloads.dialects import read_workloads
from bayplan.manifests.workloads.priority_class import PriorityClass

OURS = {"metadata": {"name": "ours"}, "spec": {}}
GPUSTACK = {"name": "theirs", "source": "local_path", "local_path": "/m", "backend": "vllm"}
POOL = {
    "apiVersion": "neuronetes.io/v1alpha1",
    "kind": "AgentPool",
    "metadata": {"name": "pool"},
    "spec": {"agentClassRef": {"name": "c"}, "minReplicas": 1, "maxReplicas": 2, "gpuRequirements": {"count": 1}},
}
CLASS = {"kind": "AgentClass", "metadata": {"name": "c"}, "spec": {"modelRef": {"name": "llama"}}}
MODEL = {"kind": "Model", "metadata": {"name": "llama"}, "spec": {"weightsURI": "x", "size": "1Gi"}}
BINDING = {"kind": "ToolBinding", "metadata": {"name": "b"}, "spec": {}}
GROUP = {"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"minMember": 2}}


def pod(name, group=None, **metadata):
    labels = {"scheduling.x-k8s.io/pod-group": group} if group else {}
    containers = [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]
    metadata = {"name": name, "labels": labels} | metadata
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers}}


def read(*data):
    return read_workloads([Document(each, f"d{number}") for number, each in enumerate(data)])


ORDERS = {
    "one of ours": ((OURS,), ["ours"]),
    "one of each": ((GPUSTACK, POOL, CLASS, OURS, pod("p")), ["theirs", "pool", "ours", "p"]),
    "what is no workload gives no entry": ((CLASS, MODEL, BINDING, GROUP, OURS), ["ours"]),
    "a group stands where its first pod stands": (
        (pod("a", "g"), OURS, pod("b", "g"), GROUP, pod("c")),
        ["g", "ours", "c"],
    ),
    "two groups": ((pod("a", "g"), pod("b", "h"), pod("c", "g")), ["g", "h"]),
    "groups of two namespaces": ((pod("a", "g"), pod("a", "g", namespace="n")), ["g", "g"]),
    "a list": (({"kind": "List", "items": [pod("a"), OURS]},), ["a", "ours"]),
}


@pytest.mark.parametrize(("documents", "names"), ORDERS.values(), ids=ORDERS)
def test_in_the_order_of_their_first_document(documents, names):
    assert [each.workload.name for each in read(*documents)] == names


def test_a_class_may_come_after_its_pool():
    for documents in ((POOL, CLASS), (CLASS, POOL)):
        (found,) = read(*documents)
        assert found.workload.shape.model == ModelSpec("llama")
        assert found.warnings == ()


def test_a_group_may_come_after_its_pods():
    (found,) = read(pod("a", "g"), pod("b", "g"), GROUP)

    assert [role.name for role in found.workload.roles] == ["a", "b"]
    assert found.workload.minimum == 2
    assert found.warnings == ()


def test_a_group_that_nobody_declared():
    (found,) = read(pod("a", "g"))

    assert found.workload.minimum > found.workload.desired
    assert not found.workload.gang.declared
    assert "no PodGroup 'g'" in found.warnings[0]


def test_warnings_go_with_their_workload():
    odd = {"metadata": {"name": "odd"}, "spec": {"replcas": 2}}
    first, second = read(OURS, odd)

    assert first.warnings == ()
    assert second.warnings[0].startswith("d1: spec.replcas")
    assert second.document.source == "d1"


def test_warnings_of_all_pods_of_a_group():
    odd = pod("b", "g")
    odd["spec"]["teleport"] = "n"
    (found,) = read(pod("a", "g"), odd, GROUP)

    assert [each.split(": ")[0] for each in found.warnings] == ["d1"]


REFUSED = {
    "nothing": ((), "workloads"),
    "nothing that wants a place": ((CLASS,), "workloads"),
    "a cluster": (({"workers": []},), "d0"),
    "a node": (({"kind": "Node"},), "workloads"),
    "a budget": (({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"},), "workloads"),
    "a config": (({"kind": "SchedulerConfig"},), "d0"),
    "a second document": ((OURS, {"metadata": {"name": "x"}, "spec": {"replicas": -1}}), "d1: spec.replicas"),
    "something beside": ((POOL, {"kind": "AgentClass", "metadata": {"name": "c"}, "spec": {}}), "d1: spec.modelRef"),
    "a pod twice in a group": ((pod("a", "g"), pod("a", "g"), GROUP), "d1: metadata.name"),
    "one of a list": (({"items": [OURS, {"metadata": {}, "spec": {}}]},), "d0: items[1].metadata.name"),
}


@pytest.mark.parametrize(("documents", "place"), REFUSED.values(), ids=REFUSED)
def test_refused(documents, place):
    with pytest.raises(InputError) as refused:
        read(*documents)

    assert refused.value.place == place


def test_problems_of_all_documents_are_counted():
    bad = {"metadata": {"name": "x"}, "spec": {"replicas": -1}}

    with pytest.raises(InputError, match="and 1 more problem"):
        read(bad, bad)


def test_lines_of_a_stream():
    text = "metadata: {name: a}\nspec: {}\n---\nmetadata: {name: b}\nspec:\n  replicas: many\n"

    with pytest.raises(InputError, match=r"w\.yaml:6: spec\.replicas"):
        read_workloads(read_text(text, "w.yaml"))


def controller(kind="Deployment", version="apps/v1", name="d", owner=None, group=None, **spec):
    labels = {"scheduling.x-k8s.io/pod-group": group} if group else {}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"resources": {}}]}}
    metadata = {"name": name} if owner is None else {"name": name, "ownerReferences": [owner]}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": {"template": template, **spec}}


def owner(kind, name, version="apps/v1"):
    return {"apiVersion": version, "kind": kind, "name": name, "controller": True}


OF_DEPLOYMENT = owner("Deployment", "d")
OF_SET = owner("ReplicaSet", "d-7c")
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": []}}
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}
OWNED = {
    "a set and its Pod": (
        (controller(), controller("ReplicaSet", name="d-7c", owner=OF_DEPLOYMENT), pod("p", ownerReferences=[OF_SET])),
        ["d"],
    ),
    "a Pod whose set is not there": (
        (controller(), pod("p", ownerReferences=[OF_SET], labels={"pod-template-hash": "7c"})),
        ["d"],
    ),
    "the owner comes later": ((pod("p", ownerReferences=[OF_DEPLOYMENT]), controller()), ["d"]),
    "the owner is not there": ((pod("p", ownerReferences=[OF_DEPLOYMENT]),), ["p"]),
    "the owner is in another namespace": (
        (controller(), pod("p", ownerReferences=[OF_DEPLOYMENT], namespace="n")),
        ["d", "p"],
    ),
    "the owner is of another group": (
        (controller("Job", "batch/v1", "j"), pod("p", ownerReferences=[owner("Job", "j", "batch.volcano.sh/v1")])),
        ["j", "p"],
    ),
    "the owner is no workload": (
        (CONFIG_MAP | {"metadata": {"name": "c"}}, controller(owner=owner("ConfigMap", "c", "v1"))),
        ["d"],
    ),
    "an owner that is told by labels": (
        (
            controller("Service", "serving.knative.dev/v1", "s"),
            pod("p", labels={"serving.knative.dev/service": "s"}),
        ),
        ["s"],
    ),
}


@pytest.mark.parametrize(("documents", "names"), OWNED.values(), ids=OWNED)
def test_what_belongs_to_another_document_gives_no_entry(documents, names):
    assert [each.workload.name for each in read(*documents)] == names


def test_what_belongs_to_another_document_is_checked_all_the_same():
    bad = controller("ReplicaSet", name="d-7c", owner=OF_DEPLOYMENT, replicas="many")

    with pytest.raises(InputError, match="many"):
        read(controller(), bad)


def test_other_kinds_are_named_with_the_first_workload():
    first, second = read(SERVICE, OURS, CONFIG_MAP, SERVICE, pod("p"), {"apiVersion": "v1", "kind": "Node"})

    assert first.warnings == ("these documents are not workloads and are ignored: Service, ConfigMap, Node",)
    assert second.warnings == ()


NOTHING = {
    "others alone": ((SERVICE, CONFIG_MAP), "only Service, ConfigMap; give at least one"),
    "a slip of the pen": ((controller("Deploymnet"),), "did you mean 'Deployment' instead of 'Deploymnet'?"),
}


@pytest.mark.parametrize(("documents", "words"), NOTHING.values(), ids=NOTHING)
def test_no_workload_at_all(documents, words):
    with pytest.raises(InputError) as refused:
        read(*documents)

    assert words in str(refused.value)


def test_the_template_of_a_controller_names_a_group():
    (found,) = read(GROUP, controller(group="g", replicas=3), pod("a", "g"), controller("ReplicaSet", group="g"))

    assert [(role.name, role.replicas, role.is_pod) for role in found.workload.roles] == [
        ("d", 3, False),
        ("a", 1, True),
        ("d-2", 1, False),
    ]
    assert (found.workload.name, found.workload.desired, found.workload.minimum) == ("g", 5, 2)


def test_priority_classes_of_the_call_and_of_the_cluster():
    named = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    wanting, other = pod("p"), pod("q")
    wanting["spec"]["priorityClassName"], other["spec"]["priorityClassName"] = "high", "low"
    documents = [Document(each, "d") for each in (wanting, other, named)]
    first, second = read_workloads(documents, [PriorityClass("low", 2), PriorityClass("high", 1)])

    assert [first.workload.id.priority, second.workload.id.priority] == [9, 2]


def test_warnings_of_a_document_of_several_workloads_are_told_once():
    group = {"size": 1, "workerTemplate": {"spec": {"containers": [{}]}}, "odd": 1}
    spec = {"replicas": 2, "leaderWorkerTemplate": group}
    found = read({"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", **OURS, "spec": spec})

    assert [(each.workload.name, len(each.warnings)) for each in found] == [("ours-0", 1), ("ours-1", 0)]

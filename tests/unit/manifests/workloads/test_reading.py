"""Documents of any dialect, together."""

from __future__ import annotations

import pytest

from bayplan.cluster.model import ModelSpec
from bayplan.framework.errors import InputError
from bayplan.manifests.reader import Document, read_text
from bayplan.manifests.workloads.reading import read_workloads

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
    odd["spec"]["nodeName"] = "n"
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

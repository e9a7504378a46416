"""Documents of any dialect as native ones: nothing is lost, and what finds no place is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bayplan
from bayplan.framework.errors import InputError
from bayplan.library.conversion import convert, convert_gpustack
from bayplan.manifests.reader import read_file

FIXTURES = Path(__file__).parents[2] / "fixtures"
GUIDE = read_file(FIXTURES / "dialects" / "neuronetes-guide.yaml")
CLUSTER = {"workers": [{"name": "a", "count": 4, "gpus": {"count": 8, "model": "A100-SXM4-40GB", "memory": "40Gi"}}]}
WORKERS = json.loads((FIXTURES / "inventory" / "gpustack-workers.json").read_text())
INSTANCES = json.loads((FIXTURES / "inventory" / "gpustack-instances.json").read_text())
MODEL = {
    "name": "qwen",
    "source": "local_path",
    "local_path": "/m",
    "backend": "vllm",
    "description": "d",
    "replicas": 2,
}


def node(name):
    allocatable = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "2"}
    labels = {"nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.memory": "15360"}
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": allocatable, "capcity": {}},
    }  # fmt: skip


def pod(name, **spec):
    containers = [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers, **spec}}


def kinds(found):
    return [(each["kind"], each.get("metadata", {}).get("name")) for each in found.items]


def test_plans_of_converted_documents_are_the_same():
    documents = [each.data for each in GUIDE if each.data["kind"] == "AgentPool"]

    def essence(plans):
        return [(each["workload"], each["verdict"], each["placed"], each["replicas"]) for each in plans["items"]]

    assert essence(bayplan.plan(convert(documents).items, CLUSTER)) == essence(bayplan.plan(documents, CLUSTER))


def test_nodes_and_their_pods_become_a_cluster():
    found = convert([node("n"), pod("bound", nodeName="n"), pod("new")])

    assert kinds(found) == [("Workload", "new"), ("Cluster", None)]
    assert [each["name"] for each in found.items[1]["workers"]] == ["n"]
    assert [each["workload"] for each in found.items[1]["bookings"]] == ["bound"]


def test_a_bound_pod_alone_is_a_workload():
    assert kinds(convert(pod("bound", nodeName="n"))) == [("Workload", "bound")]


def test_what_is_ignored_is_listed_with_the_object():
    found = convert([node("n"), pod("p", dnsPolicy="None")])

    assert {(each.object, each.found.path) for each in found.ignored} == {
        ("Node/n", "status.capcity"),
        ("Pod/p", "spec.containers[0].name"),
        ("Pod/p", "spec.containers[0].image"),
        ("Pod/p", "spec.dnsPolicy"),
    }
    assert found.as_dict()["ignored"][0] == {
        "object": "Node/n",
        "place": "documents[0]: status.capcity",
        "path": "status.capcity",
        "reason": found.ignored[0].found.reason,
        "why": "unknown",
    }


KEPT = {
    "a model of Seldon": (
        {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": "iris"},
         "spec": {"storageUri": "gs://m", "memory": "1Mi"}},
        "Model/iris", "no native form"),
    "a pipeline": (
        {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Pipeline", "metadata": {"name": "p"}},
        "Pipeline/p", "data does not flow"),
    "a budget without workers": (
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": {}},
        "PodDisruptionBudget/b", "no workers are among the documents"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "name", "words"), KEPT.values(), ids=KEPT)
def test_objects_without_a_native_form_are_named(document, name, words):
    found = convert(document)

    assert found.items == []
    assert [each["object"] for each in found.kept] == [name]
    assert words in found.kept[0]["reason"]


def test_a_configuration_stays_as_it_is():
    config = {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "SchedulerConfig",
        "plugins": [{"type": "max-score"}],
    }

    assert convert(config).items == [config]


WRONG = {
    "a workload": pod("p", containers=[]) | {"spec": {"containers": [{"resources": {"limits": {"cpu": "x"}}}]}},
    "a kept kind": {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": "A"}, "spec": {}},
    "a node": node("n") | {"status": []},
    "nothing known": {"foo": 1},
}


@pytest.mark.parametrize("document", WRONG.values(), ids=WRONG)
def test_wrong_documents_are_refused(document):
    with pytest.raises(InputError) as caught:
        convert(document)

    assert caught.value.place.startswith("documents")


def test_gpustack():
    found = convert_gpustack([{"items": [MODEL]}, WORKERS, INSTANCES])

    assert kinds(found) == [("Workload", "qwen"), ("Cluster", None)]
    assert found.items[0]["spec"]["replicas"] == 2
    assert [each["name"] for each in found.items[1]["workers"]] == ["host01-4090"]
    assert len(found.items[1]["bookings"]) == 1
    assert "description" in [each.found.path.rpartition(".")[2] for each in found.ignored]


def test_other_kinds_are_no_gpustack():
    with pytest.raises(InputError, match="a Pod is no model, worker or instance of GPUStack"):
        convert_gpustack([pod("p")])

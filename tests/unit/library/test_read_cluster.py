"""Inventories of any dialect become the native Cluster."""

import json
from pathlib import Path

import pytest

import bayplan

FIXTURES = Path(__file__).parents[2] / "fixtures" / "inventory"
NAMES = ("kubernetes-nodes", "resource-topology", "pods", "alnair-nodes", "gpustack-workers", "gpustack-instances")


def load(*names):
    return [json.loads((FIXTURES / f"{name}.json").read_text()) for name in names]


def test_the_native_cluster_in_numbers():
    document = bayplan.read_cluster(load("kubernetes-nodes", "pods"))

    assert (document["apiVersion"], document["kind"]) == ("bayplan.io/v1alpha1", "Cluster")
    (worker,) = document["workers"]
    assert (worker["cpu"], worker["ram"], worker["status"]) == (95.69, 1157921124 // 1024, "ready")
    assert worker["gpus"][7]["memory"] == 40960
    assert worker["links"] == "nvswitch"
    assert [booking["workload"] for booking in document["bookings"]] == ["llama-0", "train", "kube-proxy-x2k9d"]
    assert len(document["warnings"]) == 1


def test_one_document_or_several():
    (node,) = load("alnair-nodes")

    assert bayplan.read_cluster(node) == bayplan.read_cluster([node])


def test_what_it_returns_means_the_same_again():
    once = bayplan.read_cluster(load(*NAMES))
    again = bayplan.read_cluster(once)

    assert {key: again[key] for key in ("workers", "bookings", "budgets")} == {
        key: once[key] for key in ("workers", "bookings", "budgets")
    }
    assert again["warnings"] == once["warnings"] != []


def test_it_can_be_written_down():
    assert json.loads(json.dumps(bayplan.read_cluster(load(*NAMES))))["kind"] == "Cluster"


@pytest.mark.parametrize("documents", ["nodes", None, 7, [1], [{"a": 1}], {}], ids=repr)
def test_what_is_no_inventory_is_an_error_with_its_place(documents):
    with pytest.raises(bayplan.BayplanError) as caught:
        bayplan.read_cluster(documents)

    assert caught.value.code == "invalid-input"
    assert caught.value.place.startswith("documents")
    assert caught.value.next


def test_errors_name_the_document_and_the_field():
    broken = {"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "-1"}}}

    with pytest.raises(bayplan.BayplanError) as caught:
        bayplan.read_cluster([*load("alnair-nodes"), broken])

    assert caught.value.place == "documents[1]: status.allocatable.cpu"

from dataclasses import replace

import pytest

import bayplan
from bayplan.cluster.worker import WorkerStatus
from bayplan.manifests.inventory.described_node import node_document
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.marks import WORKER
from bayplan.manifests.reader import Document

WORKER_DOCUMENT = {
    "name": "oslo",
    "region": "eu-north",
    "rack": "k7",
    "labels": {"team": "chat"},
    "taints": [{"key": "dedicated", "value": "chat", "effect": "NoSchedule"}],
    "cpu": 64,
    "ram": "512Gi",
    "gpus": {"count": 8, "model": "A100-SXM4-80GB", "memory": "80Gi", "pcieGen": 4},
    "links": "nvlink-pairs",
    "usdPerHour": 14.6,
    "spot": True,
    "cachedModels": {"chat-8b": 0.5},
    "services": ["redis"],
    "reserved": {"ram": "4Gi"},
}


def read(*documents):
    return read_inventory([Document(each, "here") for each in documents])


@pytest.mark.parametrize("status", WorkerStatus)
def test_a_node_says_all_that_a_cluster_file_says(status):
    (worker,) = read({"workers": [WORKER_DOCUMENT]}).cluster.workers
    worker = replace(worker, status=status)

    (again,) = read(node_document(worker, "simulated")).cluster.workers

    told = {"labels": worker.labels, "status": worker.status}
    assert replace(again, **told) == worker
    assert worker.labels.items() <= again.labels.items()
    assert again.status is (WorkerStatus.CORDONED if status is WorkerStatus.DRAINING else status)


def test_equal_workers_share_their_cards():
    workers = read({"workers": [{**WORKER_DOCUMENT, "count": 2}]}).cluster.workers

    first, second = read(*(node_document(each, "none") for each in workers)).cluster.workers

    assert first.name != second.name
    assert first.gpus is second.gpus


def test_an_annotation_that_cannot_be_read_is_told_and_labels_count():
    (worker,) = read({"workers": [WORKER_DOCUMENT]}).cluster.workers
    node = node_document(worker, "none")
    node["metadata"]["annotations"][WORKER] = '{"gpus": 7'

    found = read(node)

    assert any(WORKER in each for each in found.warnings)
    assert len(found.cluster.workers[0].gpus) == 8


def test_a_cluster_of_such_nodes_is_planned_on():
    (worker,) = read({"workers": [WORKER_DOCUMENT]}).cluster.workers
    need = {"gpus": {"count": 2, "locality": "nvlink"}, "tolerations": [{"operator": "Exists"}]}

    plan = bayplan.plan({"metadata": {"name": "a"}, "spec": need}, [node_document(worker, "none")])

    assert plan["verdict"] == "fits"

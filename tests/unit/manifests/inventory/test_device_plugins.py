"""Nodes and Pods in full size, as clouds, device plugins and schedulers write them; and the same with nonsense."""

import json

import pytest

from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.native.cluster_writer import write_cluster
from bayplan.manifests.reader import Document
from unit.manifests.inventory.builders import FIXTURES, read_fixtures

EXPECTED = {
    "gke-h100":      (8, "H100-SXM5-80GB", 81920, None, "card"),
    "gke-shared":    (2, "L4", 24576, 8, "place"),
    "gke-mig":       (0, None, None, None, "slice"),
    "eks-karpenter": (4, "L4", 22888, None, "card"),
    "eks-p4d":       (8, "A100-SXM4-40GB", 40960, None, "card"),
    "aks-a100":      (2, "A100-PCIE-80GB", 81920, None, "card"),
    "dgx":           (7, "NVIDIA-A100-SXM4-80GB", 81920, None, "card"),
    "dgx-mixed":     (4, "NVIDIA-A100-SXM4-40GB", 40960, None, "card"),
    "dgx-single":    (0, None, None, None, "slice"),
    "sliced":        (1, "Tesla-T4", 15360, 10, "place"),
    "renamed":       (1, "Tesla-T4", 15360, 10, "place"),
    "mps":           (8, "NVIDIA-H200", 143771, 4, "place"),
    "hami":          (4, "NVIDIA-Tesla V100-PCIE-32GB", 32768, 10, "card"),
    "hami-old":      (4, "NVIDIA-Tesla T4", 15360, 10, "card"),
    "kai":           (2, "NVIDIA-H100-80GB-HBM3", 81559, None, "card"),
    "amd":           (8, "AMD_Instinct_MI300X_OAM", 196608, None, "card"),
    "amd-old":       (4, None, 65536, None, "card"),
    "ascend":        (8, "Ascend 910B", None, None, "card"),
}  # fmt: skip


def told(worker):
    first = worker.gpus[0] if worker.gpus else None
    card = (first.model, first.memory_mib, first.places) if first else (None, None, None)
    return (len(worker.gpus), *card, worker.device_offer.kind.value)


def test_every_form():
    inventory = read_fixtures("device-plugins.json")

    assert {worker.name: told(worker) for worker in inventory.cluster.workers} == EXPECTED


HELD = {
    "nb-0": [(0, 3072, 125, 1)],
    "nb-1": [(1, 3072, 125, 1)],
    "cut-0": [(None, None, None, None)] * 3,
    "t4-0": [(0, 3072, 200, 2)],
    "v-0": [(1, 3000, 300, 1)],
    "gpu-reservation-kai-0": [],
    "f-0": [(0, 40779, 500, None)],
    "f-1": [(0, 20389, 250, None)],
}


@pytest.mark.parametrize("name", HELD)
def test_what_bound_pods_hold(name):
    bookings = {each.workload: each.cards for each in read_fixtures("device-plugins.json").cluster.bookings}

    parts = [(part.index, part.memory_mib, part.compute_milli, part.places) for part in bookings[name]]
    assert parts == HELD[name]


def test_the_hostile_twin_is_read_with_warnings_and_the_same_workers():
    inventory = read_fixtures("device-plugins-hostile.json")

    assert [worker.name for worker in inventory.cluster.workers] == list(EXPECTED)
    assert len(inventory.warnings) >= 10
    assert all(0 <= (gpu.memory_mib or 0) < 2**40 for worker in inventory.cluster.workers for gpu in worker.gpus)


@pytest.mark.parametrize("name", ["device-plugins.json", "device-plugins-hostile.json"])
def test_what_was_read_is_written_and_read_again(name):
    cluster = read_fixtures(name).cluster
    written = json.loads(json.dumps(write_cluster(cluster)))

    assert read_inventory([Document(written, "written")]).cluster == cluster
    assert (FIXTURES / name).exists()

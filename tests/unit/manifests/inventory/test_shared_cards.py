"""Cards that a Node offers several times, and slices that it offers as cards."""

import pytest

from bayplan.cluster.device_offer import DeviceKind, MigStrategy, Sharing
from unit.manifests.inventory.builders import node, read, read_one

L4 = {"nvidia.com/gpu.product": "NVIDIA-L4-SHARED", "nvidia.com/gpu.memory": "23034"}
GKE = {"cloud.google.com/gke-accelerator": "nvidia-l4", "cloud.google.com/gke-max-shared-clients-per-gpu": "8"}
REPLICAS, STRATEGY = "nvidia.com/gpu.replicas", "nvidia.com/gpu.sharing-strategy"
SHARED_GPU = "nvidia.com/gpu.shared"
COUNT, KARPENTER = "nvidia.com/gpu.count", "karpenter.k8s.aws/instance-gpu-count"

SHARED = {
    "time slicing":      (L4 | {REPLICAS: "4", STRATEGY: "time-slicing"}, {"gpu": "8"}, (2, 4, "time-slicing", None)),
    "no strategy said":  (L4 | {REPLICAS: "4"}, {"gpu": "8"}, (2, 4, "time-slicing", None)),
    "MPS":               (L4 | {REPLICAS: "4", STRATEGY: "mps"}, {"gpu": "4"}, (1, 4, "mps", 1)),
    "GKE":               (GKE, {"gpu": "16"}, (2, 8, "time-slicing", 1)),
    "not a multiple":    (L4 | {REPLICAS: "4"}, {"gpu": "7"}, (1, 4, "time-slicing", None)),
    "offered once":      (L4 | {REPLICAS: "1"}, {"gpu": "2"}, (2, None, None, None)),
    "replicas 0":        (L4 | {REPLICAS: "0"}, {"gpu": "2"}, (2, None, None, None)),
    "count says it":     (L4 | {REPLICAS: "1", COUNT: "1"}, {SHARED_GPU: "9"}, (1, 9, "time-slicing", None)),
    "Karpenter says it": (L4 | {KARPENTER: "2"}, {"gpu": "8"}, (2, 4, "time-slicing", None)),
    "as many as cards":  (L4 | {COUNT: "2"}, {"gpu": "2"}, (2, None, None, None)),
    "replicas unread":   (L4 | {REPLICAS: "many"}, {"gpu": "2"}, (2, None, None, None)),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "offered", "expected"), SHARED.values(), ids=SHARED)
def test_cards_and_their_places(labels, offered, expected):
    worker = read_one(node(labels=labels, **offered))

    places = {gpu.places for gpu in worker.gpus}
    sharing = None if worker.sharing is None else worker.sharing.value
    assert (len(worker.gpus), *places, sharing, worker.places_per_container) == expected


TOLD = {
    "places assumed":  (L4 | {COUNT: "1"}, {"gpu": "10"}, "has 1 card and offers 10 nvidia.com/gpu, so 10 places"),
    "places unknown":  (L4, {"gpu": "10"}, "no label says how many places"),
    "no plugin":       (L4 | {COUNT: "4"}, {}, "has 4 cards and offers 0"),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "offered", "told"), TOLD.values(), ids=TOLD)
def test_labels_that_contradict_what_is_offered_are_told(labels, offered, told):
    assert any(told in warning for warning in read(node(labels=labels, **offered)).warnings)


def test_devices_that_may_not_be_given_away_are_told():
    broken = node(labels=L4 | {REPLICAS: "1"}, gpu="3")
    broken["status"]["capacity"] = {"nvidia.com/gpu": "4"}

    assert any("has 4 nvidia.com/gpu and offers 3" in warning for warning in read(broken).warnings)


def test_a_renamed_resource_is_the_name_to_ask_by():
    worker = read_one(node(labels=L4 | {REPLICAS: "4"}, **{"nvidia.com/gpu": "0", "nvidia.com/gpu.shared": "8"}))

    assert worker.gpu_resource == "nvidia.com/gpu.shared"
    assert (len(worker.gpus), worker.device_offer.kind) == (2, DeviceKind.PLACE)


CUT = "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"
SINGLE = {
    "the product says it":   ({"nvidia.com/gpu.product": CUT}, {"1g.5gb": 14}),
    "and is shared":         ({"nvidia.com/gpu.product": f"{CUT}-SHARED", REPLICAS: "2"}, {"1g.5gb": 14}),
    "GKE says it":           ({"cloud.google.com/gke-gpu-partition-size": "3g.20gb"}, {"3g.20gb": 14}),
    "not all cut alike":     ({"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-INVALID"}, {}),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "slices"), SINGLE.values(), ids=SINGLE)
def test_strategy_single_offers_slices_and_no_cards(labels, slices):
    worker = read_one(node(labels=labels, gpu="14"))

    assert (dict(worker.mig_slices), worker.gpus, worker.mig_strategy) == (slices, (), MigStrategy.SINGLE)
    assert worker.device_offer.kind is DeviceKind.SLICE


def test_the_label_of_the_strategy_alone_leaves_cards_whole():
    labels = {"nvidia.com/gpu.product": "NVIDIA-A30", "nvidia.com/mig.strategy": "single"}

    worker = read_one(node(labels=labels, gpu="2"))

    assert (len(worker.gpus), worker.mig_strategy, worker.device_offer.kind) == (2, None, DeviceKind.CARD)


def test_hami_gives_whole_cards_to_requests_without_memory():
    register = "GPU-1,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,true:"

    worker = read_one(node(annotations={"hami.io/node-nvidia-register": register}, gpu="10"))

    assert (worker.sharing, worker.device_offer.kind) == (Sharing.HAMI, DeviceKind.CARD)

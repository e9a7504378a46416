"""Models by machine types, and the order of what labels say."""

import pytest

from bayplan.manifests.inventory.instance_types import model_in
from unit.manifests.inventory.builders import node, read, read_all, read_one

TYPES = {
    "p4d.24xlarge": "A100-SXM4-40GB", "p5en.48xlarge": "H200", "g6e.xlarge": "L40S", "m5.large": None,
    "a3-highgpu-8g": "H100-SXM5-80GB", "a2-ultragpu-1g": "A100-SXM4-80GB", "a3-highgpu": None, "n1-standard-32": None,
    "Standard_NC48ads_A100_v4": "A100-PCIE-80GB", "Standard_NC80adis_H100_v5": "H100-NVL",
    "Standard_ND96isr_H100_v5": "H100-SXM5-80GB", "Standard_NV36ads_A10_v5": None, "": None,
    "BM.GPU.H100.8": "H100-SXM5-80GB", "VM.GPU.A10.1": "A10", "BM.GPU.A100-v2.8": "A100-SXM4-80GB",
    "VM.GPU3.2": "V100-SXM2-16GB",
    "VM.Standard.E4.Flex": None, "Standard_ND96isr_MI300X_v5": "MI300X",
}  # fmt: skip


@pytest.mark.parametrize(("machine_type", "model"), TYPES.items())
def test_model_in(machine_type, model):
    assert model_in(machine_type) == model


TYPE, GKE, KARPENTER = (
    "node.kubernetes.io/instance-type", "cloud.google.com/gke-accelerator", "karpenter.k8s.aws/instance-gpu-name",
)  # fmt: skip
FOUND = {
    "the product first":   ({"nvidia.com/gpu.product": "Tesla-T4", TYPE: "p5.48xlarge"}, ("Tesla-T4", 16384)),
    "then the type":       ({TYPE: "p4d.24xlarge", GKE: "nvidia-l4", KARPENTER: "t4"}, ("A100-SXM4-40GB", 40960)),
    "then GKE":            ({TYPE: "n1-standard-8", GKE: "nvidia-tesla-v100"}, ("V100-SXM2-16GB", 16384)),
    "by its words":        ({GKE: "nvidia-h100-80gb"}, ("nvidia-h100-80gb", 81920)),
    "then Karpenter":      ({KARPENTER: "l4", "karpenter.k8s.aws/instance-gpu-memory": "22888"}, ("l4", 22888)),
    "a name of no size":   ({KARPENTER: "a100"}, ("a100", None)),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "expected"), FOUND.values(), ids=FOUND)
def test_what_labels_say(labels, expected):
    (gpu,) = read_one(node(labels=labels, gpu="1")).gpus

    assert (gpu.model, gpu.memory_mib) == expected


def test_an_assumed_size_is_told_once_for_all_nodes():
    nodes = [node(name, labels={GKE: "nvidia-l4"}, gpu="1") for name in ("a", "b")]

    (warning,) = read(*nodes).warnings

    assert "24,576 MiB are assumed for each nvidia-l4" in warning
    assert "1 more like it" in warning


def test_unknown_cards_are_counted_in_one_warning():
    (warning,) = read_all(node("a", gpu="4"), node("b", gpu="8")).warnings

    assert "12 cards on 2 workers" in warning
    assert "unknown" in warning


LINKS = {
    "A100 SXM4":      ("NVIDIA-A100-SXM4-80GB", "8", "8", True),
    "H100 HBM3":      ("NVIDIA-H100-80GB-HBM3", "8", "8", True),
    "one is missing": ("NVIDIA-H200", "7", "8", True),
    "no count":       ("NVIDIA-B200", "8", None, True),
    "four":           ("NVIDIA-A100-SXM4-80GB", "4", "4", False),
    "PCIe":           ("NVIDIA-A100-PCIE-40GB", "8", "8", False),
    "NVL":            ("NVIDIA-H200-NVL", "8", "8", False),
    "L40S":           ("NVIDIA-L40S", "8", "8", False),
}  # fmt: skip


@pytest.mark.parametrize(("product", "offered", "count", "linked"), LINKS.values(), ids=LINKS)
def test_links_of_boards_are_assumed(product, offered, count, linked):
    labels = {"nvidia.com/gpu.product": product, "nvidia.com/gpu.memory": "1"} | (
        {"nvidia.com/gpu.count": count} if count else {}
    )

    inventory = read(node(labels=labels, gpu=offered))

    assert (inventory.cluster.workers[0].links is not None) is linked
    assert any("are assumed to be joined" in each for each in inventory.warnings) is linked

"""Cards and slices of Nodes, as device plugins and labels tell them."""

import pytest

from unit.manifests.inventory.builders import node, read, read_one

GFD = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.memory": "81920", "nvidia.com/gpu.count": "8"}


def groups(worker):
    """`{(runtime, model, MiB): number of cards}`."""
    found = {}
    for gpu in worker.gpus:
        key = (gpu.runtime, gpu.model, gpu.memory_mib)
        found[key] = found.get(key, 0) + 1
    return found


CARDS = {
    "no cards":                     ({}, {"cpu": "4"}, {}),
    "cards of unknown kind":        ({}, {"gpu": "2"}, {("cuda", None, None): 2}),
    "feature discovery":            (GFD, {"gpu": "8"}, {("cuda", "NVIDIA-A100-SXM4-80GB", 81920): 8}),
    "allocatable counts, not all":  (GFD, {"gpu": "7"}, {("cuda", "NVIDIA-A100-SXM4-80GB", 81920): 7}),
    "none allocatable":             ({"neuronetes.io/gpu-count": "8"}, {"gpu": "0"}, {}),
    "the labels of the guide":      (
        {"neuronetes.io/gpu-type": "A100", "neuronetes.io/gpu-memory": "40Gi", "neuronetes.io/gpu-count": "4"},
        {}, {("cuda", "A100", 40960): 4}),
    "a product that says more":     (
        GFD | {"neuronetes.io/gpu-type": "a100"}, {"gpu": "1"}, {("cuda", "NVIDIA-A100-SXM4-80GB", 81920): 1}),
    "a type that contradicts":      (
        GFD | {"neuronetes.io/gpu-type": "H100"}, {"gpu": "1"}, {("cuda", "H100", 81920): 1}),
    "the smaller of two sizes":     (
        GFD | {"neuronetes.io/gpu-memory": "40Gi"}, {"gpu": "1"}, {("cuda", "NVIDIA-A100-SXM4-80GB", 40960): 1}),
    "time slicing":                 (
        GFD | {"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-SHARED"},
        {"gpu": "32"}, {("cuda", "NVIDIA-A100-SXM4-80GB", 81920): 8}),
    "time slicing, renamed":        (
        GFD | {"nvidia.com/gpu.replicas": "2"}, {"nvidia.com/gpu.shared": "16"},
        {("cuda", "NVIDIA-A100-SXM4-80GB", 81920): 8}),
    "AMD":                          (
        {"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM", "amd.com/gpu.vram": "192Gi"},
        {"amd.com/gpu": "8"}, {("rocm", "AMD_Instinct_MI300X_OAM", 196608): 8}),
    "Ascend":                       ({}, {"huawei.com/Ascend910": "8"}, {("cann", "Ascend 910", None): 8}),
    "Gaudi, as a person says it":   (
        {"neuronetes.io/gpu-type": "Gaudi2", "neuronetes.io/gpu-memory": "96Gi"}, {"habana.ai/gaudi": "8"},
        {("hpu", "Gaudi2", 98304): 8},
    ),
    "Ascend B":                     ({}, {"huawei.com/Ascend910B": "1"}, {("cann", "Ascend 910B", None): 1}),
    "two vendors":                  (
        {}, {"gpu": "1", "mthreads.com/gpu": "2"}, {("cuda", None, None): 1, ("musa", None, None): 2}),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "offered", "expected"), CARDS.values(), ids=CARDS)
def test_cards(labels, offered, expected):
    assert groups(read_one(node(labels=labels, **offered))) == expected


def test_two_resources_of_one_runtime_share_the_numbering():
    worker = read_one(node(**{"huawei.com/Ascend310": "2", "huawei.com/Ascend910": "1"}))

    assert [(str(gpu.card), gpu.model) for gpu in worker.gpus] == [
        ("cann:0", "Ascend 310"), ("cann:1", "Ascend 310"), ("cann:2", "Ascend 910")
    ]  # fmt: skip


MIG = "neuronetes.io/mig-config"
SLICES = {
    "none":                      ({}, {}, {"gpu": "1"}, {}, 1),
    "resources":                 ({}, {}, {f"nvidia.com/mig-{p}": n for p, n in (("1g.5gb", 7), ("7g.40gb", 0))},
                                  {"1g.5gb": 7}, 0),
    "resources beside cards":    ({}, {}, {"gpu": "6", "nvidia.com/mig-3g.40gb": "4"}, {"3g.40gb": 4}, 6),
    "annotation":                ({}, {MIG: "1g.5gb:7,2g.10gb:3"}, {}, {"1g.5gb": 7, "2g.10gb": 3}, 0),
    "label":                     ({MIG: "1g.5GB:7"}, {}, {}, {"1g.5gb": 7}, 0),
    "resources before the text": ({}, {MIG: "1g.5gb:7"}, {"nvidia.com/mig-2g.10gb": "1"}, {"2g.10gb": 1}, 0),
    "all cards cut alike":       (
        {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "nvidia.com/gpu.memory": "4864"},
        {}, {"gpu": "56"}, {"1g.5gb": 56}, 0),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "annotations", "offered", "slices", "cards"), SLICES.values(), ids=SLICES)
def test_slices(labels, annotations, offered, slices, cards):
    worker = read_one(node(labels=labels, annotations=annotations, **offered))

    assert dict(worker.mig_slices) == slices
    assert len(worker.gpus) == cards


LINKS = {
    "not said":  ({}, None),
    "nvlink":    ({"neuronetes.io/gpu-topology": "nvlink"}, "nvlink"),
    "pcie":      ({"neuronetes.io/gpu-topology": "PCIe"}, "pcie"),
    "a riddle":  ({"neuronetes.io/gpu-topology": "string"}, None),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "kind"), LINKS.values(), ids=LINKS)
def test_links(labels, kind):
    links = read_one(node(labels=labels, gpu="4")).links

    assert (links and links.between(0, 3).kind) == kind


WARNED = {
    "fewer than known":  ({"nvidia.com/gpu.count": "9"}, "has 9 cards and offers 8"),
    "memory":            ({"nvidia.com/gpu.memory": "lots"}, "'lots' is not a number; it is ignored"),
    "negative memory":   ({"nvidia.com/gpu.memory": "-1"}, "is negative"),
    "huge memory":       ({"neuronetes.io/gpu-memory": "1e30"}, "too large"),
    "not a number":      ({"nvidia.com/gpu.memory": "NaN"}, "is not a number"),
    "topology":          ({"neuronetes.io/gpu-topology": "x" * 5000}, "neither nvlink nor pcie"),
    "slices":            ({"neuronetes.io/mig-config": "7"}, "no number of slices"),
    "negative replicas": ({"nvidia.com/gpu.replicas": "-4"}, "is negative"),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "words"), WARNED.values(), ids=WARNED)
def test_what_is_odd_is_said_and_the_node_stays(labels, words):
    inventory = read(node(labels=labels, gpu="8"))

    assert inventory.cluster.workers[0].gpus
    (warning,) = inventory.warnings
    assert words in warning
    assert len(warning) < 400


def test_nodes_that_say_the_same_share_their_cards():
    first, second, third = read(
        *(node(name, labels=GFD, gpu=count) for name, count in ("a8", "b8", "c7"))
    ).cluster.workers

    assert first.gpus is second.gpus
    assert third.gpus is not first.gpus

"""Annotations of Alnair's profiler and device plugin, in every form they have had."""

import pytest

from bayplan.cluster.utilization import GpuUtilization
from unit.manifests.inventory.builders import node, read, read_fixtures, read_one

STATIC = "{'count': '2', 'model': 'Tesla K80', 'mem_size': '12GB', 'pcie_gen_width': '1x16'}"


def annotated(**annotations):
    """Annotations under the prefix; `_` stands for `-`."""
    return {f"ai.centaurus.io/{key.replace('_', '-')}": value for key, value in annotations.items()}


def test_a_node_of_full_size():
    inventory = read_fixtures("alnair-nodes.json")
    (worker,) = inventory.cluster.workers

    assert inventory.warnings == ()
    assert {(gpu.model, gpu.memory_mib, gpu.pcie_gen) for gpu in worker.gpus} == {("TITAN X (Pascal)", 12288, 3)}
    assert [gpu.observed_used_mib for gpu in worker.gpus] == [number * 1024 for number in range(8)]
    assert all(gpu.uuid.startswith("GPU-") for gpu in worker.gpus)
    assert worker.utilization.age_s is None
    assert worker.utilization.gpus[0] == GpuUtilization(
        0, gpu_percent=0, memory_bandwidth_percent=0, cyclic=False, job_type="DLT"
    )
    assert worker.utilization.gpus[7] == GpuUtilization(
        7, gpu_percent=84, memory_bandwidth_percent=70, cyclic=True, period_s=17.5
    )


def test_the_renamed_field_goes_first():
    seen = "{'max_mem_util': 10, 'max_mem_bw_util': 34}"
    worker = read_one(node(gpu="1", annotations=annotated(gpu_0=seen)))

    assert worker.utilization.gpus[0].memory_bandwidth_percent == 34


def test_the_oldest_form():
    notes = {"ai.centaurus.io/GPU-0-job-type": "DLT", "ai.centaurus.io/GPU-0-mem-util-max": "66"}
    worker = read_one(node(gpu="1", annotations=notes))

    assert worker.utilization.gpus == (GpuUtilization(0, memory_bandwidth_percent=66, job_type="DLT"),)


@pytest.mark.parametrize("key", ["vitual_gpu_count", "virtual_gpu_count"])
def test_the_device_plugin_counts_gib_on_each_card(key):
    notes = annotated(physical_gpu_uuids="GPU-a,GPU-b", **{key: "16,32"})
    worker = read_one(node(annotations=notes))

    assert [(gpu.uuid, gpu.memory_mib) for gpu in worker.gpus] == [("GPU-a", 16384), ("GPU-b", 32768)]


def test_what_kubernetes_offers_counts_before_the_profile():
    labels = {"nvidia.com/gpu.product": "V100", "nvidia.com/gpu.memory": "16160"}
    worker = read_one(node(gpu="3", labels=labels, annotations=annotated(gpu_static=STATIC)))

    assert [(gpu.model, gpu.memory_mib, gpu.pcie_gen) for gpu in worker.gpus] == [("V100", 16160, 1)] * 3


def test_links_follow_the_profiled_cards():
    worker = read_one(node(labels={"neuronetes.io/gpu-topology": "pcie"}, annotations=annotated(gpu_static=STATIC)))

    assert worker.links.between(0, 1).bandwidth_gb_per_s == 4


def test_cards_of_other_vendors_are_left_alone():
    worker = read_one(node(annotations=annotated(gpu_static=STATIC), **{"amd.com/gpu": "1"}))

    assert [(str(gpu.card), gpu.model) for gpu in worker.gpus] == [
        ("cuda:0", "Tesla K80"), ("cuda:1", "Tesla K80"), ("rocm:0", None)
    ]  # fmt: skip


def test_sizes_in_other_units_mean_what_they_say():
    worker = read_one(node(gpu="1", annotations=annotated(gpu_0="{'mem_used': '512MiB'}")))

    assert worker.gpus[0].observed_used_mib == 512


def test_other_annotations_of_the_prefix_say_nothing():
    inventory = read(node(gpu="1", annotations=annotated(scheduler_timestamp="17", gpu_0_util="5")))

    assert inventory.warnings == ()
    assert inventory.cluster.workers[0].utilization is None


HOSTILE = {
    "a call":              {"gpu_static": "__import__('os').getcwd()"},
    "cut off":             {"gpu_0": "{'mem_used': "},
    "no dict":             {"gpu_0": "[1, 2]"},
    "too deep":            {"gpu_0": "{'a': " * 100},
    "too long":            {"gpu_0": "[" * 10**6},
    "not finite":          {"gpu_0": "{'max_gpu_util': nan}"},
    "text for a number":   {"gpu_0": "{'max_gpu_util': 'busy'}"},
    "above hundred":       {"gpu_0": "{'max_gpu_util': 101}"},
    "negative":            {"gpu_0": "{'mem_used': '-3GB'}"},
    "10^30 of memory":     {"gpu_0": f"{{'mem_used': '{10**30}GB'}}"},
    "a list for a number": {"gpu_0": "{'max_gpu_util': [1]}"},
    "endless period":      {"gpu_0": "{'period': '1e999'}"},
    "negative count":      {"gpu_static": "{'count': '-2'}"},
    "a billion cards":     {"gpu_static": "{'count': '1000000000'}"},
    "half a card":         {"gpu_static": "{'count': 1.5}"},
    "no generation":       {"gpu_static": "{'pcie_gen_width': 'x16'}", "gpu_0": "{'mem_used': 'x'}"},
    "generation 99":       {"gpu_static": "{'pcie_gen_width': '99x16'}"},
    "many sizes":          {"vitual_gpu_count": ",".join(["12"] * 5000)},
    "no size":             {"vitual_gpu_count": "12,big"},
    "many uuids":          {"physical_gpu_uuids": ",".join(["GPU-x"] * 5000)},
}  # fmt: skip


@pytest.mark.parametrize("annotations", HOSTILE.values(), ids=HOSTILE)
def test_what_cannot_be_read_is_ignored_with_a_warning(annotations):
    inventory = read(node(gpu="2", annotations=annotated(**annotations)))
    (worker,) = inventory.cluster.workers

    assert [(gpu.model, gpu.memory_mib, gpu.observed_used_mib, gpu.uuid) for gpu in worker.gpus] == [(None,) * 4] * 2
    assert worker.utilization is None
    (warning,) = inventory.warnings
    assert warning.startswith("cluster.json:")
    assert "ai.centaurus.io/" in warning
    assert "ignored" in warning


def test_a_profile_of_a_card_that_is_not_there_is_ignored():
    inventory = read(node(gpu="1", annotations=annotated(gpu_9="{'mem_used': '1GB'}")))

    assert [gpu.index for gpu in inventory.cluster.workers[0].gpus] == [0]
    assert "the profile of card 9 is ignored: the node has 1 cards" in inventory.warnings[0]

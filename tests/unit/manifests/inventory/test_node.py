"""Kubernetes Nodes become workers."""

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.taint import Taint, TaintEffect
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.worker import WorkerStatus
from bayplan.framework.errors import InputError
from unit.manifests.inventory.builders import READY, node, read, read_fixtures, read_one


def test_a_node_of_full_size():
    worker, *others = read_fixtures("kubernetes-nodes.json").cluster.workers

    assert not others
    assert worker.name == "ip-10-4-17-21.us-west-2.compute.internal"
    assert worker.status is WorkerStatus.READY
    assert (worker.cpu_milli, worker.ram_mib) == (95690, 1157921124 // 1024)
    assert worker.topology == TopologyPath("us-west-2", "us-west-2b", "nn-7be210", "nn-c04d55")
    assert [gpu.index for gpu in worker.gpus] == list(range(8))
    assert {(gpu.model, gpu.memory_mib) for gpu in worker.gpus} == {("NVIDIA-A100-SXM4-40GB", 40960)}
    assert worker.links.islands == (tuple(range(8)),)
    assert worker.links.smallest_bandwidth(range(8)) == 600
    assert not worker.mig_slices
    assert not worker.spot
    assert (worker.usd_per_hour, worker.power_watts) == (32.77, 6500)
    assert worker.cached_models == {"llama-3-70b": None, "embedder": None}
    assert worker.taints == (
        Taint("nvidia.com/gpu", TaintEffect.NO_SCHEDULE, "present"),
        Taint("team", TaintEffect.PREFER_NO_SCHEDULE, "research"),
    )
    assert len(worker.labels) > 60


def test_a_node_of_full_size_needs_no_warning():
    assert read_fixtures("kubernetes-nodes.json").warnings == ()


STATUS = {
    "ready":                    (READY, {}, "ready"),
    "cordoned":                 (READY, {"unschedulable": True}, "cordoned"),
    "uncordoned":               (READY, {"unschedulable": False}, "ready"),
    "not ready":                ([{"type": "Ready", "status": "False"}], {}, "not-ready"),
    "unknown is not ready":     ([{"type": "Ready", "status": "Unknown"}], {}, "not-ready"),
    "silent is not ready":      ([], {}, "not-ready"),
    "not ready and cordoned":   ([], {"unschedulable": True}, "not-ready"),
    "other conditions do not":  ([{"type": "DiskPressure", "status": "True"}], {}, "not-ready"),
}  # fmt: skip


@pytest.mark.parametrize(("conditions", "spec", "status"), STATUS.values(), ids=STATUS)
def test_status(conditions, spec, status):
    assert read_one(node(conditions=conditions, spec=spec)).status == status


def test_the_taint_of_a_cordoned_node_is_its_status():
    taints = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}, {"key": "a", "effect": "NoExecute"}]

    assert read_one(node(spec={"taints": taints})).taints == (Taint("a", TaintEffect.NO_EXECUTE),)


HOST = {
    "as kubelets write it":   ({"cpu": "95690m", "memory": "1024Ki"}, 95690, 1),
    "rounded down":           ({"cpu": "0.0005", "memory": "2047Ki"}, 0, 1),
    "bare numbers are bytes": ({"cpu": 96, "memory": 1048576}, 96000, 1),
    "other units":            ({"cpu": "1k", "memory": "1Ti"}, 1_000_000, 1048576),
    "nothing is unknown":     ({}, None, None),
}  # fmt: skip


@pytest.mark.parametrize(("offered", "cpu_milli", "ram_mib"), HOST.values(), ids=HOST)
def test_host(offered, cpu_milli, ram_mib):
    worker = read_one(node(**offered))

    assert (worker.cpu_milli, worker.ram_mib) == (cpu_milli, ram_mib)


def test_capacity_stands_in_where_nothing_is_allocatable():
    data = node()
    data["status"] = {"capacity": {"cpu": "4", "nvidia.com/gpu": "2"}, "conditions": READY}

    worker = read_one(data)

    assert (worker.cpu_milli, len(worker.gpus)) == (4000, 2)


def test_measures_are_annotations_or_labels():
    worker = read_one(
        node(
            labels={"bayplan.io/power-watts": "700"},
            annotations={"bayplan.io/usd-per-hour": "$2.5", "bayplan.io/carbon-grams-per-kwh": "80"},
        )
    )

    assert (worker.usd_per_hour, worker.power_watts, worker.carbon_g_per_kwh) == (2.5, 700, 80)


def test_services_and_cached_models_are_lists():
    annotations = {"bayplan.io/services": "weaviate-0, redis,,", "neuronetes.io/cached-models": "a,b,a"}
    worker = read_one(node(annotations=annotations))

    assert worker.services == ("weaviate-0", "redis")
    assert worker.cached_models == FrozenMap({"a": None, "b": None})


def test_labels_without_quotes_are_texts():
    worker = read_one(node(labels={"a": 8, "b": True, "c": None, "d": 1.5, "e": "x"}))

    assert worker.labels == {"a": "8", "b": "true", "c": "", "d": "1.5", "e": "x"}


def test_an_unreadable_measure_is_unknown_with_a_warning():
    inventory = read(node(annotations={"bayplan.io/usd-per-hour": "cheap"}))

    assert inventory.cluster.workers[0].usd_per_hour is None
    (warning,) = inventory.warnings
    assert warning.startswith('cluster.json:9: [0].metadata.annotations["bayplan.io/usd-per-hour"]: ')
    assert "'cheap' is not a number; it is ignored" in warning


def test_warnings_that_are_alike_are_told_once():
    objects = [node(f"n{number}", annotations={"bayplan.io/usd-per-hour": f"x{number}"}) for number in range(40)]

    (warning,) = read(*objects).warnings

    assert warning.endswith("(and 39 more like it)")


OFFERED = ("status", "allocatable")
GPU = (*OFFERED, "nvidia.com/gpu")
TAINTS = ("spec", "taints")
REFUSED = {
    "no metadata":             (("metadata",), None, "[0].metadata.name", "no name"),
    "metadata is a text":      (("metadata",), "x", "[0].metadata", "is no mapping"),
    "the name is a number":    (("metadata", "name"), 7, "[0].metadata.name", "is no text"),
    "labels are a list":       (("metadata", "labels"), [], "[0].metadata.labels", "is no mapping"),
    "a label is a list":       (("metadata", "labels"), {"a": []}, "[0].metadata.labels.a", "is no text"),
    "cpu is negative":         ((*OFFERED, "cpu"), "-4", "allocatable.cpu", "is negative"),
    "memory is no number":     ((*OFFERED, "memory"), "lots", "allocatable.memory", "is not a number"),
    "memory of 10^30":         ((*OFFERED, "memory"), 10**30, "allocatable.memory", "too large"),
    "memory of 10^30 in text": ((*OFFERED, "memory"), "1e30", "allocatable.memory", "too large"),
    "memory of many digits":   ((*OFFERED, "memory"), "9" * 30 + "Ki", "allocatable.memory", "too large"),
    "memory is a list":        ((*OFFERED, "memory"), [1], "allocatable.memory", "is not a number"),
    "minus one card":          (GPU, "-1", '["nvidia.com/gpu"]', "is negative"),
    "half a card":             (GPU, "0.5", '["nvidia.com/gpu"]', "is not a whole number"),
    "a billion cards":         (GPU, "1e9", '["nvidia.com/gpu"]', "at most 1,024"),
    "cards are a mapping":     (GPU, {}, '["nvidia.com/gpu"]', "is not a number"),
    "conditions are a text":   (("status", "conditions"), "Ready", "[0].status.conditions", "is no list"),
    "a condition is a text":   (("status", "conditions"), ["Ready"], "conditions[0]", "is no mapping"),
    "unschedulable is a text": (("spec", "unschedulable"), "yes", "spec.unschedulable", "neither true nor false"),
    "a taint is a text":       (TAINTS, ["gpu"], "spec.taints[0]", "is no mapping"),
    "a taint without a key":   (TAINTS, [{"effect": "NoSchedule"}], "taints[0].key", "is no key"),
    "a taint without effect":  (TAINTS, [{"key": "a"}], "taints[0].effect", "is no effect"),
    "an effect in a list":     (TAINTS, [{"key": "a", "effect": []}], "taints[0].effect", "is no effect"),
    "a value in a list":       (TAINTS, [{"key": "a", "value": []}], "taints[0].value", "is no text"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "value", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_no_api_server_sends_is_refused_with_its_place(path, value, place, words):
    data = node(cpu="4", memory="8Gi")
    holder = data
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value

    with pytest.raises(InputError) as caught:
        read(data)

    assert caught.value.place.startswith("cluster.json:")
    assert place in caught.value.place
    assert words in caught.value.message
    assert caught.value.next


def test_a_node_with_very_many_labels_is_read():
    worker = read_one(node(labels={f"example.com/label-{number}": "x" * 60 for number in range(20_000)}, gpu="8"))

    assert len(worker.labels) == 20_000
    assert len(worker.gpus) == 8

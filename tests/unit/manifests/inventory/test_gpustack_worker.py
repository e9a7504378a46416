"""Workers as GPUStack's API tells them."""

import json

import pytest

from bayplan.cluster.utilization import GpuUtilization
from bayplan.framework.errors import InputError
from unit.manifests.inventory.builders import FIXTURES, read, read_fixtures, read_one

GIB = 2**30


def worker(name="w", *devices, state="ready", **fields):
    return {"name": name, "worker_uuid": "u", "state": state, "status": {"gpu_devices": list(devices)}, **fields}


def device(index=0, total=24 * GIB, **fields):
    return {"index": index, "type": "cuda", "name": "L4", "memory": {"total": total}, **fields}


def test_a_worker_of_full_size():
    inventory = read_fixtures("gpustack-workers.json")
    (found,) = inventory.cluster.workers

    assert inventory.warnings == ()
    assert (found.name, found.status.value) == ("host01-4090", "ready")
    assert (found.cpu_milli, found.ram_mib) == (128_000, 540954902528 // 2**20)
    assert (found.reserved_ram_mib, found.reserved_gpu_memory_mib) == (2048, 1024)
    assert found.topology.zone == "room-2"
    assert [str(gpu.card) for gpu in found.gpus] == [f"cuda:{index}" for index in range(8)]
    assert {(gpu.model, gpu.memory_mib) for gpu in found.gpus} == {("NVIDIA GeForce RTX 4090", 24564)}
    assert [gpu.observed_used_mib for gpu in found.gpus] == [22108] + [442] * 7
    assert (found.utilization.cpu_percent, found.utilization.ram_percent) == (12.5, 24)
    assert found.utilization.gpus[0] == GpuUtilization(0, gpu_percent=97, memory_percent=88.1)


def test_a_display_adapter_is_no_card():
    adapter = device(0, 0, type=None, vendor="Cirrus Logic", name="GD 5446")

    inventory = read(worker("w", adapter, device(0), device(1)))

    assert [str(gpu.card) for gpu in inventory.cluster.workers[0].gpus] == ["cuda:0", "cuda:1"]
    assert any("'GD 5446' has no memory of its own" in warning for warning in inventory.warnings)


def test_older_names_of_the_reserve():
    found = read_one(worker(system_reserved={"memory": GIB, "gpu_memory": 2 * GIB}))

    assert (found.reserved_ram_mib, found.reserved_gpu_memory_mib) == (1024, 2048)


STATES = {
    "ready":         ({"state": "ready"}, "ready"),
    "not ready":     ({"state": "not_ready"}, "not-ready"),
    "unreachable":   ({"state": "unreachable"}, "not-ready"),
    "provisioning":  ({"state": "provisioning"}, "not-ready"),
    "silent":        ({"state": None}, "not-ready"),
    "maintenance":   ({"state": "maintenance"}, "cordoned"),
    "ready, but":    ({"state": "ready", "maintenance": {"enabled": True, "message": "disk"}}, "cordoned"),
    "no more":       ({"state": "ready", "maintenance": {"enabled": False}}, "ready"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "status"), STATES.values(), ids=STATES)
def test_state(fields, status):
    assert read_one(worker("w", **fields)).status == status


RUNTIMES = {
    "said":          ({"type": "cann", "vendor": "ascend"}, "cann"),
    "by the vendor": ({"type": "", "vendor": "AMD"}, "rocm"),
    "apple":         ({"type": None, "vendor": "apple"}, "mps"),
    "unknown":       ({"type": "", "vendor": "acme"}, "acme"),
    "nothing said":  ({"type": ""}, "cuda"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "runtime"), RUNTIMES.values(), ids=RUNTIMES)
def test_runtime(fields, runtime):
    assert read_one(worker("w", device(**fields))).gpus[0].runtime == runtime


def test_what_is_promised_counts_where_it_is_more_than_what_is_seen():
    memory = {"total": 24 * GIB, "used": GIB, "allocated": 20 * GIB}

    assert read_one(worker("w", device(memory=memory))).gpus[0].observed_used_mib == 20 * 1024


def test_what_nobody_told_is_unknown():
    found = read_one(worker("w", {"memory": {}}))

    assert (found.cpu_milli, found.ram_mib, found.utilization) == (None, None, None)
    (gpu,) = found.gpus
    assert (gpu.index, gpu.model, gpu.memory_mib, gpu.observed_used_mib, gpu.uuid) == (0, None, None, None, None)


def test_one_memory_for_cards_and_host_is_told():
    (warning,) = read(worker("w", device(memory={"total": GIB, "is_unified_memory": True}))).warnings

    assert "share one memory" in warning


def test_devices_of_two_vendors():
    found = read_one(worker("w", device(0), device(0, type="rocm")))

    assert [str(gpu.card) for gpu in found.gpus] == ["cuda:0", "rocm:0"]


def spoilt(path, value):
    data = json.loads((FIXTURES / "gpustack-workers.json").read_text())["items"][0]
    holder = data
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return data


DEVICE = ("status", "gpu_devices", 0)
HOSTILE = {
    "no name":               (("name",), None, "[0].name"),
    "name is a number":      (("name",), 3, "[0].name"),
    "labels are a list":     (("labels",), [], "[0].labels"),
    "state is a mapping":    (("state",), {}, "[0].state"),
    "devices are a mapping": (("status", "gpu_devices"), {"0": {}}, "status.gpu_devices"),
    "a device is a text":    (DEVICE, "A100", "gpu_devices[0]"),
    "very many devices":     (("status", "gpu_devices"), [{}] * 5000, "status.gpu_devices"),
    "a negative index":      ((*DEVICE, "index"), -1, "gpu_devices[0].index"),
    "an index twice":        ((*DEVICE, "index"), 1, "gpus[1].index"),
    "a huge index":          ((*DEVICE, "index"), 10**30, "gpu_devices[0].index"),
    "memory is a text":      ((*DEVICE, "memory"), "24GiB", "gpu_devices[0].memory"),
    "negative memory":       ((*DEVICE, "memory", "total"), -1, "gpu_devices[0].memory.total"),
    "10^30 of memory":       ((*DEVICE, "memory", "total"), 10**30, "gpu_devices[0].memory.total"),
    "used is a list":        ((*DEVICE, "memory", "used"), [1], "gpu_devices[0].memory.used"),
    "a rate of 300":         ((*DEVICE, "core", "utilization_rate"), 300, "core.utilization_rate"),
    "cpu is a mapping":      (("status", "cpu", "total"), {}, "status.cpu.total"),
    "negative reserve":      (("system_reserved", "ram"), -5, "system_reserved.ram"),
    "maintenance is a text": (("maintenance",), {"enabled": "yes"}, "maintenance.enabled"),
    "a name is a list":      ((*DEVICE, "name"), ["x"], "gpu_devices[0].name"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "value", "place"), HOSTILE.values(), ids=HOSTILE)
def test_refused_with_its_place(path, value, place):
    with pytest.raises(InputError) as caught:
        read(spoilt(path, value))

    assert caught.value.place.startswith("cluster.json:")
    assert place in caught.value.place
    assert caught.value.next

"""NVML behind the port: a library in memory that has the shape of the real one."""

import ctypes
import sys
from types import ModuleType

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.local import DriverError, read_local
from bayplan.manifests.inventory.nvml import Nvml, nvml


class Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class Placement(ctypes.Structure):
    _fields_ = (("start", ctypes.c_uint), ("size", ctypes.c_uint))


class InstanceInfo(ctypes.Structure):
    _fields_ = (("id", ctypes.c_uint), ("placement", Placement))


class Library(ModuleType):
    """Two cards; the second one is cut into one instance."""

    class NVMLError(Exception):
        pass

    def __init__(self, broken=False):
        super().__init__("pynvml_in_memory")
        self.running, self.broken = False, broken

    def nvmlInit(self):  # noqa: N802 (names of the real library, here and below)
        if self.broken:
            raise self.NVMLError("Driver Not Loaded")
        self.running = True

    def nvmlShutdown(self):  # noqa: N802
        self.running = False

    def nvmlDeviceGetCount(self):  # noqa: N802
        return 2

    def nvmlDeviceGetHandleByIndex(self, index):  # noqa: N802
        return f"handle {index}"

    def nvmlDeviceGetName(self, handle):  # noqa: N802
        return b"NVIDIA A100-SXM4-40GB MIG 3g.20gb" if handle == "instance" else b"NVIDIA A100-SXM4-40GB"

    def nvmlDeviceGetMemoryInfo(self, _handle):  # noqa: N802
        return Memory(40 * 2**30, 39 * 2**30, 2**30)

    def nvmlDeviceGetMigMode(self, handle):  # noqa: N802
        return [int(handle == "handle 1"), 0]

    def nvmlDeviceGetMaxMigDeviceCount(self, _handle):  # noqa: N802
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, _handle, number):  # noqa: N802
        if number != 4:
            raise self.NVMLError("Not Found")
        return "instance"

    def nvmlDeviceGetP2PStatus(self, first, second, index):  # noqa: N802
        assert (first, second, index) == ("handle 0", "handle 1", 2)
        return 0

    def nvmlDeviceGetUUID(self, handle):  # noqa: N802
        if handle != "instance":
            raise self.NVMLError("Not Supported")
        return b"MIG-1234"

    def nvmlDeviceGetGpuInstanceId(self, _handle):  # noqa: N802
        return 9

    def nvmlDeviceGetGpuInstanceById(self, card, number):  # noqa: N802
        assert (card, number) == ("handle 1", 9)
        return "gpu instance"

    def nvmlGpuInstanceGetInfo(self, _instance):  # noqa: N802
        return InstanceInfo(9, Placement(4, 4))


@pytest.fixture
def library(monkeypatch):
    made = Library()
    monkeypatch.setitem(sys.modules, "pynvml_in_memory", made)
    return made


def test_the_whole_way(library):
    with nvml("pynvml_in_memory") as driver:
        (worker,) = read_local(driver, "box").cluster.workers

    assert not library.running
    assert [(gpu.model, gpu.memory_mib, gpu.observed_used_mib) for gpu in worker.gpus] == [
        ("NVIDIA A100-SXM4-40GB", 40960, 1024)
    ] * 2
    assert [gpu.mig_enabled for gpu in worker.gpus] == [False, True]
    assert dict(worker.mig_slices) == {"3g.20gb": 1}
    assert worker.links.between(0, 1).kind == "nvlink"
    assert worker.gpus[0].uuid is None


def test_structures_are_plain_data(library):
    assert Nvml(library).ask("DeviceGetMemoryInfo", 0) == {"total": 40 * 2**30, "free": 39 * 2**30, "used": 2**30}


@pytest.mark.parametrize(
    "question", ["DeviceGetUUID", "DeviceGetNumaNodeId"], ids=["refused", "unknown to the library"]
)
def test_what_is_not_answered(question, library):
    with pytest.raises(DriverError, match=question):
        Nvml(library).ask(question, 0)


def test_without_the_package():
    with pytest.raises(InputError) as caught, nvml("pynvml_that_nobody_installed"):
        pass

    assert caught.value.place == "NVML"
    assert "pip install 'bayplan[nvml]'" in caught.value.next


def test_without_a_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml_in_memory", Library(broken=True))

    told = "no NVIDIA driver answers: Driver Not Loaded; run it on a machine"
    with pytest.raises(InputError, match=told), nvml("pynvml_in_memory"):
        pass


def test_the_library_is_shut_down_when_reading_fails(library):
    with pytest.raises(KeyError), nvml("pynvml_in_memory"):
        raise KeyError("x")

    assert not library.running


def test_mig_devices_are_told_with_uuid_and_place(library):
    assert Nvml(library).ask("MigDevices", 1) == [
        {"name": "NVIDIA A100-SXM4-40GB MIG 3g.20gb", "uuid": "MIG-1234", "start": 4}
    ]

"""This machine as a worker, from the answers of its GPU driver."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.links import NVLINK, LinkSpec, wire_listed
from bayplan.cluster.mig import MigState
from bayplan.cluster.quantities import MAX_MIB
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.cluster.worker import Worker
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.inventory import Inventory

if TYPE_CHECKING:
    from bayplan.cluster.links import LinkMatrix

PLACE = "NVML"
_MIB = 2**20
_P2P_OK = 0  # NVML_P2P_STATUS_OK of NVIDIA's nvml.h
_INSTEAD = "run it on a machine with an NVIDIA GPU and driver, or describe this one in a Cluster file"


class DriverError(Exception):
    """The driver has no answer to a question, which is common. Callers of this module never see this error."""


class Driver(Protocol):
    """The source of answers about cards, in plain data: NVML, or a recording of it."""

    def ask(self, question: str, *cards: int) -> Any:
        """The answer to a question of NVML without its prefix (`DeviceGetName`) about some cards, by number."""


def read_local(driver: Driver, name: str, *, cpu_milli: int | None = None, ram_mib: int | None = None) -> Inventory:
    """This machine as a worker; what the driver does not know about a card stays unknown."""
    count = driver.ask("DeviceGetCount")
    if not count:
        raise InputError("the driver has no GPU", place=PLACE, next=_INSTEAD)
    gpus = tuple(_gpu(driver, index) for index in range(count))
    slices = Counter(
        profile for index in range(count) if gpus[index].mig_enabled for profile in _profiles(driver, index)
    )
    measured = tuple(each for index in range(count) if (each := _utilization(driver, index)) is not None)
    worker = Worker(
        name,
        cpu_milli=cpu_milli,
        ram_mib=ram_mib,
        gpus=gpus,
        links=_links(driver, gpus),
        mig_slices=FrozenMap(slices),
        utilization=Utilization(age_s=0.0, gpus=measured) if measured else None,
    )
    return Inventory(Cluster((worker,)))


def _gpu(driver: Driver, index: int) -> Gpu:
    memory = _answer(driver, "DeviceGetMemoryInfo", index) or {}
    total, used = memory.get("total"), memory.get("used")
    mig = _answer(driver, "DeviceGetMigMode", index)
    return Gpu(
        index,
        uuid=_answer(driver, "DeviceGetUUID", index),
        model=_answer(driver, "DeviceGetName", index),
        memory_mib=None if total is None else min(total // _MIB, MAX_MIB),
        numa=_answer(driver, "DeviceGetNumaNodeId", index),
        pcie_gen=_answer(driver, "DeviceGetMaxPcieLinkGeneration", index),
        observed_used_mib=None if used is None else -(-used // _MIB),
        mig=MigState() if mig and mig[0] else None,
    )


def _profiles(driver: Driver, index: int) -> list[str]:
    """The MIG profiles of a card: the last word of instance names such as `NVIDIA A100-SXM4-40GB MIG 1g.5gb`."""
    names = _answer(driver, "MigDeviceNames", index) or []
    return [name.rpartition(" ")[2].lower() for name in names if " MIG " in name]


def _utilization(driver: Driver, index: int) -> GpuUtilization | None:
    rates = _answer(driver, "DeviceGetUtilizationRates", index)
    if not rates:
        return None
    return GpuUtilization(index, gpu_percent=rates.get("gpu"), memory_bandwidth_percent=rates.get("memory"))


def _links(driver: Driver, gpus: tuple[Gpu, ...]) -> LinkMatrix | None:
    """The NVLinks between cards; None where the driver does not know them for every pair."""
    joined = {pair: _answer(driver, "DeviceGetP2PStatus", *pair) for pair in combinations(range(len(gpus)), 2)}
    if len(gpus) < 2 or None in joined.values():
        return None
    return wire_listed((LinkSpec(*pair, NVLINK) for pair, status in joined.items() if status == _P2P_OK), gpus)


def _answer(driver: Driver, question: str, *cards: int) -> Any:
    try:
        return driver.ask(question, *cards)
    except DriverError:
        return None

"""What a worker measures of its machine: processors, memory, disks, network, and its cards where there is a driver."""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.local import DriverError
from bayplan.manifests.inventory.nvml import nvml
from bayplan.runtimes.processes.mig_devices import mig_devices

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.inventory.local import Driver
    from bayplan.runtimes.processes.mig_devices import MigDevices

PERIOD_S = 1.0
_MOST_SAMPLES = 120  # that wait for a heartbeat, should the server be away
_SECTOR_BYTES = 512  # of /proc/diskstats, whatever the disk
_NO_DISK = re.compile(r"loop\d+|ram\d+|dm-\d+|[shv]d[a-z]+\d+|(?:nvme\d+n|mmcblk)\d+p\d+")
"""Parts of disks, and what lies above or below disks: their bytes are counted with the disk."""
_MB, _MIB = 1e6, 2**20


class MachineUse:
    """Rates between two looks at /proc; what it does not tell is left out."""

    def __init__(self, proc: Path = Path("/proc"), clock: Callable[[], float] = time.monotonic) -> None:
        self._proc, self._clock = proc, clock
        self._before = self._counters()

    def read(self) -> dict[str, float]:
        """The use since the last look."""
        before, now = self._before, self._counters()
        self._before = now
        seconds = max(1e-3, now["at"] - before["at"])
        found = {}
        if "busy" in now and "busy" in before and now["ticks"] > before["ticks"]:
            found["cpuPercent"] = 100.0 * (now["busy"] - before["busy"]) / (now["ticks"] - before["ticks"])
        for key, name in (("disk", "diskMbPerS"), ("network", "networkMbPerS")):
            if key in now and key in before:
                found[name] = max(0.0, now[key] - before[key]) / seconds / _MB
        with suppress(OSError, KeyError, ValueError, ZeroDivisionError):
            memory = dict(line.split(":", 1) for line in self._lines("meminfo"))
            total, free = (int(memory[key].split()[0]) for key in ("MemTotal", "MemAvailable"))
            found["ramPercent"] = 100.0 * (total - free) / total
        return {key: round(value, 2) for key, value in found.items()}

    def _counters(self) -> dict[str, float]:
        found = {"at": self._clock()}
        with suppress(OSError, ValueError, IndexError):
            ticks = [int(each) for each in self._lines("stat")[0].split()[1:9]]
            found |= {"ticks": sum(ticks), "busy": sum(ticks) - ticks[3] - ticks[4]}  # all but idle and waiting
        with suppress(OSError, ValueError, IndexError):
            fields = [line.split() for line in self._lines("diskstats")]
            whole = [
                each for each in fields if not each[2].startswith(("loop", "ram", "dm-")) and not each[2][-1].isdigit()
            ]
            found["disk"] = _SECTOR_BYTES * sum(int(each[5]) + int(each[9]) for each in whole)
        with suppress(OSError, ValueError, IndexError):
            devices = [line.split(":", 1) for line in self._lines("net/dev")[2:]]
            counted = [rest.split() for name, rest in devices if name.strip() != "lo"]
            found["network"] = sum(int(each[0]) + int(each[8]) for each in counted)
        return found

    def _lines(self, name: str) -> list[str]:
        return (self._proc / name).read_text().splitlines()


class CardUse:
    """The use of NVIDIA cards, each second; a card that does not answer is left out."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._percents: dict[int, list[float]] = defaultdict(list)

    def sample(self) -> None:
        """Take one sample of each card."""
        for index in range(self._ask("DeviceGetCount") or 0):
            rates = self._ask("DeviceGetUtilizationRates", index)
            if rates and rates.get("gpu") is not None:
                self._percents[index] = [*self._percents[index][-_MOST_SAMPLES:], float(rates["gpu"])]

    def read(self) -> list[dict[str, Any]]:
        """What was sampled since the last look, with the state of each card now."""
        found = []
        for index in range(self._ask("DeviceGetCount") or 0):
            rates, memory = self._ask("DeviceGetUtilizationRates", index), self._ask("DeviceGetMemoryInfo", index)
            processes = self._ask("DeviceGetComputeRunningProcesses", index)
            samples = self._percents.pop(index, [])
            card: dict[str, Any] = {"runtime": "cuda", "index": index}
            if samples:
                card |= {"gpuPercents": samples, "gpuPercent": samples[-1]}
            if rates and rates.get("memory") is not None:
                card["memoryBandwidthPercent"] = float(rates["memory"])
            if memory and memory.get("used") is not None:
                card["memoryUsed"] = -(-int(memory["used"]) // _MIB)
            if isinstance(processes, list):
                card["processes"] = len(processes)
            found.append(card)
        return found

    def _ask(self, question: str, *cards: int) -> Any:
        try:
            return self._driver.ask(question, *cards)
        except DriverError:
            return None


class Measuring:
    """Measures beside the worker; the driver is asked in a thread, because it may take its time."""

    def __init__(self, *, cards: bool) -> None:
        self._closing = ExitStack()
        self._machine = MachineUse()
        self._cards: CardUse | None = None
        self.mig: MigDevices | None = None
        if cards:
            with suppress(InputError):  # no driver, no cards
                driver = self._closing.enter_context(nvml())
                self._cards, self.mig = CardUse(driver), mig_devices(driver)

    async def run(self) -> None:
        """Until it is cancelled."""
        try:
            while self._cards is not None:
                await asyncio.to_thread(self._cards.sample)
                await asyncio.sleep(PERIOD_S)
            await asyncio.Event().wait()
        finally:
            self._closing.close()

    async def read(self) -> dict[str, Any]:
        """What a heartbeat brings."""
        measured: dict[str, Any] = dict(self._machine.read())
        if self._cards is not None:
            measured["gpus"] = await asyncio.to_thread(self._cards.read)
        return measured

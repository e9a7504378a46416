"""What the Pods of a worker share: its folder, its clock, its ports, and those who are told."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.control.clock import SYSTEM_CLOCK
from bayplan.runtimes.processes.backoff import FIRST_S
from bayplan.runtimes.processes.replica_process import LogLimits

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path
    from typing import Literal

    from bayplan.control.clock import Clock
    from bayplan.control.store import Object
    from bayplan.runtimes.processes.launch import Machine
    from bayplan.runtimes.processes.probes import Prober

    Given = Callable[[Object, str], Awaitable[Mapping[str, str]]]
    """Asks the server for the values of ConfigMaps and Secrets that a container of a Pod names."""
    Tell = Callable[[Object, Literal["Normal", "Warning"], str, str], None]


@dataclass(frozen=True, slots=True)
class Host:
    """The worker, as the runners of its Pods see it; `changed` is called with the uid of a Pod."""

    machine: Machine
    folder: Path
    prober: Prober
    given: Given
    tell: Tell
    changed: Callable[[str], None]
    clock: Clock = SYSTEM_CLOCK
    logs: LogLimits = field(default_factory=LogLimits)
    first_pause_s: float = FIRST_S

    @property
    def lock(self) -> Path:
        """The file that every supervisor holds while its replica lives."""
        return self.folder / "replicas.lock"

    def pod_folder(self, uid: str) -> Path:
        return self.folder / "pods" / uid

    def log(self, uid: str, container: str, run: int) -> Path:
        """The log of one run of a container."""
        return self.pod_folder(uid) / container / f"{run}.log"


class Ports:
    """Free ports of an address; none is given twice while the worker runs."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._given: set[int] = set()

    def free(self) -> int:
        """A port on which nothing listens; the kernel knows."""
        while True:
            with socket.socket(socket.AF_INET6 if ":" in self._address else socket.AF_INET) as probe:
                probe.bind((self._address, 0))
                port: int = probe.getsockname()[1]
            if port not in self._given:
                self._given.add(port)
                return port

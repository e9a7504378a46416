"""A running server of many models, as the agent sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bayplan.runtimes.processes.container_state import Running
from bayplan.runtimes.processes.process_tree import below

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.runtimes.processes.pod_runner import PodRunner

_PAGES_PER_MIB = 256  # of 4096 bytes, as /proc counts


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """One run of a server that answers; another run is another value."""

    host: str
    port: int
    repository: Path
    pid: int
    began_s: float
    grpc_port: int | None = None
    env: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def rest(self) -> str:
        return self._at(self.port)

    @property
    def grpc(self) -> str | None:
        return None if self.grpc_port is None else self._at(self.grpc_port)

    def used_mib(self) -> int | None:
        """What the process and those below it have in memory; None where that is not told."""
        pages = [_pages(each) for each in (self.pid, *below(self.pid))]
        known = [each for each in pages if each is not None]
        return -(-sum(known) // _PAGES_PER_MIB) if known else None

    def _at(self, port: int) -> str:
        return f"[{self.host}]:{port}" if ":" in self.host else f"{self.host}:{port}"


def server_process(runner: PodRunner, host: str) -> ServerProcess | None:
    """The server that a Pod runs, once it is ready; None before that and after it."""
    for container in runner.containers:
        launch, state = container.launch, container.status.state
        if launch is None or launch.repository is None or launch.port is None:
            continue
        if isinstance(state, Running) and container.status.ready:
            return ServerProcess(
                host, launch.port, launch.repository, state.pid, state.since_s, launch.grpc_port, launch.env
            )
    return None


def _pages(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None

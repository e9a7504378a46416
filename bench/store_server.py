"""A real `bayplan up` in a process of its own, and what it uses of the machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayplan.api.access.kubeconfig import token_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE_S = 300.0
_LOOK_S = 0.3
_IDLE = 0.1  # of a core: heartbeats, timers, and the rounding of what the system tells
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """Where it answers, and its process."""

    port: int
    tls: bool
    token: str
    pid: int

    def cpu_s(self) -> float:
        """CPU seconds of all its threads, in user mode and in the kernel."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S  # utime and stime, counted from the state

    def settle(self) -> None:
        """Wait until it has nothing left to do: Pods that were created are placed or refused, one after the other."""
        end = time.monotonic() + _PATIENCE_S
        while time.monotonic() < end:
            before = self.cpu_s()
            time.sleep(_LOOK_S)
            if self.cpu_s() - before < _IDLE * _LOOK_S:
                return
        raise AssertionError(f"the server was busy for {_PATIENCE_S:g} s")

    def memory_mib(self, which: str = "VmRSS") -> float:
        """Resident memory; `VmHWM` is its peak."""
        for line in Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{which}:"):
                return int(line.split()[1]) / 1024
        raise AssertionError(f"no {which} in the status of process {self.pid}")

    def clients(self, job: str, **options: object) -> dict[str, Any]:
        """Run a job of bench.store_clients in another process."""
        where = {"port": self.port, "tls": self.tls, "token": self.token}
        given = json.dumps({"job": job, **where, **options})
        done = subprocess.run(
            [sys.executable, "-m", "bench.store_clients"], input=given, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"bench.store_clients {job}: {done.stderr.strip()[-2000:]}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@contextmanager
def server(folder: Path, *, tls: bool) -> Iterator[ServerProcess]:
    """Start it over a data folder; it is stopped at the end."""
    command = [sys.executable, "-m", "bayplan", "up", "--data", str(folder), "--port", "0"]
    process = subprocess.Popen(command if tls else [*command, "--insecure-http"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("ready "):
                port = int(line.rsplit(":", 1)[1])
                yield ServerProcess(port, tls, token_of(folder / "kubeconfig"), process.pid)
                return
        raise RuntimeError("bayplan up ended before it was ready")
    finally:
        process.terminate()
        process.communicate()

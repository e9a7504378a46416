"""A replica that runs, as the worker sees it: through the supervisor that is its parent."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import orjson

from bayplan.runtimes.processes.process_tree import signal_group

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan.runtimes.processes.launch import Launch

_SIGKILL = 9


@dataclass(frozen=True, slots=True)
class LogLimits:
    """How much of a container's output is kept: files of that size, and that many of them."""

    file_bytes: int = 10 * 1024 * 1024
    files: int = 5


@dataclass(frozen=True, slots=True)
class Ended:
    """How a replica ended; `signal` is 0 where it left by itself."""

    code: int
    signal: int
    began_s: float
    at_s: float


class StartError(Exception):
    """A command cannot be started, such as one that this machine does not have."""


class ReplicaProcess:
    """One run of a container. It ends with the worker, whatever ends that."""

    def __init__(self, supervisor: asyncio.subprocess.Process, pid: int, began_s: float) -> None:
        self._supervisor = supervisor
        self.pid, self.began_s = pid, began_s

    @classmethod
    async def start(cls, launch: Launch, log: Path, lock: Path, limits: LogLimits) -> Self:
        """Start the command; StartError where that is not possible."""
        log.parent.mkdir(parents=True, exist_ok=True)
        supervisor = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bayplan.runtimes.processes.supervisor",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in a terminal is for the worker, which then stops its replicas in order
        )
        order = {
            "argv": list(launch.argv),
            "env": dict(launch.env),
            "cwd": str(launch.cwd),
            "log": str(log),
            "log_bytes": limits.file_bytes,
            "log_files": limits.files,
            "lock": str(lock),
        }
        assert supervisor.stdin is not None  # noqa: S101 (it was asked for)
        supervisor.stdin.write(orjson.dumps(order) + b"\n")
        said = await _event(supervisor)
        if "started" not in said:
            await supervisor.wait()
            raise StartError(said.get("failed", "its supervisor ended"))
        return cls(supervisor, said["started"], said["at"])

    def stop(self, grace_s: float) -> None:
        """Ask it to end: SIGTERM now, SIGKILL after the grace."""
        stdin = self._supervisor.stdin
        if stdin is not None and not stdin.is_closing():
            with suppress(ConnectionError, RuntimeError):
                stdin.write(orjson.dumps({"stop": grace_s}) + b"\n")

    async def ended(self) -> Ended:
        """Until it and everything that it started are gone."""
        said = await _event(self._supervisor)
        await self._supervisor.wait()
        if "ended" in said:
            return Ended(said["ended"], said["signal"], said["began"], said["at"])
        signal_group(self.pid, _SIGKILL)  # its supervisor was killed; what is left of it must not run on
        return Ended(128 + _SIGKILL, _SIGKILL, self.began_s, self.began_s)


async def _event(supervisor: asyncio.subprocess.Process) -> dict[str, Any]:
    assert supervisor.stdout is not None  # noqa: S101 (it was asked for)
    line = await supervisor.stdout.readline()
    try:
        event: dict[str, Any] = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return event

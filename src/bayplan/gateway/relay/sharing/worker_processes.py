"""The other relay processes of a host: started, started again when one ends, and stopped."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Sequence

_log = logging.getLogger("bayplan.gateway")
_START_S: Final = 30.0
_RESTART_S: Final = 1.0
"""Between the end of a process and the start of another one in its place."""
_END_S: Final = 1.0
"""For a process to end after its drain."""


class WorkerProcesses:
    """Runs a command several times, with `--port PORT` behind it; each says `ready` once it serves."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._port = 0
        self._running: set[Process] = set()
        self._keepers: list[asyncio.Task[None]] = []
        self._is_stopping = False

    async def start(self, count: int, port: int) -> None:
        """Start them and wait until each serves."""
        self._port = port
        started = await asyncio.gather(*(self._begin() for _ in range(count)))
        self._keepers = [asyncio.create_task(self._keep(each)) for each in started]

    async def _begin(self) -> Process:
        process = await asyncio.create_subprocess_exec(
            *self._command, "--port", str(self._port), stdout=asyncio.subprocess.PIPE
        )
        self._running.add(process)
        assert process.stdout is not None  # noqa: S101 (a pipe was asked for)
        try:
            async with asyncio.timeout(_START_S):
                said = await process.stdout.readline()
        except TimeoutError:
            said = b""
        if not said.startswith(b"ready"):
            with suppress(ProcessLookupError):
                process.kill()
            self._running.discard(process)
            raise BayplanError("another relay process did not start", place="--processes", next="see the lines above")
        return process

    async def _keep(self, process: Process) -> None:
        """Start another one where one has ended by itself."""
        while True:
            code = await process.wait()
            self._running.discard(process)
            if self._is_stopping:
                return
            _log.error("a relay process ended with %d; another one is started", code)
            await asyncio.sleep(_RESTART_S)
            try:
                process = await self._begin()
            except (BayplanError, OSError) as problem:
                _log.error("it could not be started: %s", type(problem).__name__, exc_info=problem)

    def stop(self) -> None:
        """Ask all of them to end."""
        self._is_stopping = True
        for process in self._running:
            with suppress(ProcessLookupError):
                process.terminate()

    async def ended(self, drain_s: float) -> None:
        """Wait until they have; those that take longer than a drain are killed."""
        try:
            async with asyncio.timeout(drain_s + _END_S):
                await asyncio.gather(*(each.wait() for each in self._running))
        except TimeoutError:
            for process in self._running:
                with suppress(ProcessLookupError):
                    process.kill()
        for each in self._keepers:
            each.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

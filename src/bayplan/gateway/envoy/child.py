"""A program that is kept running: started again when it ends, a little later each time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

_log = logging.getLogger("bayplan.gateway")
_FIRST_WAIT_S: Final = 0.2
_LONGEST_WAIT_S: Final = 10.0
_CALM_S: Final = 30.0  # a program that ran so long is started again at once


class Child:
    """One program, started by the thread of the event loop: on a leash it ends with the thread that started it.

    `holds_stdin` keeps a pipe to it open, so that it can see that we are gone. `started` is awaited after each start.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        started: Callable[[asyncio.subprocess.Process], Awaitable[None]],
        *,
        holds_stdin: bool = False,
        reads_stdout: bool = False,
    ) -> None:
        self._name = name
        self._command = command
        self._started = started
        self._stdin = asyncio.subprocess.PIPE if holds_stdin else asyncio.subprocess.DEVNULL
        self._stdout = asyncio.subprocess.PIPE if reads_stdout else None
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self.starts = 0

    @property
    def pid(self) -> int | None:
        """Of the program, while it runs."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def start(self) -> None:
        """Start it; what goes wrong with the first start is raised, later it is tried again."""
        await self._spawn()
        self._task = asyncio.create_task(self._keep(), name=f"keep {self._name}")

    async def stop(self, patience_s: float) -> None:
        """Ask it to end, and end it by force when it does not."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        process = self._process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), patience_s)
        except TimeoutError:
            _log.warning("%s did not end within %g s and was killed", self._name, patience_s)
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _spawn(self) -> None:
        self.starts += 1
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=self._stdin, stdout=self._stdout, start_new_session=True
        )
        await self._started(self._process)

    async def _keep(self) -> None:
        wait_s = _FIRST_WAIT_S
        while True:
            began_s = monotonic()
            if self._process is not None:
                code = await self._process.wait()
                _log.error("%s ended with %d; it is started again", self._name, code)
            if monotonic() - began_s > _CALM_S:
                wait_s = _FIRST_WAIT_S
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
            try:
                await self._spawn()
            except Exception as problem:
                _log.error("%s cannot be started: %s", self._name, problem)

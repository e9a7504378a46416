"""Envoy and the picker as two programs that are kept running: each may fail without the other."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson

from bayplan.framework.errors import InputError
from bayplan.gateway.envoy import leash
from bayplan.gateway.envoy.admin import EnvoyAdmin
from bayplan.gateway.envoy.child import Child
from bayplan.gateway.envoy.configuration import LISTENER, configuration
from bayplan.gateway.envoy.run_folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayplan.gateway.envoy.settings import EnvoySettings

_START_S: Final = 30.0
_LOOK_S: Final = 0.05
_END_S: Final = 5.0
_LEVELS: Final = ("trace", "debug", "info", "warning", "error", "critical", "off")


class Supervisor:
    """Starts the picker, then Envoy in front of it. A picker that dies is started again; until then engines take turns.

    `picker` is the command of the picker; `--socket PATH --envoy-endpoints FILE` are added to it. `say` is told what it
    prints before it is ready.
    """

    def __init__(
        self,
        settings: EnvoySettings,
        envoy: Path,
        picker: Sequence[str],
        folder: RunFolder,
        say: Callable[[str], None],
        *,
        level: str = "error",
    ) -> None:
        if level not in _LEVELS:
            raise InputError(f"{level!r} is no level", place="--envoy-log", next=f"choose one of {', '.join(_LEVELS)}")
        self._settings = settings
        self._folder = folder
        self._say = say
        self._admin = EnvoyAdmin(folder.admin)
        self.port = 0
        self.picker = Child(
            "the picker",
            [*picker, "--socket", str(folder.picker), "--envoy-endpoints", str(folder.endpoints)],
            self._picker_started,
            holds_stdin=True,
            reads_stdout=True,
        )
        self.envoy = Child("Envoy", self._envoy_command(envoy, level), self._envoy_started)

    async def start(self) -> None:
        """Start both; the port is known then."""
        self._configure(self._settings)
        await self.picker.start()
        await self.envoy.start()

    async def stop(self) -> None:
        """Let requests end for a while, then end Envoy, then the picker."""
        await self._admin.drain()
        waited_s = 0.0
        while waited_s < self._settings.drain_s and await self._admin.active_requests(LISTENER):
            await asyncio.sleep(_LOOK_S)
            waited_s += _LOOK_S
        await self.envoy.stop(_END_S)
        await self.picker.stop(_END_S)

    def _configure(self, settings: EnvoySettings) -> None:
        document = configuration(settings, self._folder)
        self._folder.configuration.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))

    def _envoy_command(self, envoy: Path, level: str) -> list[str]:
        leashed = [sys.executable, "-m", leash.__name__, str(os.getpid()), str(envoy)]
        flags = {
            "--config-path": self._folder.configuration,
            "--concurrency": self._settings.workers,
            "--log-level": level,
            "--drain-time-s": max(1, int(self._settings.drain_s)),
        }
        return [*leashed, "--disable-hot-restart", *(str(word) for pair in flags.items() for word in pair)]

    async def _picker_started(self, process: asyncio.subprocess.Process) -> None:
        """Wait until it has written the endpoints and listens."""
        if process.stdout is None:
            return
        try:
            async with asyncio.timeout(_START_S):
                async for line in process.stdout:
                    if line.startswith(b"ready "):
                        return
                    self._say(line.decode(errors="replace").strip())
        except TimeoutError:
            raise InputError(f"it is not ready after {_START_S:g} s", place="the picker") from None
        raise InputError(f"it ended with {await process.wait()}", place="the picker", next="see above")

    async def _envoy_started(self, process: asyncio.subprocess.Process) -> None:
        for _ in range(int(_START_S / _LOOK_S)):
            if process.returncode is not None:
                break
            if await self._admin.is_ready():
                self.port = await self._admin.port(LISTENER) or self._settings.port
                self._configure(dataclasses.replace(self._settings, port=self.port))  # it keeps a port that was free
                return
            await asyncio.sleep(_LOOK_S)
        else:
            raise InputError(f"it is not ready after {_START_S:g} s", place="Envoy", next="try --envoy-log debug")
        following = "see above, or try --envoy-log debug; is the port in use?"
        raise InputError(f"it ended with {process.returncode}", place="Envoy", next=following)


async def serve(
    settings: EnvoySettings,
    envoy: Path,
    picker: Sequence[str],
    say: Callable[[str], None],
    *,
    level: str = "error",
    run_folder: Path | None = None,
) -> None:
    """Run both until SIGTERM or SIGINT. `say` is told `admin URL` where the picker has one, then `ready URL`."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    with tempfile.TemporaryDirectory(prefix="bayplan-envoy-") as made:
        folder = RunFolder(run_folder or Path(made))
        folder.path.mkdir(parents=True, exist_ok=True)
        supervisor = Supervisor(settings, envoy, picker, folder, say, level=level)
        try:
            await supervisor.start()
            say(f"ready {settings.url(supervisor.port)}")
            await stopped.wait()
        finally:
            await supervisor.stop()

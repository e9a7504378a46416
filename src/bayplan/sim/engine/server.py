"""The process of a simulated engine: it listens, says when it is ready, and stops in order."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError
from bayplan.sim.engine.host import Host
from bayplan.sim.engine.http.connection import Connection
from bayplan.sim.engine.http.routes import Routes

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.sim.engine.settings import Settings

MOST_CONNECTIONS: Final = 4_096
_OTHER_FILES: Final = 64  # open files besides connections
_BACKLOG: Final = 1_024


def serve(settings: Settings, address: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT. `say` is told `listening URL`, and `ready URL` once the model is loaded."""
    asyncio.run(Server(settings, address, port, say).run())


class Server:
    """Listens on one address; faults may close it for a while."""

    def __init__(self, settings: Settings, address: str, port: int, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._address = address
        self._port = port
        self._say = say
        self._stopped = asyncio.Event()
        self._listener: asyncio.Server | None = None
        self._reopening: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve, then drain: requests that run get `drain_s` to end."""
        loop = asyncio.get_running_loop()
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._host = Host(self._settings, loop, max(1, min(MOST_CONNECTIONS, files - _OTHER_FILES)))
        self._routes = Routes(self._host)
        self._host.on_refuse = self._refuse
        await self._listen()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        url = f"http://{f'[{self._address}]' if ':' in self._address else self._address}:{self._port}"
        self._say(f"listening {url}")
        self._host.on_ready = lambda: self._say(f"ready {url}")
        if self._host.is_ready:
            self._host.on_ready()
        await self._stopped.wait()
        await self._drain()

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        next_step = "take another one, or 0 for a free one"
        if not 0 <= self._port <= 65_535:
            raise InputError(f"{self._port} is not between 0 and 65535", place="--port", next=next_step)
        try:
            self._listener = await loop.create_server(
                lambda: Connection(self._host, self._routes, loop), self._address, self._port, backlog=_BACKLOG
            )
        except OSError as problem:
            number = problem.errno
            reason = os.strerror(number).lower() if number and number > 0 else str(problem)
            raise InputError(
                f"cannot listen on {self._address} port {self._port}: {reason}",
                place="--port",
                next=next_step,
                code="io",
            ) from None
        self._port = self._listener.sockets[0].getsockname()[1]

    def _stop(self) -> None:
        if self._stopped.is_set():
            self._host.cut()  # asked twice: at once
        self._stopped.set()

    async def _drain(self) -> None:
        if self._listener is not None:
            self._listener.close()
        if self._reopening is not None:
            self._reopening.cancel()
        empty = asyncio.Event()
        self._host.on_empty = empty.set
        self._host.close()
        try:
            await asyncio.wait_for(empty.wait(), self._settings.drain_s)
        except TimeoutError:
            sys.stderr.write(f"note: requests were cut off after {self._settings.drain_s:g} s\n")
            self._host.cut()

    def _refuse(self, seconds: float) -> None:
        """Close the port for a while: connections are refused, those that are open stay."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        if self._reopening is not None:
            self._reopening.cancel()
        self._reopening = asyncio.ensure_future(self._reopen(seconds))

    async def _reopen(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        while not self._stopped.is_set():
            try:
                await self._listen()
            except InputError as problem:  # somebody else has the port now
                sys.stderr.write(f"error: {problem}\n")
                await asyncio.sleep(1.0)
            else:
                return

"""Connections to engines, kept for the next request."""

from __future__ import annotations

import asyncio
import errno
from typing import TYPE_CHECKING

from bayplan.gateway.relay.engine_connection import EngineConnection, Fault

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from collections.abc import Callable, Iterable

    from bayplan.gateway.relay.receiver import Receiver
    from bayplan.gateway.relay.settings import Settings
    from bayplan.routing.endpoints.endpoint import Endpoint


class EnginePool:
    """Unused connections by address, the last used first, so that those nobody needs grow old and are closed."""

    def __init__(self, settings: Settings, loop: AbstractEventLoop) -> None:
        self.response_head_bytes = settings.limits.response_head_bytes
        self.connections: set[EngineConnection] = set()
        """All of them, also those that carry a request."""
        self._patience = settings.patience
        self._loop = loop
        self._unused: dict[str, list[EngineConnection]] = {}
        self._tasks: set[Task[None]] = set()

    def take(self, address: str) -> EngineConnection | None:
        """An unused connection."""
        unused = self._unused.get(address)
        while unused:
            connection = unused.pop()
            if not connection.is_closing:
                return connection
        return None

    def put(self, connection: EngineConnection) -> None:
        """A connection whose request has ended."""
        connection.silent_s = 0
        if connection.is_held:
            connection.go_on()
        unused = self._unused.get(connection.address)
        if unused is None:
            self._unused[connection.address] = [connection]
        else:
            unused.append(connection)

    def lost(self, connection: EngineConnection) -> None:
        """A connection that is closed."""
        self.connections.discard(connection)
        unused = self._unused.get(connection.address)
        if unused and connection.is_idle and connection in unused:
            unused.remove(connection)

    def connect(self, receiver: Receiver, endpoint: Endpoint) -> None:
        """Make a new connection; the receiver is told `connected` or `broken`, never before this returns."""
        task = self._loop.create_task(self._connect(receiver, endpoint))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, receiver: Receiver, endpoint: Endpoint) -> None:
        address = endpoint.address
        try:
            async with asyncio.timeout(self._patience.connect_s):
                _, connection = await self._loop.create_connection(
                    lambda: EngineConnection(self, address), endpoint.ip, endpoint.port
                )
        except TimeoutError:
            receiver.broken(None, Fault.CONNECT_TIMEOUT)
        except OSError as problem:
            is_ours = problem.errno in (errno.EMFILE, errno.ENFILE)
            receiver.broken(None, Fault.NO_FILES if is_ours else Fault.CONNECT)
        else:
            if connection.is_closing:
                receiver.broken(None, Fault.RESET)
            else:
                receiver.connected(connection)

    def forget(self, address: str) -> None:
        """Close what is unused of an endpoint that is gone."""
        for connection in self._unused.pop(address, ()):
            connection.drop()

    def sweep(self, silent: Callable[[float], Iterable[str]]) -> None:
        """Look at all connections; called once a second.

        `silent` knows the addresses that tell no metrics any more. An engine that also sends nothing on any connection
        is dead: requests that wait for it are tried elsewhere.
        """
        patience = self._patience
        everything = tuple(self.connections)
        for connection in everything:
            connection.sweep(patience.first_byte_s, patience.idle_s, patience.pool_s)
        stuck = [each for each in everything if each.is_waiting and each.silent_s > patience.stuck_s]
        if not stuck:
            return
        alive = {each.address for each in everything if not each.is_waiting and each.silent_s <= patience.stuck_s}
        dead = set(silent(patience.stuck_s)) - alive
        for connection in stuck:
            if connection.address in dead:
                connection.give_up()

    def close(self) -> None:
        """Break all of them off."""
        for task in tuple(self._tasks):
            task.cancel()
        for connection in tuple(self.connections):
            connection.drop()
        self._unused.clear()

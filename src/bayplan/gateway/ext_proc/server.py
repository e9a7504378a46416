"""The listener of the picker: gateways connect here, and whoever asks for its health."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError
from bayplan.gateway.ext_proc import names
from bayplan.gateway.ext_proc.processing_stream import ProcessingStream
from bayplan.gateway.grpc import health
from bayplan.gateway.grpc.health import Health
from bayplan.gateway.grpc.services import Services
from bayplan.gateway.http2.limits import Limits
from bayplan.gateway.http2.protocol import Http2Protocol, Patience

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from pathlib import Path

    from bayplan.gateway.ext_proc.context import Context
    from bayplan.gateway.http2.request_head import RequestHead
    from bayplan.gateway.http2.stream import Stream

_BACKLOG: Final = 1_024
_DRAIN_CHECK_S: Final = 0.05


class ExtProcServer:
    """Serves the endpoint picker protocol until `stop`. `is_ready` says whether decisions can be made."""

    def __init__(
        self,
        context: Context,
        is_ready: Callable[[], bool],
        *,
        limits: Limits | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._context = context
        self._limits = limits or Limits()
        self._patience = patience or Patience()
        self.health = Health({"": is_ready, "liveness": lambda: True, "readiness": is_ready, names.SERVICE: is_ready})
        checks = {health.CHECK: self.health.check, health.WATCH: self.health.watch}
        self._checks = Services(checks)
        notes = {names.FIRST_TOKEN: self._take_note} if context.asks_notes else {}
        self._services = Services({names.PROCESS: self._open, **checks}, notes)
        self._listeners: list[asyncio.Server] = []
        self._connections: set[Http2Protocol] = set()

    @property
    def connections(self) -> int:
        """Gateways that are connected, and probes."""
        return len(self._connections)

    @property
    def open_streams(self) -> int:
        """Requests of all gateways that have not ended."""
        return sum(len(each.connection.streams) for each in self._connections)

    async def listen(
        self, address: str, port: int, *, tls: ssl.SSLContext | None = None, health_only: bool = False
    ) -> int:
        """Listen on TCP; the port that was taken, where 0 asked for a free one."""
        loop = asyncio.get_running_loop()
        services = self._checks if health_only else self._services
        try:
            listener = await loop.create_server(
                lambda: self._connect(services), address, port, ssl=tls, backlog=_BACKLOG
            )
        except OSError as problem:
            reason = os.strerror(problem.errno).lower() if problem.errno and problem.errno > 0 else str(problem)
            raise InputError(
                f"cannot listen on {address} port {port}: {reason}",
                place="--health-port" if health_only else "--port",
                next="take another one, or 0 for a free one",
                code="io",
            ) from None
        self._listeners.append(listener)
        taken: int = listener.sockets[0].getsockname()[1]
        return taken

    async def listen_at(self, path: Path) -> None:
        """Listen on a socket in the file system, which only this user can use."""
        path.unlink(missing_ok=True)
        listener = await asyncio.get_running_loop().create_unix_server(
            lambda: self._connect(self._services), str(path), backlog=_BACKLOG
        )
        path.chmod(0o600)
        self._listeners.append(listener)

    async def stop(self, drain_s: float) -> None:
        """Take no more connections, refuse what waits, and let requests in flight end for a while."""
        for listener in self._listeners:
            listener.close()
        self._context.desk.shutdown()
        for connection in list(self._connections):
            connection.retire()
        waited_s = 0.0
        while self._connections and waited_s < drain_s:
            await asyncio.sleep(_DRAIN_CHECK_S)
            waited_s += _DRAIN_CHECK_S
        for connection in list(self._connections):
            connection.close()
        await asyncio.sleep(0)

    def _connect(self, services: Services) -> Http2Protocol:
        connection = Http2Protocol(services, self._limits, self._patience, self._connections.discard)
        self._connections.add(connection)
        return connection

    def _take_note(self, head: RequestHead) -> None:
        """The first bytes of an answer have come; its request may be over already."""
        tell = self._context.noted.get(head.headers.get(names.REQUEST_HEADER, ""))
        if tell is not None:
            tell()

    def _open(self, stream: Stream) -> ProcessingStream:
        return ProcessingStream(stream, self._context)

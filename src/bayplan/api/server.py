"""The HTTP server: uvicorn's, with connections that have limits, TLS of our own, and a stop that is no failure."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import ssl
from typing import TYPE_CHECKING

import uvicorn

from bayplan.api.access.connection import Connection

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from starlette.types import ASGIApp

    from bayplan.api.access.certificates import Certificates
    from bayplan.api.access.limits import Limits

_TICKS_PER_SWEEP = 10  # uvicorn ticks ten times a second
_SHUTDOWN_S = 5.0  # for the last message of TLS
_OTHER_FILES = 128  # descriptors that are not connections: the store, logs, sockets in a handshake
_HEADERS = [("x-content-type-options", "nosniff")]  # a browser must not take JSON for a page


class Server(uvicorn.Server):
    """Serves one application on given sockets until SIGTERM or SIGINT."""

    def __init__(self, app: ASGIApp, limits: Limits, certificates: Certificates | None, grace_s: int) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                loop="uvloop",
                http=Connection,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # a client could claim another address
                headers=_HEADERS,
                timeout_keep_alive=limits.idle_s,
                timeout_graceful_shutdown=grace_s,
            )
        )
        self._limits = limits
        self._tls = None if certificates is None else tls_of(certificates)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; unlike uvicorn, with a limit on how long a TLS handshake may take."""
        await self.lifespan.startup()
        loop = asyncio.get_running_loop()
        self.servers = [
            await loop.create_server(
                lambda: Connection(self.config, self.server_state, self.lifespan.state, self._limits, loop),
                sock=each,
                ssl=self._tls,
                backlog=self.config.backlog,
                ssl_handshake_timeout=None if self._tls is None else self._limits.handshake_s,
                ssl_shutdown_timeout=None if self._tls is None else _SHUTDOWN_S,
            )
            for each in sockets or ()
        ]
        self.started = True

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS_PER_SWEEP == 0:
            now_s = asyncio.get_running_loop().time()
            for connection in tuple(self.server_state.connections):
                if isinstance(connection, Connection):
                    connection.sweep(now_s)
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Uvicorn raises the signal again after the stop, which would end the process as if it had failed."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def tls_of(certificates: Certificates) -> ssl.SSLContext:
    """TLS 1.2 or newer, HTTP/1.1 only."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(certificates.server, certificates.key)
    return context


def connections_that_fit(wanted: int) -> int:
    """Raise the limit of open files as far as it may be, and say how many connections it leaves room for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - _OTHER_FILES))

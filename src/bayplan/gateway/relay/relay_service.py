"""Answers the requests of all clients, by way of the desk and the engines."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

import httptools

from bayplan.gateway.relay.client_connection import Phase
from bayplan.gateway.relay.engine_pool import EnginePool
from bayplan.gateway.relay.exchange import Exchange
from bayplan.gateway.relay.messages.known_requests import KnownRequests
from bayplan.gateway.relay.messages.refusals import RefusalError, refusal_body, refusal_headers, whole_answer
from bayplan.gateway.relay.models_answer import ModelsAnswer
from bayplan.gateway.relay.open_files import connections_that_fit

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle

    from bayplan.gateway.relay.client_connection import ClientConnection
    from bayplan.gateway.relay.desk import Desk
    from bayplan.gateway.relay.messages.request import Request
    from bayplan.gateway.relay.settings import Settings

_SWEEP_S: Final = 1.0
_REFUSED_METHODS: Final = (b"CONNECT", b"TRACE")
_MODELS: Final = b"/v1/models"


class Tally(Protocol):
    """Counts what is about no request that was read."""

    def refused(self, status: int) -> None: ...

    def cut_slow_client(self) -> None: ...


class RelayService:
    """A service for connections of clients. It belongs to one event loop, which also calls its desk."""

    def __init__(self, desk: Desk, settings: Settings, tally: Tally, loop: AbstractEventLoop) -> None:
        self.desk = desk
        self.limits = settings.limits
        self.known = KnownRequests(settings.limits)
        self.patience = settings.patience
        self.retries = settings.retries
        self.pool = EnginePool(settings, loop)
        self.is_draining = False
        self.connections: set[ClientConnection] = set()
        self.bodies_bytes = 0
        """Bodies of requests that have not ended."""
        self._tally = tally
        self._loop = loop
        self._prefix = f"{secrets.token_hex(6)}-"
        self._count = 0
        self._sweeping: TimerHandle | None = None
        self._emptied: asyncio.Event | None = None

    def start(self) -> None:
        """Look at all connections once a second from now on, of which there may be as many as there is room for."""
        self.limits = replace(self.limits, connections=connections_that_fit(self.limits.connections))
        self._sweeping = self._loop.call_later(_SWEEP_S, self._sweep)

    # clients

    def joined(self, connection: ClientConnection) -> bool:
        self.connections.add(connection)
        return len(self.connections) <= self.limits.connections

    def left(self, connection: ClientConnection) -> None:
        self.connections.discard(connection)
        if self._emptied is not None and not self.connections:
            self._emptied.set()

    def has_room(self, body_bytes: int) -> bool:
        return self.bodies_bytes + body_bytes <= self.limits.bodies_bytes

    def cut_slow_client(self) -> None:
        self._tally.cut_slow_client()

    def refused(self, status: int) -> None:
        self._tally.refused(status)

    def begin(self, request: Request, body: bytes, connection: ClientConnection) -> None:
        if not request.is_plain:
            refusal = _refusal(request)
            if refusal is not None:
                self._refuse(request, connection, refusal)
                return
            if request.target == _MODELS and request.method == b"GET":
                models = ModelsAnswer(connection, request, self.pool, self._loop)
                connection.answering = models
                models.ask(self.desk.endpoints())
                return
        self._count += 1
        exchange = Exchange(self, connection, request, body, f"{self._prefix}{self._count:x}")
        connection.answering = exchange
        self.desk.ask(exchange)

    def _refuse(self, request: Request, connection: ClientConnection, refusal: RefusalError) -> None:
        self.refused(refusal.status)
        keeps_alive = request.keeps_alive and not self.is_draining
        answer = whole_answer(
            refusal.status, refusal_body(refusal), keeps_alive=keeps_alive, more=refusal_headers(refusal),
            is_head=request.method == b"HEAD",
        )  # fmt: skip
        connection.answer(answer, keeps_alive=keeps_alive)

    def state(self) -> dict[str, int]:
        """Figures for metrics: connections of clients, connections to engines, and bodies that are kept."""
        unused = sum(each.is_idle for each in self.pool.connections)
        return {
            "connections": len(self.connections),
            "engines_unused": unused,
            "engines_used": len(self.pool.connections) - unused,
            "bodies_bytes": self.bodies_bytes,
        }

    # time

    def _sweep(self) -> None:
        self._sweeping = self._loop.call_later(_SWEEP_S, self._sweep)
        now_s = self._loop.time()
        for connection in tuple(self.connections):
            connection.sweep(now_s)
        self.pool.sweep(self.desk.silent)

    async def drain(self, longest_s: float) -> bool:
        """Answer what was asked, and close; False where some had to be left after this time."""
        self.is_draining = True
        self._emptied = asyncio.Event()
        for connection in tuple(self.connections):
            if connection.phase is Phase.IDLE:
                connection.close()
        if not self.connections:
            return True
        try:
            await asyncio.wait_for(self._emptied.wait(), longest_s)
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        """Break everything off."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for connection in tuple(self.connections):
            connection.cut()
        self.pool.close()


def _refusal(request: Request) -> RefusalError | None:
    """What is wrong with a request that could be read."""
    if request.method in _REFUSED_METHODS:
        return RefusalError(405, f"{request.method.decode()} is not passed on")
    hosts = request.head.hosts
    if hosts != 1 and not (request.is_old and not hosts):
        return RefusalError(400, f"the request has {hosts} Host headers; send one")
    return None if request.target.startswith(b"/") and b"#" not in request.target else _to_path(request)


def _to_path(request: Request) -> RefusalError | None:
    """`POST http://HOST/PATH`, as proxies are asked, counts as `/PATH`."""
    try:
        url = httptools.parse_url(request.target)
    except httptools.HttpParserError:
        url = None
    if url is None or not url.path or url.userinfo or url.fragment:
        return RefusalError(400, "the target of the request is no path; send POST /PATH")
    request.retarget(url.path + (b"?" + url.query if url.query else b""))
    return None

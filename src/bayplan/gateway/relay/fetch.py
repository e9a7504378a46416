"""A short answer of an engine that the relay itself wants to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.gateway.relay.engine_connection import EngineConnection, Fault
    from bayplan.gateway.relay.engine_pool import EnginePool
    from bayplan.gateway.relay.messages.response_head import ResponseHead
    from bayplan.routing.endpoints.endpoint import Endpoint

_MOST_BYTES: Final = 1024 * 1024


class Fetch:
    """Gets one path of one engine; `then` is told the body of a 200, or None, exactly once."""

    is_head = False
    wants_data = True

    def __init__(self, pool: EnginePool, endpoint: Endpoint, head: bytes, then: Callable[[bytes | None], None]) -> None:
        self._pool = pool
        self._endpoint = endpoint
        self._head = head
        self._then: Callable[[bytes | None], None] | None = then
        self._body: list[bytes] = []
        self._bytes = 0
        self._status = 0
        self._is_fresh = False
        self._connection: EngineConnection | None = None

    def begin(self) -> None:
        connection = self._pool.take(self._endpoint.address)
        if connection is None:
            self._is_fresh = True
            self._pool.connect(self, self._endpoint)
        else:
            self.connected(connection)

    def connected(self, connection: EngineConnection) -> None:
        if self._then is None:
            self._pool.put(connection)
            return
        self._connection = connection
        connection.send(self, self._head, b"")

    def declined(self, connection: EngineConnection, head: ResponseHead, rest: bytes) -> bool:
        return False

    def whole(self, head: ResponseHead, body: bytes) -> None:
        self._connection = None
        self.opened(head)
        self.forward(body)
        self.completed()

    def opened(self, head: ResponseHead) -> None:
        self._status = head.status

    def forward(self, data: bytes) -> None:
        self._body.append(data)
        self._bytes += len(data)
        if self._bytes > _MOST_BYTES and self._connection is not None:
            self._connection.drop()
            self._tell(None)

    def completed(self) -> None:
        self._tell(b"".join(self._body) if self._status == 200 else None)

    def broken(self, connection: EngineConnection | None, fault: Fault) -> None:
        if connection is not None and connection.is_reused and not self._is_fresh and self._then is not None:
            self._is_fresh = True
            self._pool.connect(self, self._endpoint)
        else:
            self._tell(None)

    def give_up(self) -> None:
        """Nobody waits any more."""
        self._then = None
        if self._connection is not None:
            self._connection.drop()

    def _tell(self, body: bytes | None) -> None:
        then, self._then = self._then, None
        self._connection = None
        if then is not None:
            then(body)

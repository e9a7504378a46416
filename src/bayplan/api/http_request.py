"""One HTTP request as ASGI hands it over; what is not asked for is not read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect

from bayplan.api.query import Query

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope

    from bayplan.api.access.roles import User

_NO_QUERY = Query({})


class HttpRequest:
    """What requests about objects need; Starlette's own class takes several times as long to say it."""

    __slots__ = ("_headers", "_receive", "method", "path", "scope")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self._receive = receive
        self._headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))  # of several equal ones the first counts

    @property
    def user(self) -> User:
        """Who asks, as the guard found out."""
        user: User = self.scope["state"]["user"]
        return user

    def header(self, name: bytes) -> str:
        """The value of a header; empty where it is absent."""
        return self._headers.get(name, b"").decode("latin-1")

    def query(self) -> Query:
        """The parameters of the URL; of several with one name the last counts."""
        text: bytes = self.scope["query_string"]
        return Query(dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True))) if text else _NO_QUERY

    async def body(self) -> bytes:
        """The whole body; ClientDisconnect where the client went away before its end."""
        message = await self._next()
        body: bytes = message.get("body", b"")
        if not message.get("more_body", False):
            return body
        pieces = [body]
        while message.get("more_body", False):
            message = await self._next()
            pieces.append(message.get("body", b""))
        return b"".join(pieces)

    async def _next(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        return message

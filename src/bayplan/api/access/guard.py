"""What every request passes first: the Host header, the token, the rate and the size of its body.

How slow a client may be is the business of the connection.
"""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING

import orjson
from starlette.requests import ClientDisconnect

from bayplan.api.access.hosts import Hosts
from bayplan.api.access.limits import Limits
from bayplan.api.access.rates import Rates
from bayplan.api.access.roles import ANONYMOUS, LOCAL
from bayplan.api.negotiation import JSON
from bayplan.api.status import Refusal
from bayplan.telemetry.log import origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from bayplan.api.access.roles import User
    from bayplan.api.access.tokens import Tokens

LOG = logging.getLogger(__name__)
_OPEN = frozenset({"/livez", "/readyz", "/healthz"})
"""Paths that need no token, because probes of a load balancer have none."""
_ONCE = {b"host": "Host", b"authorization": "Authorization"}
"""Headers of which a second one could be read differently by a proxy in between."""
_LONGEST_LENGTH = 18  # digits of a Content-Length; as many always fit 64 bits


class Guard:
    """Wraps the application; requests that it refuses never reach it."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], tokens: Tokens | None, limits: Limits | None = None) -> None:
        self._app = app
        self._limits = limits or Limits()
        self._hosts = Hosts(hosts)
        self._tokens = tokens
        self._rates = Rates(self._limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            headers = _headers(scope)
            self._hosts.check(headers.get(b"host"), scope["server"][0])
            scope["state"]["user"] = self._user(scope["path"], headers.get(b"authorization"))
            if self._must_count(headers):
                receive = _Body(receive, self._limits.body_bytes).receive
        except Refusal as refusal:
            await answer(refusal, send)
            return
        try:
            await self._app(scope, receive, send)
        except ClientDisconnect:
            return
        except Exception as error:
            report(error, scope)
            raise  # the server cuts the connection, because a part of the answer may have been sent

    def _user(self, path: str, header: bytes | None) -> User:
        if self._tokens is None:
            user = LOCAL
        elif path in _OPEN:
            return ANONYMOUS
        else:
            user = self._known(self._tokens, header or b"")
        self._rates.check(user)
        return user

    @staticmethod
    def _known(tokens: Tokens, header: bytes) -> User:
        scheme, _, token = header.decode("latin-1").partition(" ")
        user = tokens.user(token.strip()) if scheme.lower() == "bearer" else None
        if user is None:
            message = "Unauthorized: send a token, Authorization: Bearer TOKEN; `bayplan token create` makes one"
            raise Refusal(401, message, headers={"WWW-Authenticate": "Bearer"})
        return user

    def _must_count(self, headers: dict[bytes, bytes]) -> bool:
        """Whether a body follows that does not say how large it is; one that says that it is too large is refused."""
        length = headers.get(b"content-length")
        if length is not None and (len(length) > _LONGEST_LENGTH or int(length) > self._limits.body_bytes):
            raise _too_large(self._limits.body_bytes)
        return b"transfer-encoding" in headers  # of other bodies the parser takes as many bytes as they say


class _Body:
    """The body of a request, counted while it comes."""

    def __init__(self, receive: Receive, most_bytes: int) -> None:
        self._receive = receive
        self._most_bytes = most_bytes
        self._size = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > self._most_bytes:
            raise _too_large(self._most_bytes)
        return message


def _headers(scope: Scope) -> dict[bytes, bytes]:
    pairs = scope["headers"]
    headers = dict(pairs)
    if len(headers) != len(pairs):
        for name, shown in _ONCE.items():
            if sum(each == name for each, _ in pairs) > 1:
                raise Refusal(400, f"the header {shown} was sent several times; send it once")
    return headers


def _too_large(most_bytes: int) -> Refusal:
    return Refusal(413, f"the body is larger than {most_bytes:,} bytes; send less at once")


def report(error: Exception, scope: Scope) -> str:
    """Log an error that should not have happened; its number also stands in the answer to the client."""
    number = secrets.token_hex(4)
    LOG.error("error %s: %s %s: %s", number, scope["method"], scope["path"][:200], origin(error), exc_info=error)
    return number


async def answer(refusal: Refusal, send: Send) -> None:
    """Send a refusal."""
    body = orjson.dumps(refusal.document())
    headers = {"content-type": JSON, "content-length": str(len(body))} | refusal.headers
    encoded = [(key.lower().encode(), value.encode()) for key, value in headers.items()]
    await send({"type": "http.response.start", "status": refusal.code, "headers": encoded})
    await send({"type": "http.response.body", "body": body})

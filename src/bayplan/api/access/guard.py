"""What every request passes first: the Host header, the token, the rate, and the size and speed of its body."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import orjson

from bayplan.api.access.roles import LOCAL
from bayplan.api.negotiation import JSON
from bayplan.api.status import Refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from bayplan.api.access.roles import User
    from bayplan.api.access.tokens import Tokens

_OPEN = frozenset({"/livez", "/readyz", "/healthz"})
"""Paths that need no token, because probes of a load balancer have none."""
_MOST_USERS = 10_000  # rates that are remembered; the oldest is forgotten first


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one client may ask of the server."""

    body_bytes: int = 3 * 1024 * 1024
    body_s: float = 30.0
    send_s: float = 60.0
    requests_per_s: float = 20_000.0
    burst: int = 20_000


class Guard:
    """Wraps the application; requests that it refuses never reach it."""

    def __init__(
        self, app: ASGIApp, hosts: frozenset[str], tokens: Tokens | None, limits: Limits | None = None
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._tokens = tokens
        self._limits = limits or Limits()
        self._rates: dict[str, Rate] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            scope["state"]["user"] = self._check(scope)
        except Refusal as refusal:
            await _answer(refusal, send)
            return
        await self._app(scope, _Body(receive, self._limits).receive, _patient(send, self._limits.send_s))

    def _check(self, scope: Scope) -> User:
        headers = dict(scope["headers"])
        self._check_host(headers.get(b"host", b"").decode("latin-1"))
        user = self._user(scope["path"], headers.get(b"authorization", b"").decode("latin-1"))
        self._check_rate(user)
        return user

    def _check_host(self, header: str) -> None:
        """A page of another site can make a browser call this address under its own name (DNS rebinding)."""
        host = header.rsplit(":", 1)[0] if not header.endswith("]") else header
        if host.strip("[]").lower() not in self._hosts:
            raise Refusal(403, f"the Host header {header[:80]!r} is not a name of this server")

    def _user(self, path: str, header: str) -> User:
        if self._tokens is None or path in _OPEN:
            return LOCAL
        scheme, _, token = header.partition(" ")
        user = self._tokens.user(token.strip()) if scheme.lower() == "bearer" else None
        if user is None:
            message = "Unauthorized: send a token, Authorization: Bearer TOKEN; `bayplan token create` makes one"
            raise Refusal(401, message, headers={"WWW-Authenticate": "Bearer"})
        return user

    def _check_rate(self, user: User) -> None:
        rate = self._rates.get(user.name)
        if rate is None:
            if len(self._rates) >= _MOST_USERS:
                del self._rates[next(iter(self._rates))]
            rate = self._rates[user.name] = Rate(self._limits.burst, monotonic())
        if not rate.takes_one(self._limits, monotonic()):
            message = f"more than {self._limits.requests_per_s:g} requests per second; wait a second"
            raise Refusal(429, message, headers={"Retry-After": "1"}, details={"retryAfterSeconds": 1})


@dataclass(slots=True)
class Rate:
    """A bucket that fills with time; each request takes one out of it."""

    left: float
    seen_s: float

    def takes_one(self, limits: Limits, now_s: float) -> bool:
        """Whether one was left."""
        self.left = min(limits.burst, self.left + (now_s - self.seen_s) * limits.requests_per_s)
        self.seen_s = now_s
        if self.left < 1:
            return False
        self.left -= 1
        return True


class _Body:
    """The body of a request, which must come in time and not be too large."""

    def __init__(self, receive: Receive, limits: Limits) -> None:
        self._receive = receive
        self._limits = limits
        self._size = 0
        self._whole = False

    async def receive(self) -> Message:
        if self._whole:
            return await self._receive()  # waits for the client to go away, which may take hours
        try:
            async with asyncio.timeout(self._limits.body_s):
                message = await self._receive()
        except TimeoutError:
            raise Refusal(408, f"the body did not come within {self._limits.body_s:g} s; send it faster") from None
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > self._limits.body_bytes:
            raise Refusal(413, f"the body is larger than {self._limits.body_bytes:,} bytes; send less at once")
        return message


def _patient(send: Send, longest_s: float) -> Send:
    """Send that gives up on clients that do not read: the connection is then cut."""

    async def sent(message: Message) -> None:
        async with asyncio.timeout(longest_s):
            await send(message)

    return sent


async def _answer(refusal: Refusal, send: Send) -> None:
    body = orjson.dumps(refusal.document())
    headers = {"content-type": JSON, "content-length": str(len(body))} | refusal.headers
    encoded = [(key.lower().encode(), value.encode()) for key, value in headers.items()]
    await send({"type": "http.response.start", "status": refusal.code, "headers": encoded})
    await send({"type": "http.response.body", "body": body})

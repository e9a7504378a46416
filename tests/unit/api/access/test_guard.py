"""What every request passes first."""

import asyncio
from typing import Any

import pytest

from bayplan.api.access.guard import Guard
from bayplan.api.access.limits import Limits
from bayplan.api.access.roles import LOCAL, Role, User
from bayplan.api.status import Refusal


class OneToken:
    """Knows one token."""

    def user(self, text: str) -> User | None:
        return User("u", Role.VIEWER) if text == "good" else None


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["state"]["user"].name.encode()})


def ask(guard: Guard, *, path: str = "/api", host="127.0.0.1:8", token="", bodies=(b"",), more=()):
    sent: list[dict[str, Any]] = []
    left = list(bodies)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", host.encode()), *more]
    if token:
        headers.append((b"authorization", f"Bearer {token}".encode()))
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "state": {}, "server": ("10.0.0.5", 80)}
    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], sent[1]["body"]


HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:80", "[::1]", "[0:0:0::1]", "10.0.0.5:1"]
)
def test_own_names(host: str) -> None:
    assert ask(Guard(application, HOSTS, None), host=host) == (200, LOCAL.name.encode())


OTHERS = ["evil.example", "127.0.0.1.evil.example:80", "", "169.254.169.254", "localhost:abc", "a@localhost", "[::1"]


@pytest.mark.parametrize("host", OTHERS)
def test_other_names_are_refused(host: str) -> None:
    assert ask(Guard(application, HOSTS, None), host=host)[0] == 403


def test_tokens() -> None:
    guard = Guard(application, HOSTS, OneToken())
    assert ask(guard, token="good") == (200, b"u")
    assert ask(guard, token="bad")[0] == 401
    assert ask(guard)[0] == 401
    assert ask(guard, path="/readyz")[0] == 200


def test_rate() -> None:
    guard = Guard(application, HOSTS, None, Limits(requests_per_s=2))
    assert [ask(guard)[0] for _ in range(3)] == [200, 200, 429]


def test_a_body_is_counted_while_it_comes() -> None:
    guard = Guard(application, HOSTS, None, Limits(body_bytes=10))
    chunked = ((b"transfer-encoding", b"chunked"),)
    assert ask(guard, bodies=(b"12345", b"67890"), more=chunked)[0] == 200
    with pytest.raises(Refusal) as refused:
        ask(guard, bodies=(b"12345", b"678901", b"never asked for"), more=chunked)
    assert refused.value.code == 413


@pytest.mark.parametrize("length", [b"11", b"9" * 30])
def test_a_body_that_says_that_it_is_too_large(length: bytes) -> None:
    guard = Guard(application, HOSTS, None, Limits(body_bytes=10))
    assert ask(guard, more=((b"content-length", length),))[0] == 413


@pytest.mark.parametrize("name", [b"host", b"authorization"])
def test_headers_that_come_twice(name: bytes) -> None:
    guard = Guard(application, HOSTS, OneToken())
    assert ask(guard, token="good", more=((name, b"127.0.0.1"),))[0] == 400

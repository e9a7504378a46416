"""What every request passes first."""

import asyncio
from typing import Any

import pytest

from bayplan.api.access.guard import Guard, Limits, Rate
from bayplan.api.access.roles import LOCAL, Role, User


class OneToken:
    """Knows one token."""

    def user(self, text: str) -> User | None:
        return User("u", Role.VIEWER) if text == "good" else None


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["state"]["user"].name.encode()})


def ask(guard: Guard, *, path: str = "/api", host: str = "127.0.0.1:8", token: str = "", bodies: tuple = (b"",)):
    sent: list[dict[str, Any]] = []
    left = list(bodies)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", host.encode())]
    if token:
        headers.append((b"authorization", f"Bearer {token}".encode()))
    scope = {"type": "http", "path": path, "headers": headers, "state": {}}
    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], sent[1]["body"]


HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:80", "[::1]"])
def test_own_names(host: str) -> None:
    assert ask(Guard(application, HOSTS, None), host=host) == (200, LOCAL.name.encode())


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "", "169.254.169.254"])
def test_other_names_are_refused(host: str) -> None:
    assert ask(Guard(application, HOSTS, None), host=host)[0] == 403


def test_tokens() -> None:
    guard = Guard(application, HOSTS, OneToken())
    assert ask(guard, token="good") == (200, b"u")
    assert ask(guard, token="bad")[0] == 401
    assert ask(guard)[0] == 401
    assert ask(guard, path="/readyz")[0] == 200


def test_rate() -> None:
    guard = Guard(application, HOSTS, None, Limits(requests_per_s=0.001, burst=2))
    assert [ask(guard)[0] for _ in range(3)] == [200, 200, 429]


def test_rate_fills_with_time() -> None:
    limits = Limits(requests_per_s=2, burst=1)
    rate = Rate(1, 0)
    assert rate.takes_one(limits, 0)
    assert not rate.takes_one(limits, 0.4)
    assert rate.takes_one(limits, 0.6)

"""Envoy's own port for operators, at a socket in the file system."""

from __future__ import annotations

import asyncio
import http.client
import socket
from typing import TYPE_CHECKING, Any, Final

import orjson

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST_S: Final = 5.0


class EnvoyAdmin:
    """Asks one Envoy. Answers are None where it does not answer, or with anything but 200."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def is_ready(self) -> bool:
        """Whether it serves."""
        return await self._ask("GET", "/ready") is not None

    async def port(self, listener: str) -> int | None:
        """The port that a listener has taken."""
        answer = await self._ask("GET", "/listeners?format=json")
        if answer is None:
            return None
        statuses: list[dict[str, Any]] = orjson.loads(answer).get("listener_statuses", [])
        found = (each["local_address"]["socket_address"]["port_value"] for each in statuses if each["name"] == listener)
        return next(found, None)

    async def drain(self) -> None:
        """Take no more connections, and close those that are there after their requests."""
        await self._ask("POST", "/healthcheck/fail")
        await self._ask("POST", "/drain_listeners?graceful&skip_exit")

    async def active_requests(self, listener: str) -> int | None:
        """Requests that have not ended."""
        answer = await self._ask("GET", f"/stats?filter=^http.{listener}.downstream_rq_active$")
        _, _, value = (answer or b"").decode().partition(": ")
        return int(value) if value.strip().isdigit() else None

    async def _ask(self, method: str, path: str) -> bytes | None:
        return await asyncio.to_thread(self._exchange, method, path)

    def _exchange(self, method: str, path: str) -> bytes | None:
        connection = _Connection(str(self._path))
        try:
            connection.request(method, path, headers={"content-length": "0"})
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        return body if answer.status == http.client.OK else None


class _Connection(http.client.HTTPConnection):
    """HTTP over a socket in the file system."""

    def __init__(self, path: str) -> None:
        super().__init__("admin", timeout=_LONGEST_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_LONGEST_S)
        self.sock.connect(self._path)

"""A relay in this process between raw sockets: a client that sends what it likes, and engines that follow a script."""

from __future__ import annotations

import asyncio
import socket
import struct
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import uvloop

from bayplan.gateway.relay.server import Relay
from bayplan.gateway.relay.settings import Settings
from bayplan.routing.endpoints.endpoint import Endpoint
from unit.gateway.relay.small_router import SmallRouter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

LONGEST_S = 20
BODY = b'{"model":"m"}'
POST = b"POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (len(BODY), BODY)
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


def run(scenario: Coroutine[Any, Any, None]) -> None:
    """Run a scenario on the loop that the product uses."""

    async def limited() -> None:
        async with asyncio.timeout(LONGEST_S):
            await scenario

    uvloop.run(limited())


class Line:
    """One side of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self) -> tuple[bytes, dict[bytes, bytes]]:
        """A first line and headers by lower-case name."""
        lines = (await self.reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        pairs = (each.partition(b":") for each in lines[1:-2])
        return lines[0], {name.lower(): value.strip() for name, _, value in pairs}

    async def message(self) -> tuple[bytes, dict[bytes, bytes], bytes]:
        """A whole message; chunks are shown as they came."""
        first, headers = await self.head()
        if headers.get(b"transfer-encoding") == b"chunked":
            body = await self.reader.readuntil(b"0\r\n\r\n")
        else:
            body = await self.reader.readexactly(int(headers.get(b"content-length", b"0")))
        return first, headers, body

    async def rest(self) -> bytes:
        """Everything until the connection ends; a reset counts as an end."""
        received = b""
        try:
            while part := await self.reader.read(65_536):
                received += part
        except ConnectionResetError:
            pass
        return received

    def close(self) -> None:
        self.writer.close()

    def reset(self) -> None:
        """End the connection with a reset."""
        linger = struct.pack("ii", 1, 0)
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.transport.abort()


Script = "Callable[[Line, tuple[bytes, dict[bytes, bytes], bytes]], Awaitable[None]]"


async def always_ok(line: Line, request: Any) -> None:
    await line.send(OK)


@dataclass
class ScriptedEngine:
    """Reads requests and lets a script answer each. `gone` is set when one of its connections has ended."""

    script: Any = always_ok
    requests: list[tuple[bytes, dict[bytes, bytes], bytes]] = field(default_factory=list)
    connections: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def start(self) -> int:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        line = Line(reader, writer)
        try:
            while True:
                request = await line.message()
                self.requests.append(request)
                await self.script(line, request)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            self.gone.set()
            writer.close()


@dataclass
class Scene:
    """Everything of one test."""

    relay: Relay
    router: SmallRouter
    engines: list[ScriptedEngine]
    port: int
    admin_port: int
    lines: list[Line] = field(default_factory=list)

    async def connect(self, port: int | None = None, **options: Any) -> Line:
        line = Line(*await asyncio.open_connection("127.0.0.1", port or self.port, **options))
        self.lines.append(line)
        return line

    async def ask(self, data: bytes = POST) -> tuple[bytes, dict[bytes, bytes], bytes]:
        """One request on a connection of its own."""
        line = await self.connect()
        await line.send(data)
        found = await line.message()
        line.close()
        return found

    async def admin(self, path: str) -> tuple[bytes, dict[bytes, bytes], bytes]:
        line = await self.connect(self.admin_port)
        await line.send(b"GET %b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n" % path.encode())
        return await line.message()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that happens in the relay."""
        while not holds():
            await asyncio.sleep(0.005)

    async def settled(self) -> None:
        """Wait until no request is left, and check that none has left a trace."""
        await self.until(lambda: not self.relay.desk.live())
        assert all(requests == 0 for requests, _ in self.router.inflight().values())
        assert self.relay.service.bodies_bytes == 0
        assert not self.router.waiting


def settings(**parts: dict[str, Any]) -> Settings:
    """Settings of which a test names those that matter: `patience={"stall_s": 1}`."""
    usual = Settings()
    return replace(usual, **{name: replace(getattr(usual, name), **given) for name, given in parts.items()})


@asynccontextmanager
async def scene(*scripts: Any, told: Settings | None = None, router: SmallRouter | None = None) -> AsyncIterator[Scene]:
    """A relay before engines with these scripts; afterwards nothing may be left."""
    router = router or SmallRouter()
    relay = Relay(router, told)  # type: ignore[arg-type]
    engines = [ScriptedEngine(each) for each in scripts or (always_ok,)]
    for number, engine in enumerate(engines):
        relay.desk.endpoint_up(Endpoint(f"e{number}", "127.0.0.1", await engine.start()))
    port, admin_port = await relay.start("127.0.0.1", 0), await relay.start_admin("127.0.0.1", 0)
    found = Scene(relay, router, engines, port, admin_port)
    try:
        yield found
        await found.settled()
    finally:
        for line in found.lines:
            line.close()
        await relay.stop()
        for engine in engines:
            engine.stop()
        await asyncio.sleep(0.01)  # for the ends of connections

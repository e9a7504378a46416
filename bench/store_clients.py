"""Clients of the API in a process of their own: sockets kept open, and as little work for an answer as possible.

`python -m bench.store_clients` reads one job as JSON from its input and prints what came of it as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import ssl
import sys
import time
from typing import Any

import httptools
import uvloop

from bench.store_objects import KINDS, body

_WAIT_S = 60.0  # for what should come at once
_OK = range(200, 300)


class Connection(asyncio.Protocol):
    """One socket: a request at a time, or one endless answer of which the lines are counted."""

    def __init__(self, head: bytes) -> None:
        self._head = head
        self._parser = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[int] | None = None
        self._size = 0
        self.lines = 0
        self.transport: Any = None
        self.text = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, _: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionResetError("the server closed the connection"))

    def on_headers_complete(self) -> None:
        self.text = b""
        self._size = 0
        if self.lines < 0:
            self.lines = 0
            self._finish()

    def on_body(self, data: bytes) -> None:
        self._size += len(data)
        self.lines += data.count(b"\n")
        if self._size == len(data):
            self.text = data[:300]

    def on_message_complete(self) -> None:
        self._finish()

    def _finish(self) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(self._parser.get_status_code())

    async def ask(self, method: str, path: str, data: bytes = b"", *, headers: str = "", stream: bool = False) -> int:
        """Send a request; the code of its answer, once that is whole or, for a stream, begun."""
        self._answer = asyncio.get_running_loop().create_future()
        self.lines = -1 if stream else 0
        lead = f"{method} {path} HTTP/1.1\r\nContent-Length: {len(data)}\r\n{headers}".encode()
        self.transport.write(lead + self._head + data)
        return await self._answer

    @property
    def size(self) -> int:
        """Bytes of the last answer."""
        return self._size


class Job:
    """What is asked, and of which server."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self._scheduler = given.get("scheduler", "bayplan").encode()
        token = f"Authorization: Bearer {given['token']}\r\n" if given["tls"] else ""
        self._head = (
            f"Host: 127.0.0.1:{given['port']}\r\nContent-Type: application/json\r\nUser-Agent: bench/1\r\n{token}\r\n"
        ).encode()
        self._tls = ssl.create_default_context() if given["tls"] else None
        if self._tls is not None:
            self._tls.check_hostname = False
            self._tls.verify_mode = ssl.CERT_NONE

    async def connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(
            lambda: Connection(self._head), "127.0.0.1", self.given["port"], ssl=self._tls
        )
        return connection

    async def several(self, number: int) -> list[Connection]:
        return [await self.connect() for _ in range(number)]

    async def create(self) -> dict[str, Any]:
        """Each client creates one object after the other, for some seconds or until enough are there."""
        prefix, lasts_s = self.given["prefix"], self.given.get("lasts_s", _WAIT_S * 5)
        most = self.given.get("most", 10**9)
        path, _ = KINDS[self.given["kind"]]
        # Pods of one template differ by their names only; distinct ones have a label of their own each
        distinct = {"number": "BENCHNAME"} if self.given.get("distinct") else {}
        made = self._body("BENCHNAME", **distinct)
        state = {"next": 0}

        async def client(connection: Connection, end: float) -> list[float]:
            waits: list[float] = []
            while state["next"] < most and ((begin := time.perf_counter()) < end or not waits):
                state["next"] += 1
                name = f"{prefix}-{state['next']}".encode()
                _expect(await connection.ask("POST", path, made.replace(b"BENCHNAME", name)), connection)
                waits.append(time.perf_counter() - begin)
            return waits

        return await self._timed(client, lasts_s)

    async def update(self) -> dict[str, Any]:
        """Each client replaces an object of its own again and again."""

        async def client(connection: Connection, end: float) -> list[float]:
            return await self._updating(connection, end)

        return await self._timed(client, self.given["lasts_s"])

    async def _updating(self, connection: Connection, end: float) -> list[float]:
        name = f"{self.given['prefix']}-{id(connection)}"
        path, _ = KINDS[self.given["kind"]]
        _expect(await connection.ask("POST", path, self._body(name)), connection)
        made = self._body(name, number="BENCHNUMBER")
        waits: list[float] = []
        while (begin := time.perf_counter()) < end or not waits:
            number = str(len(waits)).encode()
            _expect(await connection.ask("PUT", f"{path}/{name}", made.replace(b"BENCHNUMBER", number)), connection)
            waits.append(time.perf_counter() - begin)
        return waits

    def _body(self, name: str, **labels: str) -> bytes:
        made = body(self.given["kind"], name, **labels)
        return made.replace(b'"schedulerName":"bayplan"', b'"schedulerName":"%b"' % self._scheduler)

    async def _timed(self, client: Any, lasts_s: float) -> dict[str, Any]:
        connections = await self.several(self.given["clients"])
        begin = time.perf_counter()
        waits = await asyncio.gather(*(client(each, begin + lasts_s) for each in connections))
        seconds = time.perf_counter() - begin
        flat = sorted(wait for each in waits for wait in each)
        return {"number": len(flat), "seconds": seconds, "median_s": flat[len(flat) // 2], "worst_s": flat[-1]}

    async def list(self) -> dict[str, Any]:
        """The least seconds until a whole list is there, and the longest that another client waited meanwhile."""
        connection, other = await self.several(2)
        best, longest = float("inf"), 0.0
        for _ in range(self.given["rounds"]):
            begin = time.perf_counter()
            asked = asyncio.ensure_future(connection.ask("GET", self.given["path"], headers=self.given["headers"]))
            while not asked.done():
                before = time.perf_counter()
                _expect(await other.ask("GET", "/livez"), other)
                longest = max(longest, time.perf_counter() - before)
                await asyncio.sleep(0.005)
            _expect(await asked, connection)
            best = min(best, time.perf_counter() - begin)
        return {"seconds": best, "size": connection.size, "longest_s": longest}

    async def fan_out(self) -> dict[str, Any]:
        """Watchers of one collection, and writers that change objects in it; until every watcher saw every change."""
        path, _ = KINDS[self.given["kind"]]
        scout = await self.connect()
        watchers = await self.several(self.given["watchers"])
        writers = await self.several(self.given["clients"])
        _expect(await scout.ask("GET", f"{path}?limit=1"), scout)
        revision = int(scout.text.partition(b'"resourceVersion":"')[2].partition(b'"')[0])
        watched = f"{path}?watch=1&resourceVersion={revision}"
        for each in watchers:
            _expect(await each.ask("GET", watched, stream=True), each)
        begin = time.perf_counter()
        end = begin + self.given["lasts_s"]
        waits = await asyncio.gather(*(self._updating(each, end) for each in writers))
        changes = sum(map(len, waits)) + len(writers)
        while any(each.lines < changes for each in watchers):
            if time.perf_counter() > end + _WAIT_S:
                raise AssertionError(f"of {changes} changes a watcher saw {min(each.lines for each in watchers)}")
            await asyncio.sleep(0.001)
        seconds = time.perf_counter() - begin
        if any(each.lines != changes for each in watchers):
            raise AssertionError(f"{changes} changes, but a watcher saw {max(each.lines for each in watchers)}")
        return {"changes": changes, "delivered": changes * len(watchers), "seconds": seconds}


def _expect(code: int, connection: Connection) -> None:
    if code not in _OK:
        raise AssertionError(f"answered {code}: {connection.text!r}")


def main() -> None:
    given = json.load(sys.stdin)
    gc.disable()
    job = Job(given)
    work = {"create": job.create, "update": job.update, "list": job.list, "fan-out": job.fan_out}[given["job"]]
    json.dump(uvloop.run(work()), sys.stdout)


if __name__ == "__main__":
    main()

"""The API over a store in memory, called in this process: for tests of handlers; no socket is opened."""

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson

from bayplan.api.access.roles import LOCAL, User
from bayplan.api.admission import Admission
from bayplan.api.app import build_app
from bayplan.api.backend import Backend
from bayplan.control.resources.registry import REGISTRY
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf

NOW = 1_770_000_000.0


@dataclass
class Answer:
    """What came back; `warnings` are the texts of the Warning headers."""

    status: int
    headers: list[tuple[bytes, bytes]]
    pieces: list[bytes]

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def warnings(self) -> list[str]:
        texts = [value.decode() for key, value in self.headers if key == b"warning"]
        return [each.removeprefix('299 - "').removesuffix('"').replace('\\"', '"') for each in texts]

    @property
    def lines(self) -> list[Any]:
        return [orjson.loads(line) for line in self.body.splitlines()]


class ServedApi:
    """Sends requests; the store lives as long as the event loop of `run`."""

    def __init__(self) -> None:
        self.store = EmbeddedStore(MemoryShelf(), clock=lambda: NOW)
        self.app = build_app(Backend(self.store, REGISTRY, Admission(), clock=lambda: NOW))

    async def ask(
        self, method: str, url: str, body: Any = None, *, media: str = "application/json", accept: str = "",
        user: User = LOCAL,
    ) -> Answer:  # fmt: skip
        text = body if isinstance(body, bytes) else b"" if body is None else orjson.dumps(body)
        parts = urlsplit(url)
        headers = [(b"content-type", media.encode()), (b"host", b"localhost"), (b"user-agent", b"tests/1")]
        if accept:
            headers.append((b"accept", accept.encode()))
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": parts.path, "root_path": "",
            "raw_path": parts.path.encode(), "query_string": parts.query.encode(), "headers": headers,
            "scheme": "http", "server": ("localhost", 80), "client": ("127.0.0.1", 1), "state": {"user": user},
        }  # fmt: skip
        sent: list[dict[str, Any]] = []
        given = False

        async def receive() -> dict[str, Any]:
            nonlocal given
            if given:
                await asyncio.Event().wait()  # the client stays until the answer has ended
            given = True
            return {"type": "http.request", "body": text, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        return Answer(sent[0]["status"], sent[0]["headers"], [each.get("body", b"") for each in sent[1:]])


def run(talk: Any) -> Any:
    """Run `async def talk(api)` against an API that was just started."""

    async def started() -> Any:
        api = ServedApi()
        async with api.store:
            return await talk(api)

    return asyncio.run(started())

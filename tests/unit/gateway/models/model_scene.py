"""A relay in this process before model servers that load, unload, fail and break off as a test tells them."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.gateway.models.agents import Agents
from bayplan.gateway.models.directory import ModelDirectory
from bayplan.gateway.models.model_desk import ModelDesk
from bayplan.gateway.models.model_figures import ModelFigures
from bayplan.signals.discovery.model_place import DeclaredModel, ModelPlace
from unit.gateway.relay.scene import Scene, scene

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_REASONS = {200: "OK", 404: "Not Found", 500: "Internal Server Error", 503: "Service Unavailable"}


def place(model: str = "iris", version: int = 1, index: int = 0, **more: Any) -> ModelPlace:
    """A booking that serves, unless a test says otherwise."""
    usual = {
        "name": f"{model}_{version}", "server": "mlserver", "index": index, "replica": f"mlserver-{index}",
        "state": "available", "rest": f"127.0.0.1:{index + 1}", "is_loaded": True,
    }  # fmt: skip
    return ModelPlace(**{"model": model, "version": version, **usual, **more})


@dataclass
class SmallServer:
    """A V2 server and its agent at one port: `loaded` are the models that it has, and `trouble` what it does instead.

    The agent loads what it is asked for, unless `refusal` says why not. `held` makes inferences wait.
    """

    index: int
    loaded: set[str] = field(default_factory=set)
    trouble: str = ""
    refusal: str = ""
    asked: list[str] = field(default_factory=list)
    used: list[list[str]] = field(default_factory=list)
    ensured: list[str] = field(default_factory=list)
    held: asyncio.Event | None = None
    address: str = ""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        self._server.close()

    def place(self, model: str = "iris", version: int = 1, **more: Any) -> ModelPlace:
        """A booking on this server."""
        usual = {"rest": self.address, "agent": f"http://{self.address}", "is_loaded": True}
        return place(model, version, self.index, **{**usual, **more})

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = head.split("\r\n")
                lengths = [each.partition(":")[2] for each in lines if each.lower().startswith("content-length:")]
                body = await reader.readexactly(int(lengths[0]) if lengths else 0)
                if not await self._answer(lines[0].split(" ")[1], body, writer):
                    break
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    async def _answer(self, path: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        words = path.partition("?")[0].strip("/").split("/")
        if words[0] != "v2":
            return self._answer_as_agent(words, body, writer)
        self.asked.append(path)
        if self.held is not None:
            await self.held.wait()
        if self.trouble == "reset":
            return False
        if self.trouble:
            return self._say(writer, int(self.trouble), {"error": "trouble"})
        if words[2] not in self.loaded:
            return self._say(writer, 404, {"error": f"Model {words[2]} not found"})
        return self._say(writer, 200, {"model_name": words[2], "echo": body.decode()})

    def _answer_as_agent(self, words: list[str], body: bytes, writer: asyncio.StreamWriter) -> bool:
        if words[0] == "used":
            self.used.append(json.loads(body)["names"])
            return self._say(writer, 200, {})
        self.ensured.append(words[1])
        if self.refusal:
            return self._say(writer, 503, {"error": self.refusal})
        self.loaded.add(words[1])
        return self._say(writer, 200, {})

    def _say(self, writer: asyncio.StreamWriter, status: int, document: Any) -> bool:
        body = json.dumps(document).encode()
        head = f"HTTP/1.1 {status} {_REASONS[status]}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
        writer.write(f"{head}\r\n\r\n".encode() + body)
        return True


@dataclass
class ModelScene:
    """Everything of one test."""

    relay: Scene
    directory: ModelDirectory
    desk: ModelDesk
    servers: list[SmallServer]

    def serve(self, *places: ModelPlace) -> None:
        """What is booked, and loaded where it says so."""
        by_replica: dict[str, list[ModelPlace]] = {}
        for each in places:
            by_replica.setdefault(each.replica, []).append(each)
            if each.is_loaded and each.is_resident:
                self.servers[each.index].loaded.add(each.name)
        for server in self.servers:
            self.directory.put_replica(f"mlserver-{server.index}", by_replica.get(f"mlserver-{server.index}", ()))

    def declare(self, name: str = "iris", state: str = "", reason: str = "", **more: Any) -> None:
        self.directory.put_model(name, DeclaredModel(name, state, reason, **more))

    async def ask(self, path: str = "/v2/models/iris/infer", body: str = "{}", **headers: str) -> Reply:
        """One request; `seldon_model="iris"` is a header."""
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        head = f"POST {path} HTTP/1.1\r\nhost: x\r\n{lines}content-length: {len(body)}\r\n\r\n"
        first, told, content = await self.relay.ask(head.encode() + body.encode())
        return Reply(int(first.split()[1]), told, json.loads(content))


@dataclass
class Reply:
    """What a client got."""

    status: int
    headers: dict[bytes, bytes]
    document: Any

    @property
    def model(self) -> str:
        return self.document["model_name"]

    @property
    def error(self) -> str:
        return self.document["error"]


@asynccontextmanager
async def model_scene(servers: int = 1, *, longest_wait_s: float = 10.0, **told: Any) -> AsyncIterator[ModelScene]:
    """A relay with a model desk before small servers; afterwards nothing may be in flight."""
    started = [SmallServer(index) for index in range(servers)]
    for each in started:
        await each.start()
    agents = Agents(longest_wait_s)
    try:
        async with scene(**told) as relay:
            directory = ModelDirectory()
            desk = ModelDesk(
                relay.relay.desk, directory, agents, ModelFigures(relay.relay.metrics), asyncio.get_running_loop(),
                longest_wait_s=longest_wait_s,
            )  # fmt: skip
            relay.relay.place_before(desk)
            yield ModelScene(relay, directory, desk, started)
            assert not desk.live()
            assert not desk.waiting()
    finally:
        await agents.close()
        for each in started:
            each.stop()

"""The process that owns the router: it answers for the requests of all other relay processes."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final, cast

import orjson

from bayplan.gateway.relay.desk import Ending
from bayplan.gateway.relay.sharing import frames
from bayplan.gateway.relay.sharing.frames import FrameError, Frames, Kind
from bayplan.telemetry.request_metrics import EndedRequest

if TYPE_CHECKING:
    from asyncio import BaseTransport, Transport
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from bayplan.gateway.relay.desk import Desk
    from bayplan.gateway.relay.local_desk import LocalDesk
    from bayplan.routing.answer import Answer
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.telemetry.routing_metrics import RoutingMetrics

_LOOK_S: Final = 1.0
_log = logging.getLogger("bayplan.gateway")


class Owner:
    """Listens on a UNIX socket for workers. A worker that is gone takes its requests with it."""

    def __init__(self, desk: LocalDesk, metrics: RoutingMetrics, stuck_s: float, *, front: Desk | None = None) -> None:
        self.desk: Desk = front or desk
        self.metrics = metrics
        self._stuck_s = stuck_s
        self._silent: list[str] = []
        self._looking: asyncio.TimerHandle | None = None
        self.workers: set[WorkerConnection] = set()
        desk.on_endpoints = self._tell_endpoints
        self._listener: asyncio.Server | None = None

    async def listen(self, path: Path) -> None:
        """Take workers at this path, which only this user may use."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_unix_server(lambda: WorkerConnection(self), str(path))
        path.chmod(0o600)
        self._look()

    def _look(self) -> None:
        """Tell workers once a second of endpoints that are not heard of any more, if that has changed."""
        self._looking = asyncio.get_running_loop().call_later(_LOOK_S, self._look)
        silent = list(self.desk.silent(self._stuck_s))
        if silent != self._silent:
            self._silent = silent
            for worker in self.workers:
                worker.write(self.silent_frame())

    def silent_frame(self) -> bytes:
        """What workers are told of endpoints that are not heard of any more."""
        return frames.frame(Kind.SILENT, payload=orjson.dumps(self._silent))

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        if self._listener is not None:
            self._listener.close()
        for worker in tuple(self.workers):
            worker.close()

    def state(self, name: str) -> int:
        """The sum over all workers of one figure that each tells once a second."""
        return sum(worker.state.get(name, 0) for worker in self.workers)

    def _tell_endpoints(self) -> None:
        told = frames.frame(Kind.ENDPOINTS, payload=frames.endpoints(self.desk.endpoints()))
        for worker in self.workers:
            worker.write(told)


class WorkerConnection(asyncio.Protocol):
    """The connection of one worker."""

    def __init__(self, owner: Owner) -> None:
        self.state: Mapping[str, int] = {}
        """What the worker said of itself last."""
        self._owner = owner
        self._desk = owner.desk
        self._frames = Frames()
        self._asking: dict[str, RemoteAsking] = {}
        self._reactions: dict[int, Callable[[str, bytes], None]] = {
            Kind.ASK: self._ask,
            Kind.FIRST_TOKEN: self._first_token,
            Kind.FAILED: self._failed,
            Kind.ENDED: self._ended,
            Kind.COUNTED: self._counted,
            Kind.STATE: self._state,
        }

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = cast("Transport", transport)
        self._owner.workers.add(self)
        self.write(frames.frame(Kind.ENDPOINTS, payload=frames.endpoints(self._desk.endpoints())))
        self.write(self._owner.silent_frame())

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.workers.discard(self)
        for asking in tuple(self._asking.values()):
            self._desk.ended(asking, Ending.CANCELLED)
        self._asking.clear()

    def data_received(self, data: bytes) -> None:
        try:
            for kind, name, payload in self._frames.feed(data):
                self._reactions[kind](name, payload)
        except (FrameError, KeyError, ValueError) as problem:
            _log.error("a relay process sent what cannot be read: %s", type(problem).__name__, exc_info=problem)
            self._transport.abort()

    def write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        self._transport.close()

    # what a worker says

    def _ask(self, name: str, payload: bytes) -> None:
        self._asking[name] = asking = RemoteAsking(self, name, *frames.read_asked(payload))
        self._desk.ask(asking)

    def _first_token(self, name: str, payload: bytes) -> None:
        asking = self._asking.get(name)
        if asking is not None:
            asking.status = int.from_bytes(payload)
            self._desk.first_token(asking)

    def _failed(self, name: str, payload: bytes) -> None:
        asking = self._asking.get(name)
        if asking is not None:
            self._desk.failed(asking, payload.decode(), asking.go_on)

    def _ended(self, name: str, payload: bytes) -> None:
        asking = self._asking.pop(name, None)
        if asking is not None:
            asking.end = end = frames.read_facts(payload)
            asking.status = end.status
            self._desk.ended(asking, Ending(end.ending))

    def _counted(self, _: str, payload: bytes) -> None:
        what = orjson.loads(payload)
        if "refused" in what:
            self._owner.metrics.refused(what["refused"])
        else:
            self._owner.metrics.cut_slow_client()

    def _state(self, _: str, payload: bytes) -> None:
        self.state = orjson.loads(payload)


class RemoteAsking:
    """A request of another process, as the desk sees it."""

    __slots__ = ("_worker", "body", "end", "endpoint", "id", "path", "request_id", "status", "texts")

    subset = None  # clients of a relay do not choose endpoints

    def __init__(
        self, worker: WorkerConnection, name: str, request_id: str, path: str, texts: dict[str, str], body: bytes
    ) -> None:
        self.id = name
        self.request_id = request_id
        self.path = path
        self.texts: Mapping[str, str] = texts
        self.body = body
        self.status: int | None = None
        self.endpoint: Endpoint | None = None
        self.end: EndedRequest | None = None
        self._worker = worker

    def answered(self, answer: Answer) -> None:
        """Tell the worker; its body is no longer needed, because the worker has it."""
        self.body = b""
        self._picked(answer)
        self._worker.write(frames.frame(Kind.ANSWER, self.id, frames.answered(answer)))

    def go_on(self, answer: Answer | None) -> None:
        """Tell the worker what to try next."""
        if answer is not None:
            self._picked(answer)
        payload = b"" if answer is None else frames.answered(answer)
        self._worker.write(frames.frame(Kind.NEXT, self.id, payload))

    def _picked(self, answer: Answer) -> None:
        if answer.picked:
            self.endpoint = answer.picked[0]

    def facts(self, ending: Ending) -> EndedRequest:
        """What its process said; nothing where that is gone."""
        return self.end or EndedRequest(ending, None, 0.0, None, 0, 0, is_stream=False)

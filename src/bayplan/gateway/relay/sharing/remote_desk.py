"""The desk of a process that does not own the router: it asks the one that does."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final, cast

import orjson

from bayplan.gateway.relay.desk import Ending
from bayplan.gateway.relay.sharing import frames
from bayplan.gateway.relay.sharing.frames import FrameError, Frames, Kind
from bayplan.routing.answer import SHUTTING_DOWN, Answer
from bayplan.routing.requests.routed_request import RoutedRequest

if TYPE_CHECKING:
    from asyncio import BaseTransport, Transport
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from bayplan.gateway.relay.desk import Asking
    from bayplan.routing.endpoints.endpoint import Endpoint

_log = logging.getLogger("bayplan.gateway")
_CONNECT_S: Final = 10.0


class RemoteDesk(asyncio.Protocol):
    """Asks over a connection. Without an owner nothing can be decided: requests are refused, and `lost` is set."""

    def __init__(self) -> None:
        self.lost = asyncio.Event()
        self._frames = Frames()
        self._asking: dict[str, Asking] = {}
        self._failed: dict[str, Callable[[Answer | None], None]] = {}
        self._endpoints: list[Endpoint] = []
        self._silent: list[str] = []
        self._transport: Transport | None = None

    @classmethod
    async def connect(cls, path: Path) -> RemoteDesk:
        """Connect to the owner at a path."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(_CONNECT_S):
            _, desk = await loop.create_unix_connection(cls, str(path))
        return desk

    # asyncio calls these

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = cast("Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.lost.set()
        asking, self._asking = self._asking, {}
        failed, self._failed = self._failed, {}
        for then in failed.values():
            then(None)
        for name, each in asking.items():
            if each.endpoint is None:  # those that were sent go on without the owner
                each.answered(_no_owner(name))

    def data_received(self, data: bytes) -> None:
        try:
            for kind, name, payload in self._frames.feed(data):
                self._take(kind, name, payload)
        except (FrameError, ValueError) as problem:
            _log.error("the owner of the router sent what cannot be read: %s", type(problem).__name__, exc_info=problem)
            if self._transport is not None:
                self._transport.abort()

    def _take(self, kind: int, name: str, payload: bytes) -> None:
        if kind == Kind.ANSWER:
            asking = self._asking.get(name)
            if asking is not None:
                asking.answered(frames.read_answered(name, payload))
        elif kind == Kind.NEXT:
            then = self._failed.pop(name, None)
            if then is not None:
                then(frames.read_answered(name, payload) if payload else None)
        elif kind == Kind.ENDPOINTS:
            self._endpoints = frames.read_endpoints(payload)
        elif kind == Kind.SILENT:
            self._silent = orjson.loads(payload)

    # requests

    def ask(self, asking: Asking) -> None:
        if self._transport is None:
            asking.answered(_no_owner(asking.id))
            return
        self._asking[asking.id] = asking
        self._write(Kind.ASK, asking.id, frames.asked(asking.request_id, asking.path, asking.texts, asking.body))

    def first_token(self, asking: Asking) -> None:
        self._write(Kind.FIRST_TOKEN, asking.id, (asking.status or 0).to_bytes(2))

    def answered_whole(self, asking: Asking) -> None:
        self.first_token(asking)
        self.ended(asking, Ending.COMPLETED)

    def failed(self, asking: Asking, fault: str, then: Callable[[Answer | None], None]) -> None:
        if self._transport is None:
            then(None)
            return
        self._failed[asking.id] = then
        self._write(Kind.FAILED, asking.id, fault.encode())

    def ended(self, asking: Asking, ending: Ending) -> None:
        if self._asking.pop(asking.id, None) is not None:
            self._failed.pop(asking.id, None)
            self._write(Kind.ENDED, asking.id, frames.facts(asking.facts(ending)))

    def endpoints(self) -> Iterable[Endpoint]:
        return self._endpoints

    def silent(self, longest_s: float) -> Iterable[str]:
        """As the owner said, which has the same patience."""
        return self._silent

    # what is counted at the owner

    def refused(self, status: int) -> None:
        self._write(Kind.COUNTED, "", orjson.dumps({"refused": status}))

    def cut_slow_client(self) -> None:
        self._write(Kind.COUNTED, "", orjson.dumps({"slow": 1}))

    def tell_state(self, state: Mapping[str, int]) -> None:
        """How many connections this process has."""
        self._write(Kind.STATE, "", orjson.dumps(state))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def _write(self, kind: Kind, name: str, payload: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(frames.frame(kind, name, payload))


def _no_owner(name: str) -> Answer:
    return Answer(RoutedRequest(name), 503, SHUTTING_DOWN, "the process that decides is gone")

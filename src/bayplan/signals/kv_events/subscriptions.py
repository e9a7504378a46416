"""The KV events of all endpoints: one subscription each, or one address that all of them publish to."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from typing import TYPE_CHECKING, Any, Final

import zmq

from bayplan.framework.errors import InputError
from bayplan.manifests.marks import MODEL
from bayplan.signals.kv_events.publisher import Publisher
from bayplan.signals.kv_events.socket import Subscription, replay

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence

    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.signals.kv_events.publisher import PublisherState
    from bayplan.signals.kv_events.settings import KvEventSettings
    from bayplan.signals.router_port import RouterPort

_MOST_WAITING: Final = 10_000  # messages of one publisher; what is dropped then is a gap
_RANK: Final = re.compile(r"-rank-(\d{1,3})$")  # how endpoints of several ports are named

_log = logging.getLogger("bayplan.signals")


class KvSubscriptions:
    """Follows the endpoints that it is told of; what their engines say goes to the router."""

    def __init__(self, port: RouterPort, settings: KvEventSettings) -> None:
        self._port, self._settings = port, settings
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._followed: dict[str, _Followed] = {}
        self._addresses: dict[str, str] = {}
        self._shared: Subscription | None = None
        self.address = ""
        """Where publishers connect to, if they do."""
        if settings.bind:
            self._shared = Subscription(self._context, self._take_shared, settings.topic)
            try:
                self.address = self._shared.bind(settings.bind)
            except InputError:
                self._shared.close()
                self._context.term()
                raise

    @property
    def states(self) -> Mapping[str, PublisherState]:
        """What came of each endpoint."""
        return {name: each.publisher.state for name, each in self._followed.items()}

    def up(self, endpoint: Endpoint) -> None:
        """Listen to an endpoint."""
        known = self._followed.get(endpoint.name)
        if known is not None and known.endpoint.address == endpoint.address:
            known.endpoint = endpoint
            return
        self.down(endpoint.name)
        followed = self._followed[endpoint.name] = _Followed(endpoint, self._publisher(endpoint))
        for each in (endpoint.name, endpoint.full_name, endpoint.ip, endpoint.address):
            self._addresses[each] = endpoint.name
        if self._settings.port is not None:
            followed.subscription = Subscription(
                self._context, followed.take, self._settings.topic, followed.publisher.disconnected
            )
            followed.start(_address(endpoint, self._settings.port))

    def down(self, name: str) -> None:
        """Listen to an endpoint no more."""
        followed = self._followed.pop(name, None)
        if followed is not None:
            followed.close()
            self._addresses = {each: owner for each, owner in self._addresses.items() if owner != name}

    async def close(self) -> None:
        """Listen to nobody."""
        for name in list(self._followed):
            self.down(name)
        if self._shared is not None:
            self._shared.close()
        await asyncio.to_thread(self._context.term)  # it waits for replays that are under way

    def _publisher(self, endpoint: Endpoint) -> Publisher:
        return Publisher(
            endpoint.name,
            self._port.kv_event,
            model=endpoint.labels.get(MODEL, ""),
            block_size=self._settings.block_size,
            ask_again=self._replays(endpoint),
        )

    def _replays(self, endpoint: Endpoint) -> Callable[[int], Awaitable[Sequence[tuple[int, bytes]]]] | None:
        port = self._settings.replay_port
        if port is None:
            return None
        address = _address(endpoint, port)

        async def ask_again(first: int) -> Sequence[tuple[int, bytes]]:
            return await asyncio.to_thread(replay, self._context, address, first)

        return ask_again

    def _take_shared(self, frames: Sequence[bytes]) -> None:
        """A message of somebody who connected here: its topic `kv@WHO@MODEL` says who."""
        who = frames[0].decode("utf-8", "replace").partition("@")[2].partition("@")[0]
        name = self._addresses.get(who)
        if name is not None:
            self._followed[name].take(frames)


class _Followed:
    """One endpoint. While messages before the newest ones are asked for, those wait."""

    def __init__(self, endpoint: Endpoint, publisher: Publisher) -> None:
        self.endpoint, self.publisher = endpoint, publisher
        self.subscription: Subscription | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: deque[Sequence[bytes]] = deque(maxlen=_MOST_WAITING)

    def start(self, address: str) -> None:
        if self.subscription is not None:
            self._run(self.publisher.catch_up())  # nothing is read before what was published earlier
            self.subscription.connect(address)

    def take(self, frames: Sequence[bytes]) -> None:
        if self._task is not None:
            self._waiting.append(frames)
        elif self.publisher.take(frames):
            self._run(self.publisher.recover(frames))

    def close(self) -> None:
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()
        if self.subscription is not None:
            self.subscription.close()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        if self.subscription is not None:
            self.subscription.pause()
        self._task = asyncio.create_task(work, name=f"KV events of {self.endpoint.name}")
        self._task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            _log.error("KV events of endpoint %s", self.endpoint.name, exc_info=error)
        while self._waiting and self._task is None:
            self.take(self._waiting.popleft())
        if self.subscription is not None and self._task is None:
            self.subscription.resume()


def _address(endpoint: Endpoint, port: int) -> str:
    """Where an endpoint's events are; each rank of an engine has a port of its own."""
    rank = _RANK.search(endpoint.name)
    host = f"[{endpoint.ip}]" if ":" in endpoint.ip else endpoint.ip
    return f"tcp://{host}:{port + (int(rank[1]) if rank else 0)}"

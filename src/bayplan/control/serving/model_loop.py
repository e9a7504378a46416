"""The loop that puts Models onto servers: it hears of every change, decides anew, and writes the bookings."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from bayplan.cluster.identity import WorkloadKey
from bayplan.control.collections import PODS, SERVED_MODELS, SERVER_CONFIGS, SERVER_REPLICAS, SERVERS
from bayplan.control.controllers.references import is_leaving, key_of
from bayplan.control.serving.booking import LOST
from bayplan.control.serving.connection import is_connected
from bayplan.control.serving.finalizers import protect, release
from bayplan.control.serving.row_events import see_row
from bayplan.control.serving.scheduling import carry_out, read_fleet
from bayplan.control.store import Key
from bayplan.control.store_errors import StoreError
from bayplan.library.serving.serving_planner import serving_decider
from bayplan.library.status.documents import part
from bayplan.manifests.marks import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Seen
    from bayplan.control.controllers.world import World
    from bayplan.control.serving.fleet import Fleet
    from bayplan.control.store import Object

SYNCHRONISED_S = 10.0
"""How long a start waits for the server replicas that were there before."""
_PAUSE_S = 1.0  # after the store failed
_SOON_S = 0.05  # a clock that runs slower than the loop's must not make it spin
_log = logging.getLogger("bayplan.serving")


class ModelLoop:
    """One fleet for each namespace with Models or Servers; without any it does nothing."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._decider = serving_decider()
        self._fleets: dict[str, Fleet] = {}
        self._dirty: dict[str, dict[Key, None]] = {}
        self._stale: set[str] = set()
        self._listeners: list[Callable[[Key], None]] = []
        self._wakes, self._idle = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._alarms: dict[str, asyncio.TimerHandle] = {}
        cache = world.cache
        cache.listen(SERVERS, self._server_seen)
        cache.listen(SERVER_CONFIGS, self._config_seen)
        cache.listen(SERVER_REPLICAS, self._changed)
        cache.listen(SERVED_MODELS, self._changed)
        cache.listen(PODS, self._pod_seen)

    def listen(self, tell: Callable[[Key], None]) -> None:
        """Hear of the Models and Servers that a decision or an answer concerns."""
        self._listeners.append(tell)

    def fleet(self, namespace: str) -> Fleet | None:
        """What is booked in a namespace; None before it was looked at."""
        return self._fleets.get(namespace)

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="models on servers")

    async def stop(self) -> None:
        for alarm in self._alarms.values():
            alarm.cancel()
        self._alarms.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def settled(self) -> None:
        """Until every change that was heard of is acted on."""
        while self._dirty:
            self._idle.clear()
            await self._idle.wait()

    # what is heard

    def _server_seen(self, seen: Seen) -> None:
        if seen.old is None or seen.new is None or _wish(seen.old) != _wish(seen.new):
            self._stale.add(seen.key.namespace)
            self._changed(seen)

    def _config_seen(self, seen: Seen) -> None:
        if seen.old is not None and seen.new is not None and seen.old.get("spec") == seen.new.get("spec"):
            return
        for namespace in {each["metadata"]["namespace"] for each in self._world.cache.all(SERVERS)}:
            self._stale.add(namespace)
            self._wake(namespace)

    def _pod_seen(self, seen: Seen) -> None:
        pod = seen.new or seen.old
        if pod is not None and SERVER in (pod["metadata"].get("labels") or ()):
            self._wake(seen.key.namespace, Key(SERVER_REPLICAS, seen.key.namespace, seen.key.name))

    def _changed(self, seen: Seen) -> None:
        self._wake(seen.key.namespace, seen.key)

    def _wake(self, namespace: str, *keys: Key) -> None:
        self._dirty.setdefault(namespace, {}).update(dict.fromkeys(keys))
        self._idle.clear()
        self._wakes.set()

    # what is done

    async def _run(self) -> None:
        await self._synchronise()
        while True:
            while not self._dirty:
                self._idle.set()
                self._wakes.clear()
                await self._wakes.wait()
            namespace = next(iter(self._dirty))
            try:
                await self._turn(namespace, self._dirty[namespace])
            except LOST:  # another writer was first: what it wrote is read, and decided again
                self._world.observer.models_overtaken()
                self._again(namespace)
            except StoreError as error:
                _log.warning("models of %s are not booked now, and tried again: %s", namespace, error)
                await self._later(namespace)
            except Exception:
                _log.exception("models of %s are not decided now, and tried again", namespace)
                await self._later(namespace)

    async def _synchronise(self) -> None:
        """Wait for the server replicas of before a restart: models on one that is slow are not moved at once."""
        try:
            async with asyncio.timeout(SYNCHRONISED_S):
                while not all(map(self._is_connected, self._world.cache.all(SERVER_REPLICAS))):
                    self._wakes.clear()
                    await self._wakes.wait()
        except TimeoutError:
            _log.info("some server replicas are not connected after %g s; models go elsewhere", SYNCHRONISED_S)

    async def _turn(self, namespace: str, keys: dict[Key, None]) -> None:
        """Everything that was heard of a namespace, in one decision and one commit."""
        self._dirty[namespace] = {}
        fleet = self._fleets.get(namespace)
        if fleet is None or namespace in self._stale or not all(self._see(fleet, each) for each in keys):
            self._stale.discard(namespace)
            fleet = await read_fleet(self._world.store, namespace, self._decider, self._is_connected)
            self._fleets[namespace] = fleet
            fleet.observer = self._world.observer
        now = self._world.clock()
        fleet.tick(now)
        await protect(self._world.store, fleet)
        concerned = await carry_out(self._world.store, fleet, now)
        await release(self._world.store, fleet, concerned)
        self._tell(namespace, concerned)
        self._plan_retry(namespace, fleet, now)
        if not self._dirty[namespace]:
            del self._dirty[namespace]

    def _see(self, fleet: Fleet, key: Key) -> bool:
        """Take over one change; whether that is possible without reading everything again."""
        document = self._world.cache.get(key)
        if key.collection == SERVED_MODELS:
            if document is None:
                fleet.gone(WorkloadKey(key.namespace, key.name))
            else:
                fleet.apply(document)
            return True
        if key.collection == SERVER_REPLICAS:
            connected = document is not None and self._is_connected(document)
            return see_row(fleet, key, document, self._world.clock(), connected=connected)
        return True

    def _again(self, namespace: str) -> None:
        self._stale.add(namespace)
        self._wake(namespace)

    async def _later(self, namespace: str) -> None:
        self._again(namespace)
        await asyncio.sleep(_PAUSE_S)

    def _plan_retry(self, namespace: str, fleet: Fleet, now: float) -> None:
        if (alarm := self._alarms.pop(namespace, None)) is not None:
            alarm.cancel()
        if (due_s := fleet.retries.next_s()) is not None:
            loop = asyncio.get_running_loop()
            self._alarms[namespace] = loop.call_later(max(_SOON_S, due_s - now), self._wake, namespace)

    def _tell(self, namespace: str, concerned: list[WorkloadKey]) -> None:
        models = [Key(SERVED_MODELS, each.namespace, each.name) for each in concerned]
        servers = [key_of(SERVERS, each) for each in self._world.cache.all(SERVERS, namespace)]
        for key in (*models, *servers):
            for tell in self._listeners:
                tell(key)

    def _is_connected(self, row: Object) -> bool:
        pod = str(part(row, "spec").get("pod"))
        return is_connected(row, self._world.cache.get(Key(PODS, row["metadata"]["namespace"], pod)))


def _wish(server: Object) -> tuple[object, object, bool]:
    return server.get("spec"), server["metadata"].get("annotations"), is_leaving(server)

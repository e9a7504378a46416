"""All loops of a running system: they are made, started and stopped together; a simulation runs the same ones."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bayplan.control.cache import Cache
from bayplan.control.clock import SYSTEM_CLOCK
from bayplan.control.controllers.roster import COLLECTIONS, controllers
from bayplan.control.event_recorder import EventRecorder
from bayplan.control.nodes.heartbeats import Heartbeats
from bayplan.control.nodes.lifecycle import NodeLifecycle
from bayplan.control.nodes.maxima import Maxima
from bayplan.control.nodes.moves import Moves
from bayplan.control.nodes.profiler import Profiler
from bayplan.control.observing import LoopObserver
from bayplan.control.scheduling.conditions import PodConditions
from bayplan.control.scheduling.configuration import Configuration
from bayplan.control.scheduling.learnt_mix import LearntMix
from bayplan.control.scheduling.loop import SchedulingLoop
from bayplan.control.scheduling.points import Points
from bayplan.control.scheduling.queue_lengths import QueueLengths
from bayplan.control.scheduling.records import Records
from bayplan.control.scheduling.terms import begin_term
from bayplan.control.scheduling.topology_watch import TopologyWatch
from bayplan.library.live_state import live_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.control.clock import Clock
    from bayplan.control.controllers.world import Loop
    from bayplan.control.nodes.settings import NodeSettings
    from bayplan.control.scheduling.records import Archive
    from bayplan.control.store import Store
    from bayplan.framework.plugins import Observer


class ControlSystem:
    """Made before the store is started, because the API asks it; nothing runs until `start`."""

    def __init__(
        self, store: Store, *, clock: Clock = SYSTEM_CLOCK, observer: LoopObserver | None = None, config: Any = None,
        plugins: tuple[object, ...] = (), plugin_observers: Sequence[Observer] = (), archive: Archive | None = None,
        holder: str = "bayplan", nodes: NodeSettings | None = None,
    ) -> None:  # fmt: skip
        self._store, self._clock, self._holder = store, clock, holder
        self._observer = observer or LoopObserver()
        self._points = Points(plugins)
        self._archive = archive
        self.mix = LearntMix(store)
        self._make_state = live_state(config, observers=plugin_observers, mix=lambda: self.mix.mix)
        self.events = EventRecorder(store, clock=clock, observer=self._observer)
        collections = dict.fromkeys(
            (*SchedulingLoop.collections, *COLLECTIONS, *NodeLifecycle.collections, *Configuration.collections)
        )
        self.cache = Cache(store, collections)
        self.records = Records(archive)
        self._conditions = PodConditions(store, self.cache, clock)
        maxima = Maxima(store, clock)
        self.scheduling = SchedulingLoop(
            store, self.cache, self.events, clock, make_state=self._make_state, records=self.records,
            conditions=self._conditions, observer=self._observer, points=self._points, mix=self.mix,
            dry_runs=maxima.dry_runs,
        )  # fmt: skip
        self.configuration = Configuration(
            store, self.cache, self.events, clock, self.scheduling, default=config, plugins=plugins
        )
        TopologyWatch(self.scheduling.live, self.cache, self.events, self._observer)
        self.queue_lengths = QueueLengths(self.scheduling.waiting, clock)
        self.heartbeats = Heartbeats(clock, self._observer)
        self.nodes = NodeLifecycle(
            store, self.cache, self.events, clock, heartbeats=self.heartbeats, settings=nodes, observer=self._observer
        )
        self.profiler = Profiler(
            store, self.cache, clock, heartbeats=self.heartbeats, pods=self.nodes.pods, maxima=maxima, settings=nodes
        )
        self.moves = Moves(store, self.cache, self.events, clock, self._observer)
        self.controllers: list[Loop] = controllers(
            store, self.cache, self.events, clock, self.scheduling.removals, observer=self._observer
        )

    async def start(self) -> None:
        """Read what is stored, then act on it."""
        last = 0 if self._archive is None else self._archive.last_term()
        epoch = await begin_term(self._store, self._holder, self._clock(), last)
        self.records.begin_term(epoch)
        await self.mix.load()
        await self.cache.start()
        self.events.start()
        self.mix.start()
        self._conditions.start()
        self.nodes.start()
        self.moves.start()
        self.profiler.start()
        self.scheduling.start(epoch)
        self.configuration.start()
        for each in self.controllers:
            each.start()

    async def stop(self) -> None:
        """Stop everything; what is not finished is found again at the next start."""
        await asyncio.gather(*(each.stop() for each in self.controllers))
        await self.configuration.stop()
        await self.scheduling.stop()
        await self.profiler.stop()
        await self.moves.stop()
        await self.nodes.stop()
        await self._conditions.stop()
        await self.mix.stop()
        await self.events.stop()
        await self.cache.stop()

    @property
    def failed(self) -> BaseException | None:
        """The error of a loop that ended although it should not."""
        return self.scheduling.failed or self.cache.failed

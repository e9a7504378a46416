"""Decisions that are being carried out, each in a task of its own, and what happens when one is or is not."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Protocol

from bayplan.control.collections import PODS
from bayplan.control.observing import Demand, Result
from bayplan.control.scheduling.points import DeniedError
from bayplan.control.store import Key
from bayplan.control.store_errors import StoreError
from bayplan.placement.planning.plan import Verdict
from bayplan.placement.planning.topology_demands import against_preference

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Cache
    from bayplan.control.clock import Clock
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.observing import LoopObserver
    from bayplan.control.scheduling.decision import Decision
    from bayplan.control.scheduling.execution import Execution
    from bayplan.control.scheduling.live_cluster import LiveCluster
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.scheduling.points import Points, Reserve
    from bayplan.control.scheduling.records import Records
    from bayplan.control.scheduling.units import Unit, UnitKey

_FEW_PODS = 16  # of a decision: each gets an event of its own
_log = logging.getLogger("bayplan.scheduling")
_decisions = logging.getLogger("bayplan.decisions")


class GaveUp(Protocol):
    """Hears of decisions that were not carried out; `lost` where another writer was first."""

    def __call__(self, decision: Decision, error: Exception, *, lost: bool) -> None: ...


class Commits:
    """Pods of decisions under way are not pending, and not bound either."""

    def __init__(
        self, execution: Execution, live: LiveCluster, cache: Cache, events: EventRecorder, clock: Clock,
        observer: LoopObserver, records: Records, gave_up: GaveUp, carried_out: Callable[[Decision], None],
        points: Points,
    ) -> None:  # fmt: skip
        self._execution, self._live, self._cache, self._events = execution, live, cache, events
        self._clock, self._observer, self._records, self._gave_up = clock, observer, records, gave_up
        self._carried_out = carried_out
        self.points = points
        """The plugins around decisions; another set counts for decisions that begin from then on."""
        self.epoch = 0
        self.failed: BaseException | None = None
        """A mistake in this file: errors of plugins and of the store are handled."""
        self.busy: set[UnitKey] = set()
        """Units that wait for their victims to go."""
        self._pods: dict[PodName, Decision] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def pods(self) -> int:
        return len(self._pods)

    @property
    def under_way(self) -> bool:
        return bool(self._tasks)

    def has(self, pod: PodName) -> bool:
        """Whether a decision about this Pod is under way."""
        return pod in self._pods

    def settle(self, unit: Unit) -> None:
        """Take Pods whose decision is under way out of the unit that waits."""
        for name in [each for each in unit.pods if each in self._pods]:
            del unit.pods[name]

    def begin(self, decision: Decision, begun: float) -> None:
        """Carry out a decision; `begun` is when the try began, by the clock of the process."""
        for each in decision.pods:
            self._pods[each.name] = decision
        if decision.victims:
            self.busy.add(decision.unit)
        task = asyncio.create_task(self._carry_out(decision, begun, self.points))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.failed = error

    async def stop(self) -> None:
        """Give up all commits that are under way; one that is in the store's hands may still happen."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry_out(self, decision: Decision, begun: float, points: Points) -> None:
        reserved: list[Reserve] = []
        try:
            for plugin in points.reserve:
                plugin.reserve(decision)
                reserved.append(plugin)
            await self._execution.carry_out(decision, points)
        except (DeniedError, StoreError) as error:
            await self._give_up(decision, error, begun, reserved)
        except asyncio.CancelledError:
            raise  # the process stops
        except Exception as error:
            _log.exception("%s while a decision was carried out", type(error).__name__, extra=_about(decision))
            denied = DeniedError(f"{type(error).__name__} in Bayplan or a plugin; the log of the server has more")
            await self._give_up(decision, denied, begun, reserved)
        else:
            self._bound(decision, begun, points)

    def _bound(self, decision: Decision, begun: float, points: Points) -> None:
        """Everything is bound; whatever a plugin thinks of it, it stays so."""
        self._live.confirm((each.name, each.uid) for each in decision.pods)
        self._forget(decision)
        for plugin in points.post_bind:
            _told(plugin.post_bind, decision)
        self._observer.bound(len(decision.pods), max(0.0, self._clock() - decision.since_s))
        result = Result.PLACED if decision.plan.verdict is Verdict.FITS else Result.PARTLY
        self._observer.decided(decision.strategy, result, time.perf_counter() - begun)
        if count := against_preference(decision.plan.replicas, self._live.state.workers):
            self._observer.topology_violated(Demand.PREFERRED, count)
        self._records.ended(decision.record, "bound")
        self._tell_bound(decision)
        self._carried_out(decision)

    async def _give_up(self, decision: Decision, error: Exception, begun: float, reserved: list[Reserve]) -> None:
        """Give the room back, and say so."""
        lost = isinstance(error, StoreError)
        _log.info("not bound: %s", error, extra=_about(decision))
        for plugin in reversed(reserved):
            _told(plugin.unreserve, decision)
        await self._execution.undo(decision)
        self._forget(decision)
        self._records.ended(decision.record, "lost" if lost else "denied", str(error))
        result = Result.LOST_RACE if lost else Result.ERROR
        self._observer.decided(decision.strategy, result, time.perf_counter() - begun)
        self._gave_up(decision, error, lost=lost)

    def _forget(self, decision: Decision) -> None:
        for each in decision.pods:
            self._pods.pop(each.name, None)
        if decision.victims:
            self.busy.discard(decision.unit)

    def _tell_bound(self, decision: Decision) -> None:
        """One event for a large unit, one for each Pod of a small one."""
        if _decisions.isEnabledFor(logging.INFO):
            plan = decision.plan
            _decisions.info("%d of %d replicas bound", len(plan.replicas), plan.desired, extra=_about(decision))
        if len(decision.pods) <= _FEW_PODS:
            for each in decision.pods:
                if (pod := self._cache.get(Key(PODS, *each.name))) is not None:
                    self._events.tell(pod, "Normal", "Scheduled", f"on {each.worker}; record {decision.record}")
        owner = self._cache.get(decision.unit.object)
        if owner is not None and decision.unit.collection is not PODS:
            placed = f"{len(decision.plan.replicas)} of {decision.plan.desired} replicas placed"
            self._events.tell(owner, "Normal", "Scheduled", f"{placed}; record {decision.record}")


def _told(plugin: Callable[[Decision], None], decision: Decision) -> None:
    """Call a plugin that has nothing to decide: its mistakes go to the log."""
    try:
        plugin(decision)
    except Exception:
        _log.exception("a plugin around decisions fails", extra=_about(decision))


def _about(decision: Decision) -> dict[str, str]:
    """What a line of the log is about."""
    return {"record": decision.record, "object": str(decision.unit)}

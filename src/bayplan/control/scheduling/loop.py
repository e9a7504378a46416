"""The scheduling loop: takes pending units in order, decides on one state of the cluster, and hands decisions on.

Everything but the writes happens on the event loop between two waits. What was decided is booked in the ledger at once
(assumed); the write to the store follows, and a lost race gives it back.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from bayplan.cluster.events import BOOKING_REMOVED
from bayplan.control.collections import AGENT_CLASSES, AGENT_POOLS, PODS, PRIORITY_CLASSES
from bayplan.control.observing import Phase, Result
from bayplan.control.scheduling.alarms import Alarms
from bayplan.control.scheduling.changes import asks_anew, pending_since, same_spec
from bayplan.control.scheduling.commits import Commits
from bayplan.control.scheduling.deciding import Decider
from bayplan.control.scheduling.execution import Execution
from bayplan.control.scheduling.expected_start import TimeLimits
from bayplan.control.scheduling.first_priority import first_priority
from bayplan.control.scheduling.live_cluster import LiveCluster
from bayplan.control.scheduling.notices import Notices
from bayplan.control.scheduling.points import Points
from bayplan.control.scheduling.removal_order import RemovalOrder
from bayplan.control.scheduling.reservations import Reservations, is_large
from bayplan.control.scheduling.units import Unit, UnitKey, UnitReader, is_pending, unit_of
from bayplan.control.scheduling.waiting import WaitingUnits, default_key
from bayplan.control.store import Key
from bayplan.control.turns import give_way
from bayplan.framework.errors import BayplanError
from bayplan.placement.planning.plan import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.cluster import Cluster
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.clock import Clock
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.observing import LoopObserver
    from bayplan.control.scheduling.conditions import PodConditions
    from bayplan.control.scheduling.decision import Decision
    from bayplan.control.scheduling.learnt_mix import LearntMix
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.scheduling.records import Records
    from bayplan.control.scheduling.units import DryRuns
    from bayplan.control.scheduling.waiting import Waiting
    from bayplan.control.store import Collection, Object, Store
    from bayplan.library.planner import PlacementConfig
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.decision.followed_cluster import FollowedCluster
    from bayplan.placement.planning.plan import Plan

TURN_S = 0.002
"""How long the loop decides before it lets requests and writes have the event loop."""
LINGER_S = 0.02
"""While nothing waits, changes of the cluster are taken in together after this time: a new fleet joins in batches."""
MOST_IN_FLIGHT = 4_000
"""Pods of decisions whose commit is under way; more would only make the queue of the store longer."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 30.0  # after lost commits in a row
_FAILED_S = 1.0  # after a mistake in the loop itself
_READ_AGAIN_S = 30.0  # files of a model may appear although no object changes


_log = logging.getLogger("bayplan.scheduling")


class SchedulingLoop:
    """One for a cluster. `start` after the cache has started."""

    collections = tuple(dict.fromkeys((*LiveCluster.collections, *UnitReader.collections)))

    def __init__(
        self, store: Store, cache: Cache, events: EventRecorder, clock: Clock, *,
        make_state: Callable[[Cluster], FollowedCluster], records: Records, conditions: PodConditions,
        observer: LoopObserver, points: Points | None = None, mix: LearntMix | None = None,
        dry_runs: DryRuns | None = None,
    ) -> None:  # fmt: skip
        self.cache, self._events, self._clock = cache, events, clock
        self._records, self._observer, self._mix = records, observer, mix
        self._notices = Notices(cache, events, conditions, observer, clock)
        points = points or Points()
        sort = points.queue_sort
        self.waiting = WaitingUnits(default_key if sort is None else sort.queue_key, self._know_priority)
        self.live = LiveCluster(cache, make_state, self._wake)
        self.live.readable = self._notices.node_readable
        self._limits = TimeLimits(cache)
        self._reader = UnitReader(cache, dry_runs)
        self.removals = RemovalOrder(self.live, self._reader)
        self.reservations = Reservations(self.live, self._limits, clock)
        self._decider = Decider(self.live, records, clock)
        execution = Execution(store, cache, self.live, events, clock, observer)
        self._commits = Commits(
            execution, self.live, cache, events, clock, observer, records, self._gave_up, self._carried_out, points
        )
        self._alarms: Alarms[UnitKey] = Alarms(self._ring)
        self._wakes = asyncio.Event()
        self._unit_of: dict[PodName, UnitKey] = {}
        self._failures: dict[UnitKey, int] = {}  # commits that were given up in a row
        self._runner: asyncio.Task[None] | None = None
        self._error: Exception | None = None
        cache.listen(PODS, self._pod_seen)
        cache.listen(PRIORITY_CLASSES, lambda _: self._try_all())
        for collection in UnitReader.collections:
            if collection is not PODS:
                cache.listen(collection, self._owner_seen)

    def start(self, epoch: int) -> None:
        """Read the cluster as the cache has it, then decide whenever something changes; `epoch` numbers this term."""
        self._commits.epoch = epoch
        self.live.load()
        self._records.follow(self.live.state)
        self._runner = asyncio.create_task(self._run(), name="scheduling loop")
        self._wake()

    async def stop(self) -> None:
        """Stop deciding, and give up commits that are under way: what is not bound is pending at the next start."""
        self._alarms.stop()
        if self._runner is not None:
            self._runner.cancel()
            await asyncio.gather(self._runner, return_exceptions=True)
        await self._commits.stop()

    @property
    def failed(self) -> BaseException | None:
        """The error because of which nothing is decided, or a decision is not carried out, if any."""
        return self._error or self._commits.failed

    @property
    def is_idle(self) -> bool:
        """Whether nothing is to be decided and no commit is under way."""
        return not self._wakes.is_set() and not self.waiting.has_ready and not self._commits.under_way

    @property
    def in_flight(self) -> int:
        """Pods that have a place and are not bound yet."""
        return self._commits.pods

    def follow(self, config: PlacementConfig, document: Any, plugins: tuple[object, ...] = ()) -> None:
        """Decide by another configuration from now on; what waits is tried again. `plugins` come from code."""
        self.live.state.follow(config.profiles, skip_broken=config.skip_broken)
        points = Points((*plugins, *config.around))
        self.waiting.sort_by(default_key if points.queue_sort is None else points.queue_sort.queue_key)
        self._commits.points = points
        self._records.config = document
        self._decider.forget_refusals()
        self._try_all()

    def known_ends(self) -> list[tuple[float, Booking]]:
        """What is held by Pods with a time limit, the first to end first."""
        return self._limits.known_ends(self.live, self._clock())

    def sized(self, unit: Unit) -> SizedWorkload:
        """What a unit asks for; InputError where that cannot be read."""
        return self._reader.sized(unit, self.live.state.ledger.held_by_workload, self.live.priority_classes())

    def _wake(self) -> None:
        self._wakes.set()

    def _try_all(self) -> None:
        """Something changed that any unit may depend on."""
        for each in self.waiting:
            self.waiting.make_ready(each, self._clock())
        self._wake()

    async def _run(self) -> None:
        while True:
            await self._wakes.wait()
            if not len(self.waiting):
                await asyncio.sleep(LINGER_S)
            self._wakes.clear()
            begun = time.perf_counter()
            try:
                self._turn(begun + TURN_S)
                self._error = None
            except Exception as error:  # mistakes about one unit are handled there; this is about the cluster
                _log.exception("the cluster cannot be followed; it is tried again")
                self._error = error
                await asyncio.sleep(_FAILED_S)
                self._wake()
            await give_way(time.perf_counter() - begun)

    def _turn(self, until: float) -> None:
        """Take in what changed, and decide, until a time."""
        while True:
            self._notice(self.live.refresh())  # also where nothing can begin: commits wait for what it shows
            if self._commits.pods >= MOST_IN_FLIGHT:
                return  # the end of a commit wakes the loop
            waiting = self.waiting.next()
            if waiting is None:
                return
            if waiting.unit.key in self._commits.busy:
                continue  # its turn comes when its victims are gone
            self._try(waiting)
            if time.perf_counter() > until:
                self._wake()  # there may be more: go on after others had their turn
                return

    def _notice(self, events: set[str]) -> None:
        """Wake what these events could help; room that is kept for others stays kept."""
        if self.reservations.give_up_expired():
            events.add(BOOKING_REMOVED)
        self.reservations.renew()
        self.waiting.wake(events, self._clock())

    def _pod_seen(self, seen: Seen) -> None:
        name = (seen.key.namespace, seen.key.name)
        pod = seen.new
        if pod is None or not is_pending(pod):
            self._forget(name)
            return
        key = unit_of(pod)
        if self._unit_of.get(name, key) != key:
            self._forget(name)
        if name not in self.live.pods.assumed:  # else it is about to be bound, or is bound already
            self._enter(name, key, pod, changed=asks_anew(seen.old, pod))

    def _enter(self, name: PodName, key: UnitKey, pod: Object, *, changed: bool) -> Waiting:
        waiting = self.waiting.join(key, lambda: Unit(key), pending_since(pod, self._clock()))
        self._unit_of[name] = key
        waiting.unit.pods[name] = pod
        if changed:
            self._make_ready(waiting)
        return waiting

    def _make_ready(self, waiting: Waiting) -> None:
        self.waiting.make_ready(waiting, self._clock())
        self._wake()

    def _know_priority(self, waiting: Waiting) -> None:
        """The place of a unit in the queue depends on its priority, and it is read only when it is its turn."""
        if waiting.workload is None:
            owner = self.cache.get(waiting.unit.key.object)
            waiting.priority = first_priority(waiting.unit, owner, self.live.priority_classes())

    def _ring(self, key: UnitKey) -> None:
        waiting = self.waiting.get(key)
        if waiting is not None:
            self._make_ready(waiting)

    def _forget(self, name: PodName) -> None:
        key = self._unit_of.pop(name, None)
        waiting = None if key is None else self.waiting.get(key)
        if key is not None and waiting is not None:
            waiting.unit.pods.pop(name, None)
            if not waiting.unit.pods:
                self._failures.pop(key, None)
                self._leave(key)

    def _leave(self, key: UnitKey) -> None:
        self.waiting.leave(key)
        self._alarms.drop(key)
        if self.reservations.forget(key):
            self._wake()

    def _owner_seen(self, seen: Seen) -> None:
        """A document that units are read from has changed: they are tried anew."""
        if seen.key.collection is AGENT_CLASSES:
            found = [each for each in self.waiting if each.unit.key.collection is AGENT_POOLS]
        else:
            waiting = self.waiting.get(UnitKey(*_place(seen.key)))
            found = [] if waiting is None or same_spec(seen.old, seen.new) else [waiting]
        for each in found:
            self._make_ready(each)

    def _try(self, waiting: Waiting) -> None:
        """Decide about one unit; whatever goes wrong, the others have their turn."""
        begun, now = time.perf_counter(), self._clock()
        self._observer.passed(Phase.QUEUE, max(0.0, now - waiting.ready_s))
        waiting.attempts += 1
        waiting.first_attempt_s = now if waiting.first_attempt_s is None else waiting.first_attempt_s
        try:
            self._decide(waiting, begun)
        except BayplanError as error:
            self._cannot(waiting, str(error))
            self._observer.decided("", Result.ERROR, time.perf_counter() - begun)
        except Exception as error:
            about = {"object": str(waiting.unit.key)}
            _log.exception("cannot be planned: %s", type(error).__name__, extra=about)
            self._cannot(waiting, f"{type(error).__name__} in Bayplan or a plugin; the log of the server has more")
            self._observer.decided("", Result.ERROR, time.perf_counter() - begun)
        finally:
            self.reservations.renew()

    def _decide(self, waiting: Waiting, begun: float) -> None:
        unit = waiting.unit
        sized = self.sized(unit)
        if waiting.workload is None and self._mix is not None:
            self._mix.arrived(sized, self.live.state.snapshot)
        waiting.workload = sized.workload
        read = time.perf_counter()
        self._observer.passed(Phase.READ, read - begun)
        plan = self._planned(unit, sized)
        self._observer.passed(Phase.PLAN, time.perf_counter() - read)
        if plan.replicas:
            decision = self._decider.reserve(plan, unit, waiting.since_s, self._commits.epoch)
            waiting.record = decision.record
            self._commits.begin(decision, begun)
            self._commits.settle(unit)
            if not unit.pods:
                self._leave(unit.key)
        if plan.verdict is not Verdict.FITS:
            self._refuse(waiting, plan)
            if not plan.replicas:
                strategy = sized.workload.shapes[0][2].strategy
                self._observer.decided(strategy, Result(str(plan.verdict)), time.perf_counter() - begun)
        elif unit.pods:
            names = ", ".join(sorted(name for _, name in unit.pods)[:3])
            self._cannot(waiting, f"{unit.key} asks for no replica that {names} could be; see the labels of the Pods")

    def _planned(self, unit: Unit, sized: SizedWorkload) -> Plan:
        """The plan; room that is kept for others is used only where there is no other."""
        self.reservations.lift_own(unit)
        plan = self._decider.plan(sized)
        if (plan.verdict is not Verdict.FITS or plan.victims) and self.reservations.lift_for(unit, sized):
            plan = self._decider.plan(sized)
        return plan

    def _carried_out(self, decision: Decision) -> None:
        """All Pods of a decision are bound."""
        self._failures.pop(decision.unit, None)
        self._resume(decision)

    def _resume(self, decision: Decision) -> None:
        """Pods of the unit that came while its victims went have their turn."""
        waiting = self.waiting.get(decision.unit)
        if decision.victims and waiting is not None:
            self._make_ready(waiting)
        self._wake()

    def _gave_up(self, decision: Decision, error: Exception, *, lost: bool) -> None:
        """A decision was not carried out: Pods that are still pending are tried again, later each time."""
        left = False
        for each in decision.pods:
            pod = self.cache.get(Key(PODS, *each.name))
            if each.shard is None and pod is not None and is_pending(pod):
                key = unit_of(pod)
                self._enter(each.name, key, pod, changed=key != decision.unit)
                left |= key == decision.unit
        waiting = self.waiting.get(decision.unit)
        if waiting is None or not left:
            self._failures.pop(decision.unit, None)
            self._resume(decision)
            return
        self._wake()
        failures = self._failures[decision.unit] = self._failures.get(decision.unit, 0) + 1
        waiting.since_s = min(waiting.since_s, decision.since_s)
        waiting.workload = waiting.workload or decision.plan.sized.workload
        waiting.verdict, waiting.message, waiting.record = "blocked", str(error), decision.record
        waiting.cures = frozenset()  # the room that it gave back just now must not wake it
        if not lost:
            self._notices.cannot(waiting, str(error))
        pause_s = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** min(failures - 1, 16))
        self._alarms.set(waiting.unit.key, pause_s)

    def _refuse(self, waiting: Waiting, plan: Plan) -> None:
        """Keep why it does not fit, and what could cure that; say so on its Pods."""
        key = waiting.unit.key
        if plan.verdict is not Verdict.WAITING:
            self.reservations.drop(key)
        if not waiting.unit.pods:
            return
        waiting.failed_s = self._clock()
        if not plan.replicas:
            waiting.record = self._decider.record_of_refusal(plan, waiting.unit)
        self._notices.refused(waiting, plan, len(self.live.state.workers))
        if self._decider.patience_s is not None:
            self._alarms.set(key, self._decider.patience_s)
        if plan.verdict is Verdict.WAITING and is_large(plan):
            self._keep_room(waiting, plan)

    def _keep_room(self, waiting: Waiting, plan: Plan) -> None:
        """Reserve room for a large unit that waited too long, or look again when it will have."""
        key = waiting.unit.key
        if self.reservations.due_in_s(key, waiting.since_s) <= 0:
            made = self.reservations.consider(waiting.unit, plan.sized)
            if made is not None:
                self._notices.reserved(waiting, made)
        self._alarms.set(key, max(0.0, self.reservations.due_in_s(key, waiting.since_s)))

    def _cannot(self, waiting: Waiting, message: str) -> None:
        """The unit cannot be read or planned at all; a change of its document makes it ready again."""
        waiting.failed_s = self._clock()
        waiting.verdict = "error"
        self._notices.cannot(waiting, message)
        if self.reservations.drop(waiting.unit.key):
            self._wake()
        self._alarms.set(waiting.unit.key, _READ_AGAIN_S)


def _place(key: Key) -> tuple[Collection, str, str]:
    return key.collection, key.namespace, key.name

"""What is said about units that wait, and about Nodes: on Pods, as events and in the log, nothing twice in a row."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.cluster.events import ALL_EVENTS, BOOKING_ADDED, WORKER_ADDED
from bayplan.control.clock import moment_text
from bayplan.control.collections import NODES
from bayplan.control.scheduling.deciding import preempts
from bayplan.control.scheduling.live_budgets import BUDGETS_CHANGED
from bayplan.control.scheduling.refusals import refusal_message, rejections_of
from bayplan.control.store import Key

if TYPE_CHECKING:
    from bayplan.control.cache import Cache
    from bayplan.control.clock import Clock
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.observing import LoopObserver
    from bayplan.control.scheduling.conditions import PodConditions
    from bayplan.control.scheduling.reservations import Reservation
    from bayplan.control.scheduling.waiting import Waiting
    from bayplan.placement.planning.plan import Plan

AGAIN_S = 60.0
"""After this time the same refusal is told once more, so that its event does not look over."""

_decisions = logging.getLogger("bayplan.decisions")


@dataclass(frozen=True, slots=True)
class _Refusal:
    plan: Plan
    message: str
    rejections: list[dict[str, Any]]
    cures: frozenset[str]


class Notices:
    """One for a loop. Thousands of equal units are refused by one plan, whose reasons are worked out once."""

    def __init__(
        self, cache: Cache, events: EventRecorder, conditions: PodConditions, observer: LoopObserver, clock: Clock
    ) -> None:
        self._cache, self._events, self._conditions = cache, events, conditions
        self._observer, self._clock = observer, clock
        self._last: _Refusal | None = None

    def refused(self, waiting: Waiting, plan: Plan, workers: int) -> None:
        """Keep why it does not fit, and what could cure that; say so on its Pods."""
        found = self._of(plan, workers)
        waiting.verdict, waiting.message = str(plan.verdict), found.message
        waiting.rejections, waiting.cures = found.rejections, found.cures
        if _decisions.isEnabledFor(logging.INFO):
            about = {"record": waiting.record, "object": str(waiting.unit.key)}
            _decisions.info("%s: %s", plan.verdict, found.message, extra=about)
        for each in plan.refused.summaries():
            self._observer.refused(each.code, each.workers)
        self._say(waiting, "Unschedulable", f"{plan.verdict}: {found.message}")

    def cannot(self, waiting: Waiting, message: str) -> None:
        """The unit cannot be read, planned or bound."""
        waiting.message, waiting.rejections = message, []
        waiting.cures = frozenset()
        self._say(waiting, "SchedulerError", message)

    def reserved(self, waiting: Waiting, made: Reservation) -> None:
        """Room is kept for the unit."""
        if (owner := self._cache.get(waiting.unit.key.object)) is not None:
            where, until = ", ".join(list(made.workers)[:8]), moment_text(made.until_s)
            self._events.tell(owner, "Normal", "Reserved", f"what becomes free on {where} is kept for it until {until}")

    def node_readable(self, name: str, problem: str) -> None:
        """A Node is left out because of a problem, or is back where there is none."""
        node = self._cache.get(Key(NODES, "", name))
        if node is not None and problem:
            self._events.tell(node, "Warning", "Unreadable", f"gets no work, because it cannot be read: {problem}")
        elif node is not None:
            self._events.tell(node, "Normal", "Readable", "can be read again, and gets work")

    def _of(self, plan: Plan, workers: int) -> _Refusal:
        if self._last is None or self._last.plan is not plan:
            cures = plan.refused.cures(ALL_EVENTS) | {WORKER_ADDED}
            if preempts(plan.sized):
                cures |= {BUDGETS_CHANGED, BOOKING_ADDED}  # more replicas of others: some of them may go
            self._last = _Refusal(plan, refusal_message(plan, workers), rejections_of(plan), cures)
            plan.refused.settle()
        return self._last

    def _say(self, waiting: Waiting, reason: str, message: str) -> None:
        """Tell it on all Pods of the unit, unless that was just done, and as an event of its owner."""
        now, told = self._clock(), waiting.told
        is_news = (told.reason, told.message) != (reason, message)
        if is_news or told.pods != waiting.unit.pods.keys():
            self._conditions.set(waiting.unit.pods, reason, message)
            told.pods = set(waiting.unit.pods)
        if is_news or now - told.at_s >= AGAIN_S:
            told.reason, told.message, told.at_s = reason, message, now
            if (owner := self._cache.get(waiting.unit.key.object)) is not None:
                self._events.tell(owner, "Warning", "FailedScheduling", message)

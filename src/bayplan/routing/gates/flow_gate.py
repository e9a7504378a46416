"""Flow control: requests wait in bands and flows, and are dispatched as long as the pool has room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.routing.answer import EVICTED, SATURATED, Answer
from bayplan.routing.flow.flow_queue import FlowQueue
from bayplan.routing.gates.expiry import expired, shown_saturation
from bayplan.routing.gates.gate import BandState

if TYPE_CHECKING:
    from bayplan.routing.accounts.flight import Flight
    from bayplan.routing.dispatcher import Dispatcher
    from bayplan.routing.flow.flow_settings import FlowSettings
    from bayplan.routing.flow.waiting_request import WaitingRequest
    from bayplan.routing.requests.routed_request import RoutedRequest

RETRY_S = 0.005
"""How soon an attempt is repeated that may succeed although nothing has changed."""


class FlowGate:
    """One cycle goes up to the ceiling: attempts until one fails or no request waits.

    An attempt takes the first request of the next flow of the next band; it fails if the saturation has reached the
    band's ceiling, and then nobody overtakes.
    """

    def __init__(self, settings: FlowSettings, dispatcher: Dispatcher) -> None:
        self._settings = settings
        self._dispatcher = dispatcher
        self._queue = FlowQueue(settings)
        self._last_cycle_s = 0.0

    def arrive(self, request: RoutedRequest, now: float) -> Answer | None:
        if request.headers_only:
            return self._dispatcher.send(request, now)
        problem = self._queue.is_full_for(request)
        if problem is not None:
            return Answer(request, 429, SATURATED, problem, saturation=shown_saturation(request, self._dispatcher, now))
        self._queue.add(request)
        return None

    def readmit(self, request: RoutedRequest, now: float) -> list[Answer]:
        self._queue.add(request)
        return []

    def cycle(self, now: float) -> list[Answer]:
        queue = self._queue
        self._last_cycle_s = now
        answers = expired(queue, self._dispatcher, now)
        # Without an endpoint requests wait, whatever ceiling a policy names: the pool may be on its way up from zero.
        while self._dispatcher.pool.ready and (waiting := queue.head(now)) is not None:
            saturation = self._dispatcher.saturation(now)
            ceiling = self._ceiling(waiting.request.priority, saturation)
            self._settings.usage_limit.attempted(waiting.request.priority)
            if saturation < ceiling:
                queue.take(waiting)
                answers.append(self._dispatcher.send(waiting.request, now, saturation))
                continue
            victim = self._victim(waiting, ceiling, now)
            if victim is None:
                break
            waiting.has_evicted = True
            answers.append(self._evict(victim, waiting.request, now))
        return answers

    def withdraw(self, id_: str) -> RoutedRequest | None:
        return self._queue.withdraw(id_)

    def waiting(self) -> list[str]:
        return self._queue.ids()

    def bands(self, now: float) -> list[BandState]:
        priorities = self._queue.priorities
        if not priorities:
            return []
        ceilings = self._settings.usage_limit.ceilings(priorities, self._dispatcher.saturation(now))
        return [
            BandState(priority, ceiling, self._queue.waiting_in(priority))
            for priority, ceiling in zip(priorities, ceilings, strict=True)
        ]

    def next_tick_s(self) -> float | None:
        if not len(self._queue):
            return None
        expiry_s = self._queue.next_expiry_s(has_endpoints=self._dispatcher.pool.ready > 0)
        if self._settings.usage_limit.is_patient:
            return expiry_s
        retry_s = self._last_cycle_s + RETRY_S
        return retry_s if expiry_s is None else min(expiry_s, retry_s)

    def _ceiling(self, priority: int, saturation: float) -> float:
        priorities = self._queue.priorities
        ceilings: list[float] = self._settings.usage_limit.ceilings(priorities, saturation)
        return ceilings[priorities.index(priority)]

    def _victim(self, waiting: WaitingRequest, ceiling: float, now: float) -> Flight | None:
        """The request in flight that makes room for this one; None where none may, or where it would be in vain."""
        if not self._settings.enable_eviction or waiting.has_evicted or waiting.request.priority < 0:
            return None
        victim = self._dispatcher.least_flight()
        if victim is None or self._dispatcher.saturation_without(victim, now) >= ceiling:
            return None
        return victim

    def _evict(self, victim: Flight, better: RoutedRequest, now: float) -> Answer:
        request = victim.request
        self._dispatcher.land(victim, None, now, is_evicted=True)
        message = f"made room for a request of priority {better.priority}; its own is {request.priority}"
        former = victim.answer
        return Answer(
            request, 429, EVICTED, message, saturation=former.saturation, profile=former.profile,
            outcome=former.outcome, prefixes=former.prefixes, warnings=former.warnings,
        )  # fmt: skip

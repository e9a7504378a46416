"""Late binding: our own policy holds requests until the endpoint that suits each has room."""

from __future__ import annotations

from math import inf
from random import Random
from typing import TYPE_CHECKING

from bayplan.routing.answer import SATURATED, Answer
from bayplan.routing.cost.late_binding import LateBinding
from bayplan.routing.factors.roles import DECODE_ROLES
from bayplan.routing.flow.flow_queue import FlowQueue
from bayplan.routing.flow.flow_settings import BandSettings, FlowSettings
from bayplan.routing.flow.policies.fcfs_ordering_policy import FcfsOrderingPolicy
from bayplan.routing.flow.policies.global_strict_fairness_policy import GlobalStrictFairnessPolicy
from bayplan.routing.flow.policies.static_usage_limit_policy import StaticUsageLimitPolicy
from bayplan.routing.gates.expiry import expired, shown_saturation

if TYPE_CHECKING:
    from bayplan.routing.dispatcher import Dispatcher
    from bayplan.routing.gates.gate import BandState
    from bayplan.routing.requests.routed_request import RoutedRequest
    from bayplan.routing.scorers.prefill_cost_scorer import PrefillCostScorer

HELD_S = 60.0
"""How long a request is held that says nothing else, as with flow control."""
MOST_HELD = 5000
MOST_HELD_BYTES = 10**9
_BAND = BandSettings(MOST_HELD_BYTES, MOST_HELD, GlobalStrictFairnessPolicy(), FcfsOrderingPolicy())
_LIMITS = FlowSettings(None, None, HELD_S, HELD_S, {}, _BAND, _BAND, StaticUsageLimitPolicy())


class HoldingGate:
    """The policy decides which request goes when; flow control's limits say how many may wait, and how long."""

    def __init__(self, scorer: PrefillCostScorer, settings: FlowSettings | None, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._account = scorer.account
        chance = Random(dispatcher.chance(1 << 62))  # noqa: S311 (reproducible on purpose)
        self._held = LateBinding(scorer.account, chance)
        settings = settings or _LIMITS
        self._queue = FlowQueue(settings)
        self._patience_s = inf if settings.request_ttl_s is None else settings.request_ttl_s
        self._bare = dispatcher.plan.bare
        self._table = dispatcher.pool.table
        self._live_names: list[str] = []
        self._live_of = -1  # the changes of the pool that `_live_names` are of

    def arrive(self, request: RoutedRequest, now: float) -> Answer | None:
        if request.headers_only:
            return self._dispatcher.send(request, now)
        if not self._queue and self._is_plain(request, now):
            answer = self._at_once(request, now)
            if answer is not None:
                return answer
        problem = self._queue.is_full_for(request)
        if problem is not None:
            saturation = shown_saturation(request, self._dispatcher, now)
            return Answer(request, 429, SATURATED, problem, saturation=saturation)
        self.readmit(request, now)
        return None

    def readmit(self, request: RoutedRequest, now: float) -> list[Answer]:
        self._queue.add(request)
        self._held.hold(request, self._allowed(request))
        return []

    def cycle(self, now: float) -> list[Answer]:
        answers = expired(self._queue, self._dispatcher, now)
        for answer in answers:
            self._held.withdraw(answer.request.id)
        self._look_again()
        for request, name in self._held.due(self._live(), now):
            self._queue.withdraw(request.id)
            answers.append(self._send_to(request, name, now))
        return answers

    def withdraw(self, id_: str) -> RoutedRequest | None:
        self._held.withdraw(id_)
        return self._queue.withdraw(id_)

    def waiting(self) -> list[str]:
        return self._queue.ids()

    def bands(self, now: float) -> tuple[BandState, ...]:
        return ()

    def next_tick_s(self) -> float | None:
        return self._queue.next_expiry_s(has_endpoints=self._dispatcher.pool.ready > 0)

    def _is_plain(self, request: RoutedRequest, now: float) -> bool:
        """Whether nothing but the policy has a word on the request: no limit, no subset, nobody who wants reasons."""
        return not (
            request.explained
            or request.subset is not None
            or request.ttl_s is not None
            or request.arrived_s + self._patience_s <= now
            or "prefer" in request.headers
            or self._bare is None
            or not self._queue.fits_alone(request)
        )

    def _at_once(self, request: RoutedRequest, now: float) -> Answer | None:
        """Send a request that finds room without queueing it first: most do, and queueing costs more than all else."""
        live = self._live_names if self._live_of == self._dispatcher.pool.changes else self._live()
        sent = self._held.send_at_once(request, live, now)
        return None if sent is None else self._dispatcher.send_chosen(request, sent[0], sent[1], now)

    def _live(self) -> list[str]:
        """The names of the endpoints that requests may go to."""
        pool = self._dispatcher.pool
        if self._live_of != pool.changes:
            endpoints = (account.endpoint for account in pool.rows)
            self._live_names = [each.name for each in endpoints if each.ready and each.role in DECODE_ROLES]
            self._live_of = pool.changes
        return self._live_names

    def _allowed(self, request: RoutedRequest) -> frozenset[str] | None:
        """The names of the endpoints in the request's subset; None: all."""
        subset = request.subset
        if subset is None:
            return None
        endpoints = (account.endpoint for account in self._dispatcher.pool.rows)
        return frozenset(each.name for each in endpoints if each.address in subset or each.ip in subset)

    def _look_again(self) -> None:
        """Endpoints came or went: a subset may name others now."""
        table = self._dispatcher.pool.table
        if table is self._table:
            return
        self._table = table
        for request in self._held.requests:
            if request.subset is not None:
                self._held.withdraw(request.id)
                self._held.hold(request, self._allowed(request))

    def _send_to(self, request: RoutedRequest, name: str, now: float) -> Answer:
        """Send to the endpoint that the policy chose; it is in the policy's account already.

        A filter of the profile that refuses it is not asked before: then the profile decides among all.
        """
        subset, request.subset = request.subset, frozenset((self._dispatcher.pool[name].endpoint.address,))
        answer = self._dispatcher.send(request, now)
        request.subset = subset
        if answer.ok:
            return answer
        self._account.end(request.id)
        return self._dispatcher.send(request, now)

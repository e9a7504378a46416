"""From candidates to a reservation: one request, decided and counted in one step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.framework.cycle import Cycle
from bayplan.framework.errors import BayplanError
from bayplan.routing.accounts.flight import Flight
from bayplan.routing.answer import DESTINATION_HEADER, NO_ENDPOINTS, SATURATED, Answer
from bayplan.routing.hook_table import tell
from bayplan.routing.hooks import Sent
from bayplan.routing.requests.header_fields import wants_cached_prefix
from bayplan.routing.stages import ALONE

if TYPE_CHECKING:
    from bayplan.framework.outcome import Outcome, RunResult
    from bayplan.routing.accounts.pool import Pool
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.requests.routed_request import RoutedRequest
    from bayplan.routing.routing_plan import RoutingPlan
    from bayplan.routing.stages import Stages

_SEED_STEP = 0x9FB21C651E98DF25  # a large odd number keeps the draws of neighbouring seeds apart modulo 2**64
_SEED_MASK = 0xFFFFFFFFFFFFFFFF


class Dispatcher:
    """Decides where requests go, and keeps those in flight until they end.

    A refused request changes no state.
    """

    def __init__(self, plan: RoutingPlan, pool: Pool, *, seed: int = 0) -> None:
        self.plan = plan
        self.pool = pool
        self.flights: dict[str, Flight] = {}
        self._seed = (seed * _SEED_STEP) & _SEED_MASK
        self._draws = 0
        self._dispatched = 0
        self._sheddable: dict[int, dict[int, Flight]] = {}  # priorities below 0, each with its flights by number

    def saturation(self, now: float) -> float:
        """How full the pool is."""
        found: float = self.plan.detector.saturation(self.pool.table, now)
        return found

    def saturation_without(self, flight: Flight, now: float) -> float:
        """How full the pool would be if this request were evicted."""
        trial = self.pool.table.fork()
        for account, cells in flight.loads_without():
            if self.pool.holds(account):
                trial.write(account.row, cells)
        found: float = self.plan.detector.saturation(trial, now)
        return found

    def least_flight(self) -> Flight | None:
        """Of the requests with a priority below 0 the one that is evicted first: lowest priority, then newest."""
        if not self._sheddable:
            return None
        flights = self._sheddable[min(self._sheddable)]
        return flights[next(reversed(flights))]

    def chance(self, choices: int) -> int:
        """A number below `choices`; the same seed and the same calls give the same numbers."""
        return Cycle(None, None, seed=self._next_seed()).chance(choices)

    def send(self, request: RoutedRequest, now: float, saturation: float | None = None) -> Answer:
        """The request's answer, from its candidates on; what is sent is reserved."""
        if request.explained and saturation is None:
            saturation = self.saturation(now)
        pool = self.pool
        if not pool.ready or (request.subset is not None and not pool.candidates(request.subset)):
            return Answer(request, 503, NO_ENDPOINTS, self._no_candidates(request), saturation=saturation)
        if request.headers_only:
            return self._any(request, now, saturation)
        try:
            return self._decide(request, now, saturation)
        except BayplanError as problem:
            message = str(problem)
        except Exception as problem:  # plugins are foreign code: one request fails, the others go on
            message = f"a plugin raised {type(problem).__name__}: {problem}"
        return Answer(request, 500, message=message, saturation=saturation)

    def send_chosen(self, request: RoutedRequest, name: str, uncached_tokens: float, now: float) -> Answer:
        """Send to an endpoint that our own policy chose and has in its account; `plan.bare` says that this is all.

        The answer has no outcome: nobody asked for the reasons.
        """
        self._next_seed()  # as in `_decide`, so that later draws do not depend on the way that a request took
        account = self.pool[name]
        endpoint = account.endpoint
        answer = Answer(
            request, 200, picked=(endpoint,), headers={DESTINATION_HEADER: endpoint.address}, body=request.body,
            profile=self.plan.bare,
        )  # fmt: skip
        self._dispatched += 1
        self._launch(Flight(request, answer, self._dispatched, now, account, None, uncached_tokens))
        return answer

    def move(self, flight: Flight, names: tuple[str, ...], now: float) -> Answer:
        """The request goes to the first of these endpoints instead, the others are fallbacks."""
        self.land(flight, None, now)
        former, prefill = flight.answer, flight.prefill
        rows = tuple(self.pool[name].row for name in names)
        picked = tuple(self._as_picked(row, former) for row in rows)
        answer = replace(former, picked=picked, headers=dict(former.headers))
        kept, stages = {former.profile or "": rows}, _stages(former)
        if prefill is None or stages.prefill is None or not self.pool.holds(prefill):
            prefill = None
        else:
            kept[stages.prefill] = (prefill.row,)
        moved = Flight(flight.request, answer, flight.number, now, self.pool.rows[rows[0]], prefill)
        moved.tried = flight.tried
        self._reserve(moved, kept, answer, stages.prefill if prefill is not None else None, now)
        return answer

    def retry(self, flight: Flight, now: float) -> Answer | None:
        """The endpoint failed before the first byte: the next of `picked`, else a new decision without those tried.

        None: there is no other, and the request has ended.
        """
        tried = flight.tried = flight.tried | {flight.primary.endpoint.name}
        names = tuple(each.name for each in flight.answer.picked[1:] if self.pool.is_ready(each.name))
        if names:
            answer = self.move(flight, names, now)
        else:
            self.land(flight, None, now)
            answer = self._elsewhere(flight.request, tried, now)
        if not answer.ok:
            return None
        self.flights[flight.request.id].tried = tried
        return answer

    def _elsewhere(self, request: RoutedRequest, tried: frozenset[str], now: float) -> Answer:
        """A decision among the candidates that were not tried."""
        subset = request.subset
        rows = self.pool.candidates(subset)
        left = [self.pool.rows[row].endpoint for row in rows]
        request.subset = frozenset(each.address for each in left if each.name not in tried)
        answer = self.send(request, now)
        request.subset = subset
        return answer

    def land(self, flight: Flight, usage: tuple[int, int] | None, now: float, *, is_evicted: bool = False) -> None:
        """The request has ended: it leaves the counters, and plugins hear of it."""
        del self.flights[flight.request.id]
        priority = flight.request.priority
        if priority < 0:
            del self._sheddable[priority][flight.number]
            if not self._sheddable[priority]:
                del self._sheddable[priority]
        flight.land(is_evicted=is_evicted)
        if self.plan.hooks.completed and not flight.request.headers_only:
            tell(self.plan.hooks.completed, flight.request, usage, now)

    def _decide(self, request: RoutedRequest, now: float, saturation: float | None) -> Answer:
        plan, table, seed = self.plan, self.pool.table, self._next_seed()
        prefixes = self._prefixes(request, now) if request.explained else None
        if plan.admitters:
            denied = self._denied(request, seed, now)
            if denied is not None:
                return Answer(request, 429, SATURATED, denied, saturation=saturation, prefixes=prefixes)
        if plan.problem is not None:
            problem = plan.problem(request, plan.profiles)
            if problem is not None:
                return Answer(request, 400, message=problem, saturation=saturation, prefixes=prefixes)
        outcome = plan.scheduler.schedule(
            request, table=table, seed=seed, now=now, explained=request.explained, reasons=False
        )
        stages = outcome.decision.value or ALONE
        answer = Answer(
            request, 200, saturation=saturation, profile=outcome.decision.primary, prefixes=prefixes, outcome=outcome
        )
        if request.explained or stages.warnings:
            answer.warnings = (*stages.warnings, *(plan.hooks.warnings(table) if request.explained else ()))
        if not outcome.ok:
            return _refused(answer, 429, SATURATED, _nothing_left(outcome))
        if "prefer" in request.headers and wants_cached_prefix(request.headers):
            matches = plan.matches(request, table, (outcome.picked[0].row,), now)
            if matches is None or not matches[0].matched_blocks:
                return _refused(answer, 412, None, "no endpoint that may be picked holds a part of the prompt")
        self._fly(answer, outcome, stages, now)
        return answer

    def _fly(self, answer: Answer, outcome: Outcome, stages: Stages, now: float) -> None:
        """Headers, reservation, indexes."""
        request, accounts, picked = answer.request, self.pool.rows, outcome.picked
        first, prefill = accounts[picked[0].row], None
        # one stage and one pick are the rule, and need no list
        answer.picked = (first.endpoint,) if len(picked) == 1 else tuple(accounts[each.row].endpoint for each in picked)
        kept = {answer.profile or "": tuple([each.row for each in picked])}
        if stages is not ALONE:
            kept = {run.name: tuple([each.row for each in run.picked]) for run in _counting(outcome, stages)}
            prefill = None if stages.prefill is None else accounts[kept[stages.prefill][0]]
            if stages.port is not None:
                answer.picked = tuple(replace(each, port=stages.port) for each in answer.picked)
        answer.body = request.body
        self._dispatched += 1
        flight = Flight(request, answer, self._dispatched, now, first, prefill)
        self._reserve(flight, kept, answer, stages.prefill, now)

    def _reserve(
        self, flight: Flight, kept: dict[str, tuple[int, ...]], answer: Answer, prefill: str | None, now: float
    ) -> None:
        plan, request, table = self.plan, flight.request, self.pool.table
        answer.headers[DESTINATION_HEADER] = _addresses(answer.picked)
        if request.headers_only:
            self._launch(flight)
            return
        hooks = plan.hooks
        sent = Sent(kept, answer.profile or "", prefill, table) if hooks.sent or hooks.has_headers else None
        if sent is not None and hooks.has_headers:
            answer.headers.update(hooks.request_headers(request, sent))
            answer.response_headers = hooks.response_headers(request, sent)
        carrier = flight.primary if flight.prefill is None else flight.prefill
        matches = plan.matches(request, table, (carrier.row,), now)
        tokens = request.prompt_tokens
        flight.uncached_tokens = tokens if matches is None else matches[0].uncached_tokens(tokens)
        if plan.output_tokens is not None:
            flight.output_tokens = plan.output_tokens(request)
        self._launch(flight)
        if sent is not None and hooks.sent:
            answer.warnings += tell(hooks.sent, request, sent, now)

    def _launch(self, flight: Flight) -> None:
        """Reserve: from now on the request counts."""
        request = flight.request
        self.flights[request.id] = flight
        if request.priority < 0:
            self._sheddable.setdefault(request.priority, {})[flight.number] = flight
        flight.take_off()

    def _any(self, request: RoutedRequest, now: float, saturation: float | None) -> Answer:
        """Headers only: any candidate. It counts as a request without tokens, and plugins do not hear of it."""
        rows = self.pool.candidates(request.subset)
        account = self.pool.rows[rows[self.chance(len(rows))]]
        headers = {DESTINATION_HEADER: account.endpoint.address}
        answer = Answer(request, 200, picked=(account.endpoint,), headers=headers, saturation=saturation)
        self._dispatched += 1
        self._launch(Flight(request, answer, self._dispatched, now, account))
        return answer

    def _denied(self, request: RoutedRequest, seed: int, now: float) -> str | None:
        table, rows = self.pool.table, self.pool.candidates(request.subset)
        cycle = Cycle(request, request, seed=seed, now=now)
        for stream, admitter in enumerate(self.plan.admitters):
            cycle.draw_from(_ADMITTERS + stream)
            denied: str | None = admitter.denies(request, table, rows, cycle)
            if denied is not None:
                return denied
        return None

    def _prefixes(self, request: RoutedRequest, now: float) -> dict[str, Any] | None:
        table = self.pool.table
        matches = self.plan.matches(request, table, range(table.size), now)
        return None if matches is None else dict(zip(table.keys, matches, strict=True))

    def _as_picked(self, row: int, former: Answer) -> Endpoint:
        """An endpoint under the port that the former picks had, where that is not its own."""
        endpoint, port = self.pool.rows[row].endpoint, _stages(former).port
        return endpoint if port is None else replace(endpoint, port=port)

    def _no_candidates(self, request: RoutedRequest) -> str:
        size, ready = self.pool.table.size, self.pool.ready
        if not ready:
            return f"none of the {size} endpoints of the pool is ready" if size else "the pool has no endpoint"
        return f"none of the {ready} endpoints that are ready is among the {len(request.subset or ())} allowed ones"

    def _next_seed(self) -> int:
        self._draws += 1
        return (self._seed + self._draws) & _SEED_MASK


_ADMITTERS = 1 << 40  # streams of chance that no plugin of a profile uses


def _stages(answer: Answer) -> Stages:
    return ALONE if answer.outcome is None else answer.outcome.decision.value or ALONE


def _counting(outcome: Outcome, stages: Stages) -> list[RunResult]:
    """The runs whose picks count: those of the primary profile and of the stages, not those of shadows."""
    names = (outcome.decision.primary, stages.prefill, stages.encode)
    return [outcome.results[name] for name in names if name is not None]


def _refused(answer: Answer, status: int, reason: str | None, message: str) -> Answer:
    answer.status, answer.reason, answer.message = status, reason, message
    return answer


def _nothing_left(outcome: Outcome) -> str:
    failed = [name for name, run in outcome.results.items() if not run.ok]
    return f"no endpoint passed the filters of profile {', '.join(failed)}"


def _addresses(picked: tuple[Endpoint, ...]) -> str:
    return picked[0].address if len(picked) == 1 else ",".join(endpoint.address for endpoint in picked)

"""A router under any sequence of events: counters, candidates, limits, and one final answer for each request."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from bayplan.routing.endpoints.endpoint import Endpoint, KnownState
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.router import Router
from unit.routing.routers import config, native, request

NAMES = ("a", "b", "c", "d")
PRIORITIES = (-2, -1, 0, 3)
BASE = (1, 7)  # requests and tokens that a document says are in flight on endpoint `d`

FLOW = {
    "saturationDetector": {"pluginRef": "concurrency-detector"},
    "maxRequests": "6",
    "maxBytes": "1000",
    "enableEviction": True,
    "defaultRequestTTL": "5s",
    "noEndpointRequestTTL": "3s",
    "priorityBands": [
        {"priority": 3, "maxRequests": "2"}, {"priority": 0, "fairnessPolicyRef": "round-robin-fairness-policy"},
    ],
}  # fmt: skip
PLACES = ("concurrency-detector", {"maxConcurrency": 2})
DISAGGREGATED = (
    "decode-filter", "prefill-filter", "always-disagg-pd-decider", "prefix-cache-scorer",
    ("disagg-profile-handler", {"deciders": {"prefill": "always-disagg-pd-decider"}}),
    ("max-score-picker", {"maxNumOfEndpoints": 2}),
)  # fmt: skip
PROFILES = {
    "decode": ["decode-filter", "prefix-cache-scorer", "max-score-picker"],
    "prefill": ["prefill-filter", "prefix-cache-scorer"],
}
ESTIMATE = ("inflight-load-producer", {"addEstimatedOutputTokens": True})

CONFIGS = {
    "none": lambda: None,
    "scores": lambda: config("queue-scorer", "prefix-cache-scorer", "active-request-scorer"),
    "estimates": lambda: config("token-load-scorer", ESTIMATE, ("random-picker", {"maxNumOfEndpoints": 3})),
    "stages": lambda: config(*DISAGGREGATED, profiles=PROFILES),
    "flow": lambda: config("random-picker", "round-robin-fairness-policy", PLACES, flow=FLOW),
    "flow by utilization": lambda: config("queue-scorer", "utilization-detector", flow={"enableEviction": True}),
    "late": lambda: native(ownPolicy="late"),
}


def endpoint(name: str, *, ready: bool, role: str, known: bool) -> Endpoint:
    """An endpoint; `d` has requests in flight from before."""
    base = BASE if name == "d" else (0, 0)
    state = KnownState(EngineMetrics(waiting=1, running=1, kv_usage=0.2, kv_token_capacity=500), None, *base)
    labels = {"llm-d.ai/role": role} if role else {}
    return Endpoint(name, f"10.0.0.{NAMES.index(name)}", labels=labels, ready=ready, known=state if known else None)


class Account:
    """What must hold of a router, kept in the plainest way beside it."""

    def __init__(self, router: Router) -> None:
        self.router = router
        self.waiting: set[str] = set()
        self.flying: dict[str, str] = {}  # by request, the endpoint that carries it
        self.answered: dict[str, int] = {}  # how often each request got a final answer
        self.sizes: dict[str, int] = {}
        self.priorities: dict[str, int] = {}

    def take(self, answers: list[Any], ready: dict[str, Endpoint]) -> None:
        for answer in answers:
            id_ = answer.request.id
            if answer.reason == "evicted-priority":
                assert id_ in self.flying, "only requests in flight are evicted"
                assert answer.request.priority < 0
                del self.flying[id_]
                continue
            self.answered[id_] = self.answered.get(id_, 0) + 1
            assert self.answered[id_] == 1, f"{id_} was answered twice"
            assert answer.status in (200, 412, 429, 503)
            self.waiting.discard(id_)
            if answer.ok:
                self.check_pick(answer, ready)
                self.flying[id_] = answer.picked[0].name
            else:
                assert not answer.picked

    def check_pick(self, answer: Any, ready: dict[str, Endpoint]) -> None:
        subset = answer.request.subset
        for each in answer.picked:
            assert each.name in ready, f"{each.name} is not ready"
            assert subset is None or each.address in subset or each.ip in subset


class Routing(RuleBasedStateMachine):
    """Any events in any order, on every kind of configuration."""

    @initialize(kind=st.sampled_from(sorted(CONFIGS)), seed=st.integers(0, 3))
    def start(self, kind: str, seed: int) -> None:
        self.kind, self.now, self.count = kind, 0.0, 0
        self.router = Router(CONFIGS[kind](), seed=seed)
        self.account = Account(self.router)
        self.endpoints: dict[str, Endpoint] = {}
        self.is_closed = False
        self.reloads = 0

    @property
    def ready(self) -> dict[str, Endpoint]:
        return {name: each for name, each in self.endpoints.items() if each.ready}

    def settle(self, answers: list[Any]) -> None:
        self.account.take(answers, self.ready)

    @rule(
        prompt=st.sampled_from(["x", "the same beginning, another end", list(range(60)), list(range(200))]),
        priority=st.sampled_from(PRIORITIES),
        flow=st.sampled_from(["f", "g"]),
        subset=st.sampled_from([None, None, None, ["10.0.0.0"], ["10.0.0.1:8000", "10.0.0.2"], []]),
        ttl_s=st.sampled_from([None, None, 2.0, 0.0]),
        explained=st.booleans(),
        prefer=st.booleans(),
    )
    def arrive(self, prompt: Any, priority: int, flow: str, prefer: bool, **more: Any) -> None:
        self.count += 1
        id_ = f"r{self.count}"
        headers = {"prefer": "if-available"} if prefer and self.count % 4 == 0 else {}
        made = request(
            self.router, id_, prompt, at=self.now, headers=headers, priority=priority, fairness_id=flow, **more
        )
        self.account.waiting.add(id_)
        self.account.sizes[id_], self.account.priorities[id_] = made.size_bytes, priority
        self.settle(self.router.arrive(made, self.now))

    @rule()
    def arrive_without_a_body(self) -> None:
        self.count += 1
        id_ = f"r{self.count}"
        self.account.waiting.add(id_)
        self.settle(self.router.arrive(self.router.parse(id_, "/v1/models", {}, b"", self.now), self.now))

    @rule(
        name=st.sampled_from(NAMES),
        ready=st.booleans(),
        known=st.booleans(),
        role=st.sampled_from(["", "", "prefill", "decode"]),
    )
    def up(self, name: str, **facts: Any) -> None:
        self.endpoints[name] = endpoint(name, **facts)
        self.settle(self.router.endpoint_up(self.endpoints[name], self.now))

    @rule(name=st.sampled_from(NAMES))
    def down(self, name: str) -> None:
        self.endpoints.pop(name, None)
        self.settle(self.router.endpoint_down(name, self.now))

    @rule(name=st.sampled_from(NAMES), waiting=st.sampled_from([None, 0, 3]), usage=st.sampled_from([None, 0.0, 0.9]))
    def report(self, name: str, waiting: int | None, usage: float | None) -> None:
        metrics = EngineMetrics(waiting=waiting, running=1, kv_usage=usage, kv_token_capacity=500)
        self.settle(self.router.report(name, metrics, self.now))

    def any_request(self, number: int) -> str:
        return f"r{number % self.count + 1}" if self.count else "nobody"

    @rule(number=st.integers(0, 50))
    def first_token(self, number: int) -> None:
        self.settle(self.router.first_token(self.any_request(number), self.now))

    @rule(number=st.integers(0, 50), usage=st.booleans())
    def complete(self, number: int, usage: bool) -> None:
        id_ = self.any_request(number)
        self.account.flying.pop(id_, None)
        tokens = {"prompt_tokens": 5, "completion_tokens": 2} if usage else {}
        self.settle(self.router.complete(id_, self.now, **tokens))

    @rule(number=st.integers(0, 50))
    def abort(self, number: int) -> None:
        id_ = self.any_request(number)
        self.account.flying.pop(id_, None)
        self.settle(self.router.abort(id_, self.now))
        assert id_ not in self.account.waiting

    @rule(number=st.integers(0, 50))
    def fail(self, number: int) -> None:
        id_ = self.any_request(number)
        flight = self.router._dispatcher.flights.get(id_)
        failed = None if flight is None else flight.primary.endpoint.name
        answer = self.router.failed(id_, self.now)
        if answer is not None:
            self.account.check_pick(answer, self.ready)
            assert answer.picked[0].name != failed
            self.account.flying[id_] = answer.picked[0].name
            return
        flight = self.router._dispatcher.flights.get(id_)
        assert flight is None or flight.has_first_token
        if flight is None:
            self.account.flying.pop(id_, None)

    @rule(number=st.integers(0, 50), name=st.sampled_from(NAMES))
    def serve_elsewhere(self, number: int, name: str) -> None:
        self.router.served_by(self.any_request(number), name, self.now)

    @rule(seconds=st.sampled_from([0.0, 0.5, 3.0]))
    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.settle(self.router.tick(self.now))

    @precondition(lambda self: not self.is_closed and self.count > 5)
    @rule(kind=st.sampled_from(sorted(set(CONFIGS) - {"none"})))
    def reconfigure(self, kind: str) -> None:
        made = CONFIGS[kind]()
        assert made is not None
        self.kind = kind
        self.reloads += 1
        self.settle(self.router.reconfigure(made, self.now))

    @precondition(lambda self: self.count > 10)
    @rule()
    def shut_down(self) -> None:
        self.is_closed = True
        self.settle(self.router.shutdown(self.now))
        assert self.router.waiting() == []

    @invariant()
    def counters_are_what_flies(self) -> None:
        if not hasattr(self, "router"):
            return
        flights = self.router._dispatcher.flights
        assert set(flights) == set(self.account.flying)
        for name, (requests, tokens) in self.router.inflight().items():
            account = self.router._pool[name]
            assert requests >= account.base_requests
            assert tokens >= account.base_tokens
            carried = [f for f in flights.values() for each in self.stages(f) if each is account]
            assert requests - account.base_requests == len(carried)
            if not carried:
                assert tokens == account.base_tokens
                assert (account.reserved_waiting, account.reserved_running, account.reserved_tokens) == (0, 0, 0)

    @staticmethod
    def stages(flight: Any) -> list[Any]:
        prefill = None if flight.has_first_token else flight.prefill
        return [flight.primary, *([] if prefill is None else [prefill])]

    @invariant()
    def our_own_account_is_what_flies(self) -> None:
        own = self.router._dispatcher.plan.own if hasattr(self, "router") else None
        if own is not None and not self.reloads:
            flights = self.router._dispatcher.flights.values()
            assert {f.request.id for f in flights if own.account.knows(f.request.id)} == {
                f.request.id for f in flights if not f.request.headers_only and self.router._pool.holds(f.primary)
            }
            assert not any(own.account.knows(id_) for id_ in self.account.answered if id_ not in self.account.flying)

    @invariant()
    def the_table_says_what_the_accounts_say(self) -> None:
        if not hasattr(self, "router"):
            return
        pool = self.router._pool
        for row, account in enumerate(pool.rows):
            cells = account.cells()
            assert {name: column[row] for name, column in pool.table.columns.items()} == cells
            assert cells["waiting"] is None or cells["waiting"] >= 0
            assert cells["running"] is None or cells["running"] >= 0
            assert cells["kv_usage"] is None or 0 <= cells["kv_usage"] <= 1

    @invariant()
    def nothing_is_lost_and_limits_hold(self) -> None:
        if not hasattr(self, "router"):
            return
        waiting = self.router.waiting()
        assert {each.id for each in waiting} == self.account.waiting
        assert self.router._gate.waiting() == [each.id for each in waiting]
        if self.kind == "flow" and not self.reloads:  # a limit does not turn away what waited before it held
            assert len(waiting) <= 6
            assert sum(each.size_bytes for each in waiting) <= 1000
            assert sum(each.priority == 3 for each in waiting) <= 2

    def teardown(self) -> None:
        if not hasattr(self, "router"):
            return
        self.settle(self.router.shutdown(self.now))
        assert self.account.waiting == set()
        assert len(self.account.answered) == self.count
        for id_ in list(self.account.flying):
            self.account.flying.pop(id_)
            self.settle(self.router.complete(id_, self.now))
        self.counters_are_what_flies()


def test_any_sequence_of_events() -> None:
    run_state_machine_as_test(Routing)


PROMPTS = st.lists(st.sampled_from(["x", "a longer prompt that many share", "y" * 300]), min_size=1, max_size=12)


@settings(deadline=None)
@given(prompts=PROMPTS, seed=st.integers(0, 5), kind=st.sampled_from(sorted(CONFIGS)))
def test_the_same_input_and_seed_give_the_same_answers(prompts: list[str], seed: int, kind: str) -> None:
    def answers() -> list[Any]:
        router = Router(CONFIGS[kind](), seed=seed)
        found = []
        for name in NAMES:
            router.endpoint_up(endpoint(name, ready=True, role="", known=True), 0.0)
        for number, prompt in enumerate(prompts):
            found += router.arrive(
                request(router, f"r{number}", prompt, priority=PRIORITIES[number % 4]), float(number)
            )
            found += router.first_token(f"r{number // 2}", float(number))
        found += router.shutdown(100.0)
        return [(a.request.id, a.status, a.reason, [e.name for e in a.picked], a.headers) for a in found]

    assert answers() == answers()

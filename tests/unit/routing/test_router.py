import json

import pytest

from bayplan.framework.errors import InputError
from bayplan.routing.answer import Answer
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.endpoints.kv_event import KvEvent
from bayplan.routing.requests.rewrite import Rewrite, Rule, Target
from unit.routing.routers import arrive, config, endpoint, native, request, router, told

QUEUE = ("queue-scorer",)


def pair(of=None, **more):
    return router(of, endpoint("a", 1, waiting=0, **more), endpoint("b", 2, waiting=3, **more))


def empty(of):
    return dict.fromkeys(of.inflight(), (0, 0))


# ---- picking and reserving


def test_the_pick_is_reserved_in_the_same_step():
    made = pair(config(*QUEUE))

    picks = [arrive(made, f"r{number}")[0][1] for number in range(8)]

    assert picks[:3] == ["a", "a", "a"]
    assert (picks.count("a"), picks.count("b")) in ((6, 2), (5, 3))
    assert sum(requests for requests, _ in made.inflight().values()) == 8


def test_an_answer_says_where_to_send_what():
    made = pair(config(*QUEUE))
    made.set_rewrites([Rewrite("w", 1.0, (Rule(frozenset({"m"}), (Target("n"),)),))])

    (answer,) = made.arrive(request(made, "r"), 0.0)

    assert (answer.status, answer.code, answer.reason, answer.profile) == (200, "ok", None, "default")
    assert answer.headers == {"x-gateway-destination-endpoint": "10.0.0.1:8000"}
    assert json.loads(answer.body)["model"] == "n"
    assert answer.saturation is None


ENDS = {
    "complete": lambda made: made.complete("r", 2.0, prompt_tokens=3),
    "abort": lambda made: made.abort("r", 2.0),
    "failed with no other endpoint": lambda made: made.failed("r", 2.0),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("begun", [False, True])
def test_every_end_takes_everything_and_only_once(end, begun):
    made = router(config(*QUEUE), endpoint("a", 1, waiting=0))
    arrive(made, "r")
    if begun and end is not ENDS["failed with no other endpoint"]:
        made.first_token("r", 1.0)

    for _ in range(3):
        end(made)
        assert made.inflight() == empty(made)
    made.first_token("r", 3.0)
    assert made.inflight() == empty(made)


def test_ends_of_unknown_requests_change_nothing():
    made = pair(config(*QUEUE))

    assert made.complete("x", 0.0) == made.abort("x", 0.0) == made.first_token("x", 0.0) == []
    assert made.failed("x", 0.0) is None
    made.served_by("x", "a", 0.0)
    assert made.inflight() == empty(made)


def test_an_endpoint_that_comes_back_is_a_new_one():
    made = router(config(*QUEUE), endpoint("a", 1, waiting=0))
    arrive(made, "r")
    made.endpoint_down("a", 1.0)
    made.endpoint_down("a", 1.0)
    assert made.inflight() == {}

    made.endpoint_up(endpoint("a", 1, waiting=0), 2.0)
    arrive(made, "s", at=2.0)
    made.abort("r", 3.0)
    assert made.inflight() == {"a": (1, 3)}


def test_two_requests_of_one_id():
    made = pair(config(*QUEUE))
    arrive(made, "r")
    with pytest.raises(InputError, match="in flight already"):
        arrive(made, "r")
    made.complete("r", 1.0)
    assert arrive(made, "r")[0][0] == "r"


def test_the_same_seed_gives_the_same_picks():
    def picks(seed):
        made = router(config("random-picker"), *(endpoint(name, n) for n, name in enumerate("abcd")), seed=seed)
        return [arrive(made, f"r{number}")[0][1] for number in range(30)]

    assert picks(1) == picks(1)
    assert picks(1) != picks(2)


# ---- refusals


FULL = "rejected-saturated"
REFUSALS = {
    "no endpoint": ((), {}, 503, "rejected-no-endpoints"),
    "none is ready": ((endpoint("a", 1, ready=False),), {}, 503, "rejected-no-endpoints"),
    "none is allowed": ((endpoint("a", 1),), {"subset": ["10.9.9.9"]}, 503, "rejected-no-endpoints"),
    "no endpoint counts before the priority": ((), {"priority": -1}, 503, "rejected-no-endpoints"),
    "sheddable, and the pool is full": ((endpoint("a", 1, waiting=9, kv_usage=0.1),), {"priority": -1}, 429, FULL),
    "nobody passes the filters": ((endpoint("a", 1, labels={"llm-d.ai/role": "prefill"}),), {}, 429, FULL),
    "a cached prefix is a must": ((endpoint("a", 1),), {"headers": {"Prefer": "if-available"}}, 412, None),
}  # fmt: skip


@pytest.mark.parametrize(("endpoints", "fields", "status", "reason"), REFUSALS.values(), ids=REFUSALS)
def test_refusals_change_nothing(endpoints, fields, status, reason):
    made = router(config("decode-filter", *QUEUE), *endpoints)

    assert arrive(made, "r", **fields) == [("r", status, reason)]
    assert made.inflight() == empty(made)
    assert made.complete("r", 1.0) == []


def test_a_sheddable_request_goes_while_there_is_room():
    made = router(config(*QUEUE), endpoint("a", 1, waiting=1, kv_usage=0.1))

    assert arrive(made, "r", priority=-1) == [("r", "a")]


def test_the_mistakes_of_clients_are_answers():
    made = pair(config(*QUEUE))
    answer = made.parse("r", "/v1/completions", {}, b"{}", 0.0)

    assert isinstance(answer, Answer)
    assert (answer.status, answer.code, answer.reason) == (400, "bad-request", None)
    assert answer.message.startswith("body.prompt: is missing")


def test_headers_only():
    made = pair(config(*QUEUE), kv_usage=0.9)
    parsed = made.parse("r", "/v1/models", {}, b"", 0.0)
    (answer,) = made.arrive(parsed, 0.0)

    assert (answer.status, answer.profile, answer.picked[0].name in "ab") == (200, None, True)
    assert sorted(made.inflight().values()) == [(0, 0), (1, 0)]
    made.first_token("r", 1.0)
    made.complete("r", 1.0)
    assert made.inflight() == empty(made)


def test_headers_only_requests_that_move_are_still_no_load():
    made = pair(None)
    made.arrive(made.parse("r", "/v1/models", {}, b"", 0.0), 0.0)
    made.served_by("r", "b", 1.0)
    made.served_by("r", "a", 1.0)

    assert made.inflight() == {"a": (1, 0), "b": (0, 0)}
    assert not made._dispatcher.plan.own.account.knows("r")
    assert made.failed("r", 1.0).picked[0].name == "b"
    made.complete("r", 2.0)
    assert made.inflight() == empty(made)


class Broken:
    """Everything that plugins can do wrong around a request."""

    name = "broken"

    def __init__(self, *methods):
        for method in methods:
            setattr(self, method, self.fail)

    def fail(self, *_):
        raise ValueError("no idea")


def broken(*methods):
    made = config(*QUEUE)
    made.plugins["broken"] = Broken(*methods)
    return pair(made)


def test_a_plugin_that_breaks_before_the_reservation_is_a_500_that_leaves_no_trace():
    made = broken("request_headers")
    (answer,) = made.arrive(request(made, "r"), 0.0)

    assert (answer.status, answer.code) == (500, "internal")
    assert answer.message == "plugin broken: raised ValueError in fail: no idea"
    assert made.inflight() == empty(made)


def test_an_admitter_that_breaks_fails_one_request():
    plugins = config(*QUEUE)
    plugins.admitters["broken"] = Broken("denies")
    made = pair(plugins)
    (answer,) = made.arrive(request(made, "r"), 0.0)

    assert (answer.status, answer.message) == (500, "a plugin raised ValueError: no idea")
    assert made.inflight() == empty(made)


def test_a_plugin_that_breaks_afterwards_is_a_warning():
    made = broken("sent", "completed", "first_token", "endpoint_up", "endpoint_down", "reported", "kv_event")
    (answer,) = made.arrive(request(made, "r"), 0.0)

    assert answer.status == 200
    assert answer.warnings == ("plugin broken: raised ValueError in fail: no idea",)
    made.first_token("r", 1.0)
    made.complete("r", 1.0)
    made.report("a", EngineMetrics(), 1.0)
    made.kv_event("a", KvEvent("cleared"), 1.0)
    made.endpoint_down("a", 1.0)
    assert made.inflight() == empty(made)


# ---- failures and fallbacks


def fallbacks():
    made = config(*QUEUE, ("max-score-picker", {"maxNumOfEndpoints": 2}))
    return router(made, endpoint("a", 1, waiting=0), endpoint("b", 2, waiting=1), endpoint("c", 3, waiting=2))


def test_a_failure_moves_the_reservation_to_the_next_choice():
    made = fallbacks()
    (first,) = made.arrive(request(made, "r"), 0.0)
    assert [each.name for each in first.picked] == ["a", "b"]
    assert first.headers["x-gateway-destination-endpoint"] == "10.0.0.1:8000,10.0.0.2:8000"

    second = made.failed("r", 1.0)
    assert [each.name for each in second.picked] == ["b"]
    assert second.headers["x-gateway-destination-endpoint"] == "10.0.0.2:8000"
    assert made.inflight() == {"a": (0, 0), "b": (1, 3), "c": (0, 0)}

    third = made.failed("r", 2.0)
    assert [each.name for each in third.picked] == ["c"]
    assert made.inflight() == {"a": (0, 0), "b": (0, 0), "c": (1, 3)}

    assert made.failed("r", 3.0) is None
    assert made.inflight() == empty(made)


def test_a_fallback_that_is_gone_is_passed_over():
    made = fallbacks()
    made.arrive(request(made, "r"), 0.0)
    made.endpoint_down("b", 0.5)

    assert made.failed("r", 1.0).picked[0].name == "c"


def test_a_failure_keeps_to_the_subset():
    made = fallbacks()
    made_request = request(made, "r", subset=["10.0.0.1"])
    made.arrive(made_request, 0.0)

    assert made.failed("r", 1.0) is None
    assert made_request.subset == frozenset({"10.0.0.1"})
    assert made.inflight() == empty(made)


def test_a_failure_after_the_endpoint_went_down_goes_elsewhere():
    made = fallbacks()
    made.arrive(request(made, "r"), 0.0)
    made.endpoint_down("a", 0.5)

    assert made.failed("r", 1.0).picked[0].name == "b"


def test_no_failure_after_the_first_byte():
    made = fallbacks()
    made.arrive(request(made, "r"), 0.0)
    made.first_token("r", 1.0)

    assert made.failed("r", 1.0) is None
    assert made.inflight()["a"] == (1, 0)


@pytest.mark.parametrize("served", ["b", "10.0.0.2:8000"])
def test_a_gateway_that_used_the_fallback(served):
    made = fallbacks()
    made.arrive(request(made, "r"), 0.0)

    made.served_by("r", served, 1.0)
    assert made.inflight() == {"a": (0, 0), "b": (1, 3), "c": (0, 0)}
    made.served_by("r", "elsewhere", 1.0)
    made.complete("r", 2.0)
    assert made.inflight() == empty(made)


@pytest.mark.parametrize("served", ["a", "10.0.0.1:8000"])
def test_a_gateway_that_used_the_first_choice(served):
    made = fallbacks()
    made.arrive(request(made, "r"), 0.0)

    made.served_by("r", served, 1.0)
    assert made.inflight()["a"] == (1, 3)


def split():
    plugins = ("decode-filter", "prefill-filter", "always-disagg-pd-decider",
               ("disagg-profile-handler", {"deciders": {"prefill": "always-disagg-pd-decider"}}),
               ("max-score-picker", {"maxNumOfEndpoints": 2}))  # fmt: skip
    profiles = {"decode": ["decode-filter", "max-score-picker"], "prefill": ["prefill-filter"]}
    roles = {"p": "prefill", "d": "decode", "e": "decode"}
    endpoints = [endpoint(name, n, labels={"llm-d.ai/role": role}) for n, (name, role) in enumerate(roles.items())]
    return router(config(*plugins, profiles=profiles), *endpoints)


def test_a_failed_decode_endpoint_leaves_the_prefill_stage_where_it_is():
    made = split()
    (answer,) = made.arrive(request(made, "r"), 0.0)
    first, other = (each.name for each in answer.picked)
    assert made.inflight() == {"p": (1, 3), first: (1, 0), other: (0, 0)}

    moved = made.failed("r", 1.0)
    assert moved.headers["x-prefiller-host-port"] == "10.0.0.0:8000"
    assert made.inflight() == {"p": (1, 3), first: (0, 0), other: (1, 0)}

    made.first_token("r", 2.0)
    assert made.inflight() == {"p": (0, 0), first: (0, 0), other: (1, 0)}


def test_a_prefill_endpoint_that_is_gone_is_left_out():
    made = split()
    (answer,) = made.arrive(request(made, "r"), 0.0)
    made.endpoint_down("p", 0.5)

    made.failed("r", 1.0)
    other = answer.picked[1].name
    assert made.inflight()[other] == (1, 3)
    made.complete("r", 1.0)
    assert made.inflight() == empty(made)


# ---- the world


def test_metrics():
    made = pair(config(*QUEUE))
    arrive(made, "r")
    made.report("a", EngineMetrics(waiting=9), 1.0)
    made.report("x", EngineMetrics(), 1.0)

    assert made.metrics_of("a") == EngineMetrics(waiting=9)
    assert made.metrics_of("x") is None
    assert arrive(made, "s", at=1.0) == [("s", "b")]


def test_a_renamed_endpoint_is_forgotten_under_its_old_address():
    made = router(config(*QUEUE), endpoint("a", 1, waiting=0))
    arrive(made, "r")
    made.endpoint_up(endpoint("a", 7, waiting=0), 1.0)

    assert made.inflight() == {"a": (0, 0)}
    (answer,) = made.arrive(request(made, "s"), 1.0)
    assert answer.picked[0].address == "10.0.0.7:8000"


def test_objectives():
    made = pair(config(*QUEUE))
    made.set_objectives({"gold": 7})

    assert request(made, "r", headers={"x-llm-d-inference-objective": "gold"}).priority == 7


def test_another_configuration_keeps_endpoints_flights_and_the_index():
    made = pair(config("prefix-cache-scorer"))
    (first,) = made.arrive(request(made, "r", list(range(64))), 0.0)
    where = first.picked[0].name

    assert made.reconfigure(config("prefix-cache-scorer", "queue-scorer"), 1.0) == []
    assert made.inflight()[where] == (1, 64)
    made.complete("r", 2.0)
    assert made.inflight() == empty(made)
    (second,) = made.arrive(request(made, "s", list(range(64)), explained=True), 2.0)
    assert second.prefixes[where].matched_blocks == 4


def test_a_configuration_without_flow_control_lets_the_waiting_go():
    gate = config(*QUEUE, flow={"maxRequests": "10"})
    made = router(gate)
    assert arrive(made, "r") == []
    made.endpoint_up(endpoint("a", 1, waiting=50, kv_usage=0.1), 1.0)
    assert [each.id for each in made.waiting()] == ["r"]

    assert told(made.reconfigure(config(*QUEUE, flow={}), 2.0)) == []
    assert [each.id for each in made.waiting()] == ["r"]
    assert told(made.reconfigure(config(*QUEUE), 2.0)) == [("r", "a")]
    assert made.waiting() == []


# ---- our own policy


def test_our_own_policy_is_what_decides_without_a_configuration():
    made = router(None, *(endpoint(name, n) for n, name in enumerate("abcd")))

    picks = [arrive(made, f"r{n}", f"question number {n}")[0][1] for n in range(16)]

    assert {name: picks.count(name) for name in "abcd"} == dict.fromkeys("abcd", 4)


def test_late_holds_requests_until_an_endpoint_has_room():
    made = router(native(ownPolicy="late"), endpoint("a", 1))
    long = list(range(4096))
    assert arrive(made, "r1", long) == [("r1", "a")]
    assert arrive(made, "r2", [9, 8, 7]) == []
    assert (made.inflight()["a"][0], [each.id for each in made.waiting()]) == (1, ["r2"])
    assert made.next_tick_at == 60.0

    assert told(made.first_token("r1", 1.0)) == [("r2", "a")]
    assert (made.waiting(), made.next_tick_at) == ([], None)
    made.complete("r1", 2.0)
    made.complete("r2", 2.0)
    assert made.inflight() == empty(made)


def test_late_waits_for_an_endpoint_and_gives_up_in_time():
    made = router(native(ownPolicy="late"))
    assert arrive(made, "r1") == []
    assert arrive(made, "r2", ttl_s=5.0) == []
    assert told(made.tick(5.0)) == [("r2", 503, "rejected-no-endpoints")]
    assert told(made.endpoint_up(endpoint("a", 1), 6.0)) == [("r1", "a")]


def test_late_lets_go_of_requests_whose_client_left():
    made = router(native(ownPolicy="late"))
    arrive(made, "r1")
    arrive(made, "r2")

    assert told(made.abort("r1", 1.0)) == [("r1", 503, "rejected-context-cancelled")]
    assert told(made.shutdown(2.0)) == [("r2", 503, "rejected-shutting-down")]
    assert made.endpoint_up(endpoint("a", 1), 3.0) == []


def test_late_keeps_to_the_subset():
    made = router(native(ownPolicy="late"), endpoint("a", 1), endpoint("b", 2))

    assert arrive(made, "r", subset=["10.0.0.2"]) == [("r", "b")]


def test_late_looks_again_at_subsets_when_endpoints_come():
    made = router(native(ownPolicy="late"))
    arrive(made, "r1", subset=["10.0.0.2"])
    arrive(made, "r2")

    assert told(made.endpoint_up(endpoint("a", 1), 1.0)) == [("r2", "a")]
    assert told(made.endpoint_up(endpoint("b", 2), 2.0)) == [("r1", "b")]


def test_late_keeps_to_the_filters_of_the_profile():
    own = {"type": "prefill-cost-scorer"}
    by_label = {"type": "by-label", "parameters": {"label": "x", "validValues": ["1"]}}
    made = router(
        native(ownPolicy="late", plugins=[own, by_label]), endpoint("a", 1), endpoint("b", 2, labels={"x": "1"})
    )

    assert [arrive(made, f"r{n}")[0][1] for n in range(4)] == ["b"] * 4


def test_late_refuses_what_is_too_much():
    made = router(native(ownPolicy="late", featureGates=["flowControl"], flowControl={"maxRequests": "1"}))
    arrive(made, "r1")

    assert arrive(made, "r2") == [("r2", 429, "rejected-saturated")]


def test_a_failure_is_retried_under_our_own_policy_too():
    made = router(native(ownPolicy="late"), endpoint("a", 1), endpoint("b", 2))
    ((_, first),) = arrive(made, "r")

    second = made.failed("r", 1.0).picked[0].name
    assert {first, second} == {"a", "b"}
    assert made.inflight()[second] == (1, 3)
    made.complete("r", 2.0)
    assert made.inflight() == empty(made)


def test_our_own_policy_sends_nothing_to_endpoints_that_only_prefill():
    made = router(None, endpoint("p", 1, labels={"llm-d.ai/role": "prefill"}), endpoint("d", 2))

    assert [arrive(made, f"r{n}")[0][1] for n in range(4)] == ["d"] * 4


# ---- documents


def test_explaining_a_request_that_was_marked():
    made = pair(config(*QUEUE), kv_usage=0.1)
    (answer,) = made.arrive(request(made, "r", explained=True), 0.0)
    document = made.explain(answer)

    assert [row["endpoint"] for row in document["endpoints"]] == ["a", "b"]
    assert document["endpoints"][0]["terms"] == [{"plugin": "queue-scorer", "weight": 1.0, "score": 1.0}]
    assert document["saturation"] == pytest.approx((0.125 + 0.6) / 2)


def test_explaining_any_other_request_tells_of_its_pick():
    made = pair(config(*QUEUE))
    (answer,) = made.arrive(request(made, "r"), 0.0)
    document = made.explain(answer)

    assert [(row["endpoint"], row["total"]) for row in document["endpoints"]] == [("a", 1.0)]
    assert (document["saturation"], document["message"]) == (None, "profile default picked a")


def test_saturation_and_bands():
    made = pair(config(*QUEUE), kv_usage=0.0)

    assert made.saturation(0.0) == pytest.approx(0.3)
    assert made.bands(0.0) == ()
    assert Endpoint("a", "10.0.0.1").role == ""

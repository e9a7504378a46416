import pytest

from unit.routing.routers import arrive, config, endpoint, native, request, router, told

DETECTOR = ("concurrency-detector", {"maxConcurrency": 2})


def gated(*plugins, endpoints=(), places=2, **flow):
    """A router whose endpoints have so many places each."""
    detector = ("concurrency-detector", {"maxConcurrency": places})
    made = config("random-picker", detector, *plugins, flow={"saturationDetector": {"pluginRef": detector[0]}, **flow})
    return router(made, *endpoints)


def ids(of):
    return [each.id for each in of.waiting()]


def test_one_cycle_goes_up_to_the_ceiling():
    made = gated()
    for number in range(4):
        assert arrive(made, f"r{number}") == []
    assert ids(made) == ["r0", "r1", "r2", "r3"]

    assert told(made.endpoint_up(endpoint("a", 1), 1.0)) == [("r0", "a"), ("r1", "a")]
    assert told(made.complete("r0", 2.0)) == [("r2", "a")]
    assert ids(made) == ["r3"]
    assert told(made.abort("r1", 3.0)) == [("r3", "a")]


def test_a_request_goes_at_once_where_there_is_room():
    made = gated(endpoints=[endpoint("a", 1)])

    assert arrive(made, "r") == [("r", "a")]
    assert (made.waiting(), made.next_tick_at) == ([], None)


def test_nobody_overtakes():
    made = gated(
        ("priority-holdback-policy", {"minCeiling": 0.5}),
        endpoints=[endpoint("a", 1)],
        usageLimitPolicyPluginRef="priority-holdback-policy",
        priorityBands=[{"priority": 1}, {"priority": 0}],
    )
    assert arrive(made, "low1", priority=0) == [("low1", "a")]
    assert arrive(made, "low2", priority=0) == []
    assert arrive(made, "high1", priority=1) == [("high1", "a")]
    assert arrive(made, "high2", priority=1) == []
    assert [(band.priority, band.ceiling, band.waiting) for band in made.bands(0.0)] == [(1, 1.0, 1), (0, 0.5, 1)]

    assert told(made.complete("low1", 1.0)) == [("high2", "a")]
    assert told(made.complete("high1", 2.0)) == []
    assert told(made.complete("high2", 3.0)) == [("low2", "a")]


def test_limits_turn_requests_away():
    made = gated(maxRequests="1")
    assert arrive(made, "r1") == []
    assert arrive(made, "r2") == [("r2", 429, "rejected-saturated")]
    assert arrive(made, "r3", "x" * 100, explained=True) == [("r3", 429, "rejected-saturated")]


EXPIRIES = {
    "with endpoints": ([endpoint("a", 1, inflight=(2, 0))], {}, 60.0, 429, "rejected-ttl-expired"),
    "its own time": ([endpoint("a", 1, inflight=(2, 0))], {"ttl_s": 5.0}, 5.0, 429, "rejected-ttl-expired"),
    "without endpoints": ([], {}, 60.0, 503, "rejected-no-endpoints"),
    "none is ready": ([endpoint("a", 1, ready=False)], {"ttl_s": 5.0}, 5.0, 503, "rejected-no-endpoints"),
}


@pytest.mark.parametrize(("endpoints", "fields", "at", "status", "reason"), EXPIRIES.values(), ids=EXPIRIES)
def test_expiry(endpoints, fields, at, status, reason):
    made = gated(endpoints=endpoints)
    assert arrive(made, "r", explained=True, **fields) == []
    assert made.next_tick_at == at
    assert made.tick(at - 0.1) == []

    assert told(made.tick(at)) == [("r", status, reason)]
    assert (made.waiting(), made.next_tick_at) == ([], None)


def test_what_expires_makes_room_for_nobody_who_expired():
    made = gated(endpoints=[endpoint("a", 1)], places=1)
    arrive(made, "r1")
    arrive(made, "r2", ttl_s=5.0)
    arrive(made, "r3")

    assert told(made.complete("r1", 5.0)) == [("r2", 429, "rejected-ttl-expired"), ("r3", "a")]


def test_clients_that_leave_and_a_shutdown():
    made = gated()
    for name in ("r1", "r2", "r3"):
        arrive(made, name)

    assert told(made.abort("r2", 1.0)) == [("r2", 503, "rejected-context-cancelled")]
    assert told(made.shutdown(2.0)) == [("r1", 503, "rejected-shutting-down"), ("r3", 503, "rejected-shutting-down")]
    assert made.shutdown(3.0) == []
    assert arrive(made, "r4", at=3.0) == [("r4", 503, "rejected-shutting-down")]
    assert made.endpoint_up(endpoint("a", 1), 4.0) == []


def test_requests_in_flight_outlive_a_shutdown():
    made = gated(endpoints=[endpoint("a", 1)])
    arrive(made, "r1")
    made.shutdown(1.0)
    assert made.inflight() == {"a": (1, 3)}
    made.complete("r1", 2.0)
    assert made.inflight() == {"a": (0, 0)}


def test_a_ceiling_above_1_sends_nobody_to_an_empty_pool():
    made = gated(
        ("static-usage-limit-policy", {"threshold": 5.0}), usageLimitPolicyPluginRef="static-usage-limit-policy"
    )

    assert arrive(made, "r") == []
    assert ids(made) == ["r"]


def test_a_policy_that_opens_now_and_then_is_asked_again_soon():
    made = gated(
        "soft-reflective-ceiling-policy",
        endpoints=[endpoint("a", 1, inflight=(3, 0))],
        places=4,
        usageLimitPolicyPluginRef="soft-reflective-ceiling-policy",
        priorityBands=[{"priority": 1}, {"priority": 0}],
    )
    assert arrive(made, "r", at=1.0) == []
    assert made.next_tick_at == pytest.approx(1.005)
    assert made.tick(1.005) == []
    assert told(made.tick(1.01)) == [("r", "a")]


def test_headers_only_requests_do_not_wait():
    made = gated(endpoints=[endpoint("a", 1, inflight=(9, 0))])
    parsed = made.parse("r", "/v1/models", {}, b"", 0.0)

    assert told(made.arrive(parsed, 0.0)) == [("r", "a")]


def test_fairness():
    made = gated(
        "round-robin-fairness-policy",
        defaultPriorityBand={"fairnessPolicyRef": "round-robin-fairness-policy"},
        places=3,
    )
    for number, flow in enumerate(("x", "x", "y")):
        arrive(made, f"{flow}{number}", fairness_id=flow)

    assert told(made.endpoint_up(endpoint("a", 1), 1.0)) == [("x0", "a"), ("y2", "a"), ("x1", "a")]


def test_bands_that_share_by_weight():
    made = router(
        native(
            featureGates=["flowControl"],
            plugins=[
                {"type": "random-picker"},
                {"type": DETECTOR[0], "parameters": {"maxConcurrency": 100}},
                {"type": "weighted-band-policy", "parameters": {"step": 1.0}},
            ],
            flowControl={
                "bandSelectionPolicyPluginRef": "weighted-band-policy",
                "saturationDetector": {"pluginRef": DETECTOR[0]},
            },
        )
    )
    for number in range(3):
        arrive(made, f"high{number}", priority=1)
        arrive(made, f"low{number}", priority=0)

    order = [name[:-1] for name, _ in told(made.endpoint_up(endpoint("a", 1), 1.0))]
    assert order == ["high", "low", "high", "low", "high", "low"]


# ---- eviction


def evicting(*endpoints, places=1):
    return gated(endpoints=endpoints, places=places, enableEviction=True)


def test_a_sheddable_request_makes_room():
    made = evicting(endpoint("a", 1), places=2)
    arrive(made, "low1", priority=-1)
    arrive(made, "low2", priority=-2)

    assert arrive(made, "high") == [("low2", 429, "evicted-priority"), ("high", "a")]
    assert made.inflight() == {"a": (2, 6)}
    made.complete("low2", 1.0)
    assert made.inflight() == {"a": (2, 6)}


def test_of_equal_priorities_the_newest_goes():
    made = evicting(endpoint("a", 1), places=2)
    arrive(made, "old", priority=-1)
    arrive(made, "new", priority=-1)

    assert arrive(made, "high")[0] == ("new", 429, "evicted-priority")


def test_nobody_is_evicted_in_vain():
    made = evicting(endpoint("a", 1), endpoint("b", 2), places=1)
    arrive(made, "low1", priority=-1)
    arrive(made, "low2", priority=-1)
    made.endpoint_up(endpoint("a", 1, ready=False), 1.0)

    assert arrive(made, "high") in ([], [("low2", 429, "evicted-priority"), ("high", "b")])


def test_sheddable_requests_evict_nobody():
    made = evicting(endpoint("a", 1))
    arrive(made, "low1", priority=-2)

    assert arrive(made, "low2", priority=-1) == []


def test_an_eviction_whose_victim_is_gone_with_its_endpoint():
    made = evicting(endpoint("a", 1), endpoint("b", 2, inflight=(1, 0)), places=1)
    arrive(made, "low1", priority=-1)
    made.endpoint_down("a", 1.0)

    assert arrive(made, "high") == []
    assert request(made, "x").priority == 0

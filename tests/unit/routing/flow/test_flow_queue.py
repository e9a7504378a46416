import pytest

from bayplan.routing.flow.band import SWEEP_FROM
from bayplan.routing.flow.flow_queue import FlowQueue
from bayplan.routing.flow.flow_settings import BandSettings, FlowSettings
from bayplan.routing.flow.policies.edf_ordering_policy import EdfOrderingPolicy
from bayplan.routing.flow.policies.fcfs_ordering_policy import FcfsOrderingPolicy
from bayplan.routing.flow.policies.global_strict_fairness_policy import GlobalStrictFairnessPolicy
from bayplan.routing.flow.policies.round_robin_fairness_policy import RoundRobinFairnessPolicy
from bayplan.routing.flow.policies.static_usage_limit_policy import StaticUsageLimitPolicy
from bayplan.routing.flow.policies.weighted_band_policy import WeightedBandPolicy
from bayplan.routing.requests.routed_request import RoutedRequest


def band(max_requests=100, max_bytes=1000, ordering=None, fairness=None):
    return BandSettings(
        max_bytes, max_requests, fairness or GlobalStrictFairnessPolicy(), ordering or FcfsOrderingPolicy()
    )


def settings(
    *, ttl_s=60.0, no_endpoint_ttl_s=60.0, max_requests=None, max_bytes=None, bands=None, band_policy=None, **of_band
):
    usual = band(**of_band)
    return FlowSettings(
        max_bytes, max_requests, ttl_s, no_endpoint_ttl_s, bands or {}, usual, usual, StaticUsageLimitPolicy(),
        band_policy=band_policy,
    )  # fmt: skip


def request(id_, priority=0, flow="f", at=0.0, **fields):
    return RoutedRequest(id_, priority=priority, fairness_id=flow, arrived_s=at, **fields)


def served(queue, now=0.0):
    """Ids in the order in which they are taken."""
    found = []
    while (head := queue.head(now)) is not None:
        queue.take(head)
        found.append(head.request.id)
    return found


def filled(queue, *requests):
    for each in requests:
        queue.add(each)
    return queue


LIMITS = {
    "requests over all": ({"max_requests": 1}, "with this request 2 requests wait in all bands, and the limit is 1"),
    "bytes over all": ({"max_bytes": 15}, "with this request 20 bytes wait in all bands, and the limit is 15"),
    "requests of the band": ({"bands": {0: band(max_requests=1)}}, "2 requests wait in band 0, and the limit is 1"),
    "bytes of the band": ({"bands": {0: band(max_bytes=15)}}, "20 bytes wait in band 0, and the limit is 15"),
}


@pytest.mark.parametrize(("limits", "problem"), LIMITS.values(), ids=LIMITS)
def test_limits(limits, problem):
    queue = FlowQueue(settings(**limits))
    first, second = request("a", size_bytes=10), request("b", size_bytes=10)
    assert queue.is_full_for(first) is None
    queue.add(first)

    assert problem in queue.is_full_for(second)
    queue.withdraw("a")
    assert queue.is_full_for(second) is None


def test_the_limit_of_one_band_does_not_bind_another():
    queue = filled(FlowQueue(settings(bands={0: band(max_requests=1)})), request("a"))

    assert queue.is_full_for(request("b", 1)) is None
    assert queue.priorities == [1, 0]


def test_the_highest_band_first_then_arrival():
    queue = filled(FlowQueue(settings()), request("a"), request("b", -1), request("c", 5), request("d", 5))

    assert (len(queue), queue.ids(), queue.waiting_in(5)) == (4, ["a", "b", "c", "d"], 2)
    assert served(queue) == ["c", "d", "a", "b"]
    assert (len(queue), queue.head(0.0)) == (0, None)


def test_policies_of_a_band():
    queue = FlowQueue(settings(ordering=EdfOrderingPolicy(), fairness=RoundRobinFairnessPolicy()))
    filled(queue, request("a1", flow="a"), request("a2", flow="a", ttl_s=1.0), request("b1", flow="b"))

    assert served(queue) == ["a2", "b1", "a1"]


def test_a_policy_of_bands_keeps_the_lower_ones_from_starving():
    queue = FlowQueue(settings(band_policy=WeightedBandPolicy()))
    filled(queue, *(request(f"high{n}", 1) for n in range(4)), *(request(f"low{n}", 0) for n in range(4)))

    assert served(queue) == ["high0", "low0", "high1", "high2", "low1", "high3", "low2", "low3"]


EXPIRIES = {
    "the usual time": ({}, {}, True, 59.9, 60.0),
    "its own time": ({}, {"ttl_s": 5.0}, True, 4.9, 5.0),
    "its own time is longer": ({}, {"ttl_s": 90.0}, True, 89.0, 90.0),
    "no endpoint: the smaller of both": ({"no_endpoint_ttl_s": 10.0}, {"ttl_s": 40.0}, False, 9.9, 10.0),
    "no endpoint: its own is smaller": ({"no_endpoint_ttl_s": 10.0}, {"ttl_s": 4.0}, False, 3.9, 4.0),
    "no endpoint: the usual time does not count": ({"ttl_s": 5.0}, {}, False, 59.0, 60.0),
    "arrived later": ({}, {"at": 100.0}, True, 159.9, 160.0),
}


@pytest.mark.parametrize(("of_queue", "of_request", "has_endpoints", "before", "at"), EXPIRIES.values(), ids=EXPIRIES)
def test_expiry(of_queue, of_request, has_endpoints, before, at):
    queue = filled(FlowQueue(settings(**of_queue)), request("a", **of_request))

    assert queue.next_expiry_s(has_endpoints=has_endpoints) == at
    assert queue.expired(before, has_endpoints=has_endpoints) == []
    assert [each.id for each in queue.expired(at, has_endpoints=has_endpoints)] == ["a"]
    assert (len(queue), queue.next_expiry_s(has_endpoints=has_endpoints)) == (0, None)


NEVER = {
    "the configuration says so": ({"ttl_s": None}, {}, True),
    "the request says so": ({}, {"ttl_s": 0.0}, True),
    "no endpoint, and neither limits": ({"no_endpoint_ttl_s": None}, {"ttl_s": -1.0}, False),
}


@pytest.mark.parametrize(("of_queue", "of_request", "has_endpoints"), NEVER.values(), ids=NEVER)
def test_what_never_expires(of_queue, of_request, has_endpoints):
    queue = filled(FlowQueue(settings(**of_queue)), request("a", **of_request))

    assert queue.next_expiry_s(has_endpoints=has_endpoints) is None
    assert queue.expired(1e9, has_endpoints=has_endpoints) == []


def test_withdrawing():
    queue = filled(FlowQueue(settings()), request("a"), request("b"))

    assert queue.withdraw("a").id == "a"
    assert queue.withdraw("a") is None
    assert ("a" in queue, "b" in queue) == (False, True)
    assert queue.next_expiry_s(has_endpoints=True) == 60.0
    assert served(queue) == ["b"]
    assert queue.next_expiry_s(has_endpoints=True) is None


def test_those_that_left_do_not_fill_the_memory():
    queue = FlowQueue(settings())
    for number in range(10 * SWEEP_FROM):
        queue.add(request(str(number)))
        queue.withdraw(str(number))

    assert max(len(queue._expiring), len(queue._giving_up)) <= SWEEP_FROM + 2

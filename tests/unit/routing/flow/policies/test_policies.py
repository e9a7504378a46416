from math import inf

import pytest

from bayplan.framework.errors import InputError
from bayplan.routing.flow.band import Band
from bayplan.routing.flow.flow_settings import BandSettings
from bayplan.routing.flow.policies.edf_ordering_policy import EdfOrderingPolicy
from bayplan.routing.flow.policies.fcfs_ordering_policy import FcfsOrderingPolicy
from bayplan.routing.flow.policies.global_strict_fairness_policy import GlobalStrictFairnessPolicy
from bayplan.routing.flow.policies.priority_holdback_policy import PriorityHoldbackPolicy
from bayplan.routing.flow.policies.program_aware_fairness import MOST_FLOWS, ProgramAwareFairness
from bayplan.routing.flow.policies.round_robin_fairness_policy import RoundRobinFairnessPolicy
from bayplan.routing.flow.policies.slo_deadline_ordering_policy import SloDeadlineOrderingPolicy
from bayplan.routing.flow.policies.soft_reflective_ceiling_policy import SoftReflectiveCeilingPolicy
from bayplan.routing.flow.policies.static_usage_limit_policy import StaticUsageLimitPolicy
from bayplan.routing.flow.policies.weighted_band_policy import WeightedBandPolicy
from bayplan.routing.flow.waiting_request import WaitingRequest
from bayplan.routing.requests.routed_request import RoutedRequest


def band(*flows, priority=0, arrived_s=None):
    """One waiting request for each name, in this order."""
    made = Band(priority, BandSettings(1, 1, None, None))
    for number, flow in enumerate(flows):
        at = 0.0 if arrived_s is None else arrived_s[number]
        waiting = WaitingRequest(RoutedRequest(str(number), fairness_id=flow, arrived_s=at), number, None, None)
        made.add(waiting)
    return made


def test_global_strict_takes_the_first_of_all():
    assert GlobalStrictFairnessPolicy().next_flow(band("b", "a"), 0.0) == "b"


def test_round_robin_takes_the_next_name_and_asking_changes_nothing():
    policy, held = RoundRobinFairnessPolicy(), band("c", "a", "b")
    order = []
    for _ in range(5):
        assert policy.next_flow(held, 0.0) == policy.next_flow(held, 0.0)
        order.append(policy.next_flow(held, 0.0))
        policy.served(held, order[-1])

    assert order == ["a", "b", "c", "a", "b"]
    assert policy.next_flow(band("a", priority=3), 0.0) == "a"
    assert policy.next_flow(band("a", "bb"), 0.0) == "bb"


def done(policy, flow, usage, now=0.0, priority=0):
    policy.completed(RoutedRequest("x", fairness_id=flow, priority=priority), usage, now)


SERVICES = {
    "nobody had any: by name": ({}, [0.0, 0.0], 0.0, "a"),
    "the one with less service": ({"a": (100, 0)}, [0.0, 0.0], 0.0, "b"),
    "completion tokens count twice": ({"a": (0, 60), "b": (100, 0)}, [0.0, 0.0], 0.0, "b"),
    "waiting counts where service is equal": ({}, [5.0, 1.0], 9.0, "b"),
    "service outweighs waiting": ({"b": (100, 0)}, [5.0, 1.0], 9.0, "a"),
}


@pytest.mark.parametrize(("usages", "arrived_s", "now", "flow"), SERVICES.values(), ids=SERVICES)
def test_program_aware(usages, arrived_s, now, flow):
    policy = ProgramAwareFairness()
    for name, usage in usages.items():
        done(policy, name, usage)

    assert policy.next_flow(band("a", "b", arrived_s=arrived_s), now) == flow
    policy.served(band("a", "b"), flow)


def test_service_is_halved():
    policy = ProgramAwareFairness(las_half_life_seconds=10.0)
    done(policy, "a", (100, 0), now=0.0)
    done(policy, "b", (60, 0), now=10.0)

    assert policy.next_flow(band("a", "b"), 10.0) == "a"
    done(policy, "a", None, now=10.0)
    done(policy, "a", (20, 0), now=10.0)
    assert policy.next_flow(band("a", "b"), 10.0) == "b"


def test_service_is_of_a_band():
    policy = ProgramAwareFairness()
    done(policy, "a", (100, 0), priority=1)

    assert policy.next_flow(band("a", "b", priority=0), 0.0) == "a"
    assert policy.next_flow(band("a", "b", priority=1), 0.0) == "b"


def test_flows_of_clients_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr("bayplan.routing.flow.policies.program_aware_fairness.MOST_FLOWS", 3)
    policy = ProgramAwareFairness()
    for flow in "abcab":
        done(policy, flow, (1, 0))
    done(policy, "d", (1, 0))

    assert [flow for _, flow in policy._service] == ["a", "b", "d"]
    assert MOST_FLOWS > 1000


ORDERS = {
    "arrival": (FcfsOrderingPolicy(), {}, 5.0, 0.0),
    "deadline": (EdfOrderingPolicy(), {}, 5.0, 15.0),
    "no deadline": (EdfOrderingPolicy(), {}, None, inf),
    "SLO": (SloDeadlineOrderingPolicy(), {"slo_ttft_ms": 500.0}, 5.0, 10.5),
    "no SLO": (SloDeadlineOrderingPolicy(), {}, 5.0, inf),
    "a negative SLO": (SloDeadlineOrderingPolicy(), {"slo_ttft_ms": -1.0}, 5.0, inf),
}


@pytest.mark.parametrize(("policy", "fields", "ttl_s", "key"), ORDERS.values(), ids=ORDERS)
def test_orderings(policy, fields, ttl_s, key):
    assert policy.key(RoutedRequest("r", arrived_s=10.0, **fields), ttl_s) == key


CEILINGS = {
    "static": (StaticUsageLimitPolicy(0.7), [5, 0], 0.5, [0.7, 0.7]),
    "holdback by rank": (PriorityHoldbackPolicy(0.4), [9, 1, 0], 0.5, [1.0, 0.7, 0.4]),
    "holdback by value": (PriorityHoldbackPolicy(0.4, 0.8, domain="value"), [10, 5, 0], 0.5, [0.8, 0.6, 0.4]),
    "holdback of one band": (PriorityHoldbackPolicy(0.4, 0.9), [3], 0.5, [0.9]),
    "soft, little load": (SoftReflectiveCeilingPolicy(), [1, 0], 0.4, [1.0, 1.0]),
    "soft, one band": (SoftReflectiveCeilingPolicy(), [1], 2.0, [1.0]),
    "soft, full": (SoftReflectiveCeilingPolicy(), [1, 0], 1.0, [1.0, 0.0]),
    "soft, closed in this attempt": (SoftReflectiveCeilingPolicy(), [2, 1, 0], 0.75, [1.0, 0.0, 0.0]),
}


@pytest.mark.parametrize(("policy", "priorities", "saturation", "ceilings"), CEILINGS.values(), ids=CEILINGS)
def test_usage_limits(policy, priorities, saturation, ceilings):
    assert policy.ceilings(priorities, saturation) == pytest.approx(ceilings)
    policy.attempted(priorities[-1])


@pytest.mark.parametrize(("saturation", "every"), [(0.55, 1), (0.7, 2), (0.75, 3), (0.9, 9)])
def test_soft_ceilings_open_in_one_of_k_attempts(saturation, every):
    policy = SoftReflectiveCeilingPolicy()
    opened = 0
    for _ in range(10 * every):
        opened += policy.ceilings([1, 0], saturation)[1] == 1.0
        policy.attempted(0)

    assert opened == 10


def test_bands_by_weight():
    policy = WeightedBandPolicy({"5": 3.0, "0": 1.0})
    order = []
    for _ in range(8):
        order.append(policy.next_band([5, 0]))
        policy.served(order[-1], [5, 0])

    assert (order.count(5), order.count(0)) == (6, 2)


def test_a_band_that_was_idle_gets_no_arrears():
    policy = WeightedBandPolicy(step=1.0)
    for _ in range(100):
        policy.served(5, [5])
    order = []
    for _ in range(4):
        order.append(policy.next_band([5, 0]))
        policy.served(order[-1], [5, 0])

    assert order.count(0) == 2


REFUSED = {
    "holdback below 0": (lambda: PriorityHoldbackPolicy(-0.1), "minCeiling"),
    "holdback of 1": (lambda: PriorityHoldbackPolicy(1.0), "minCeiling"),
    "a maximum that is no larger": (lambda: PriorityHoldbackPolicy(0.5, 0.5), "maxCeiling"),
    "a maximum above 1": (lambda: PriorityHoldbackPolicy(0.5, 1.1), "maxCeiling"),
    "a half-life of 0": (lambda: ProgramAwareFairness(las_half_life_seconds=0.0), "lasHalfLifeSeconds"),
    "a weight of 0": (lambda: WeightedBandPolicy({"1": 0.0}), "weights.1"),
    "a step below 1": (lambda: WeightedBandPolicy(step=0.5), "step"),
}


@pytest.mark.parametrize(("make", "place"), REFUSED.values(), ids=REFUSED)
def test_parameters_that_are_refused(make, place):
    with pytest.raises(InputError) as caught:
        make()

    assert caught.value.place == place

"""Load has limits."""

import pytest

from bayplan.routing.filters.utilization_filter import Condition, UtilizationFilter
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, refused_at

POOL = endpoints(
    {"waiting": 0, "running": 9, "kv_usage": 0.5, "inflight_requests": 3},
    {"waiting": 5, "running": 1, "kv_usage": 0.95, "inflight_requests": 0},
    {},
)


def limits(*conditions, **more):
    return UtilizationFilter(tuple(Condition(metric, most) for metric, most in conditions), **more)


CASES = {
    "waiting": (limits(("waiting-queue", 4)), {"a", "c"}),
    "the limit itself is allowed": (limits(("waiting-queue", 5)), {"a", "b", "c"}),
    "running": (limits(("running-requests", 2)), {"b", "c"}),
    "usage": (limits(("kv-cache-utilization", 0.9)), {"a", "c"}),
    "in flight": (limits(("active-requests", 2)), {"b", "c"}),
    "all of them": (limits(("waiting-queue", 4), ("running-requests", 2)), {"c"}),
    "unknown counts as 0": (limits(("waiting-queue", 0)), {"a", "c"}),
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "wanted"), CASES.values(), ids=CASES)
def test_mask(plugin, wanted):
    assert kept(plugin, POOL) == wanted
    assert codes(plugin, POOL) == {name: ["utilization"] for name in set(POOL.keys) - wanted}


def test_fallback():
    full = endpoints({"waiting": 9}, {"waiting": 8})

    assert kept(limits(("waiting-queue", 4)), full) == set()
    assert kept(limits(("waiting-queue", 4), fallback_on_empty=True), full) == {"a", "b"}


def test_what_is_refused():
    assert refused_at(UtilizationFilter, conditions=()) == "conditions"
    assert refused_at(Condition, metric="waiting-queue", max_value=-1) == "max_value"


def test_contract():
    keeps_its_promises(limits(("waiting-queue", 4), ("kv-cache-utilization", 0.9)), POOL)

"""Which server should grow for a model."""

import pytest

from bayplan.serving.planning.growth import Shortage
from unit.serving.builders import booking, model, planner, replica, server

LIMITS = {"min_replicas": 1, "max_replicas": 4}
GROWTH = {  # servers, bookings, model; server and replicas, or None
    "for the missing replicas": ([server("a", 2, **LIMITS)], [], {"replicas": 3}, ("a", 3)),
    "not above the maximum": ([server("a", 2, **LIMITS)], [], {"replicas": 9, "minimum": 1}, ("a", 4)),
    "not if the minimum is out of reach": ([server("a", 2, **LIMITS)], [], {"replicas": 9}, None),
    "no limits, no growth": ([server("a", 2)], [], {"replicas": 3}, None),
    "replicas that are expected are on their way": (
        [server("a", 2, expected=3, **LIMITS)], [], {"replicas": 3}, None,
    ),
    "an empty replica would be too small": ([server("a", 1, memory=5, **LIMITS)], [], {}, None),
    "memory that is not known": ([server("a", 1, memory=None, **LIMITS)], [], {}, None),
    "a capability that is missing": ([server("a", 1, capabilities=("onnx",), **LIMITS)], [], {}, None),
    "full replicas do not count": (
        [server("a", 2, **LIMITS)], [booking("wine", "a/0", memory=95)], {"replicas": 2}, ("a", 3),
    ),
    "draining replicas do not count": (
        [server("a", [replica(0), replica(1, draining=True)], **LIMITS)], [], {"replicas": 3, "minimum": 1}, ("a", 3),
    ),
    "where it is placed partly, and nowhere else": (
        [server("a", 2, memory=200), server("b", 1, **LIMITS)], [], {"replicas": 3, "minimum": 1}, None,
    ),
    "the current server first": (
        [server("a", 2, **LIMITS), server("b", 1, **LIMITS)], [booking(place="b/0")], {"replicas": 3}, ("b", 3),
    ),
    "a preloaded model asks for nothing": ([server("a", 1, **LIMITS)], [], {"preloaded": True}, None),
    "a pinned model asks its own": (
        [server("a", 1, **LIMITS), server("b", 1, **LIMITS)], [], {"replicas": 2, "server": "b"}, ("b", 2),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("servers", "bookings", "fields", "expected"), GROWTH.values(), ids=GROWTH)
def test_growth(servers, bookings, fields, expected):
    assert planner(servers, bookings).plan(model(**fields)).growth == expected


def test_servers_are_asked_in_their_order():
    made = planner([server("a", 1), server("b", 2), server("c", 2, memory=200), server("d", 1, shared=False)])
    plan = made.plan(model(replicas=5))
    found = Shortage(plan.model, plan.holdings, plan.refusals, None).asked(made.ledger)

    assert [book.server.name for book in found] == ["c", "b", "a"]

"""Servers grow for models, and shrink where replicas are empty."""

import pytest

from bayplan.serving.autoscaling.server_advice import PlannedModels, server_advice
from unit.serving.builders import booking, model, planner, replica, server

LIMITS = {"min_replicas": 1, "max_replicas": 5}


def advice(on, bookings=(), models=(), *, packing=False):
    planned = PlannedModels(planner([on], bookings))
    for each in models:
        planned.add(planned.planner.plan(each))
    planned.carry_out_removals()
    found = server_advice(planned.planner.ledger.servers[on.name], planned, packing=packing)
    return found.action, found.desired, found.reason


HELD = [booking(place="a/0", memory=10), booking("wine", "a/1", memory=10)]
CASES = {  # server, bookings, models; action, replicas, reason
    "being deleted": (server("a", 2, expected=0, **LIMITS), [], [], ("hold", 0, "server-deleted")),
    "no limits": (server("a", 2), [], [], ("hold", 2, "not-enabled")),
    "only a minimum": (server("a", 2, min_replicas=1), [], [], ("hold", 2, "not-enabled")),
    "below the minimum": (server("a", 1, min_replicas=3, max_replicas=5), [], [], ("up", 3, "bounds")),
    "above the maximum": (server("a", 7, **LIMITS), [], [], ("down", 5, "bounds")),
    "for a model": (server("a", 1, **LIMITS), [], [model(replicas=3)], ("up", 3, "models-short")),
    "for the largest": (
        server("a", 1, **LIMITS), [], [model(replicas=3), model("wine", replicas=2)], ("up", 3, "models-short"),
    ),
    "empty replicas": (server("a", 4, **LIMITS), HELD, [], ("down", 2, "empty-replicas")),
    "not below one": (server("a", 4, min_replicas=0, max_replicas=5), [], [], ("down", 1, "empty-replicas")),
    "not below the minimum": (server("a", 4, min_replicas=3, max_replicas=5), [], [], ("down", 3, "empty-replicas")),
    "nothing to do": (server("a", 2, **LIMITS), HELD, [], ("hold", 2, "steady")),
    "replicas are still to come": (server("a", 2, expected=4, **LIMITS), [], [], ("hold", 4, "settling")),
    "a model asks for it": (
        server("a", 5, **LIMITS), [], [model(replicas=9, minimum=1)], ("hold", 5, "steady"),
    ),
    "what is surplus is gone": (
        server("a", 2, **LIMITS), [booking(), booking(place="a/1")], [model()], ("down", 1, "empty-replicas"),
    ),
    "what is deleted is gone": (
        server("a", 2, **LIMITS), [booking(), booking(place="a/1")], [model(deleted=True)],
        ("down", 1, "empty-replicas"),
    ),
    "draining replicas are not empty ones": (
        server("a", [replica(0), replica(1, draining=True)], **LIMITS), [booking()], [], ("hold", 2, "steady"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("on", "bookings", "models", "expected"), CASES.values(), ids=CASES)
def test_advice(on, bookings, models, expected):
    assert advice(on, bookings, models) == expected


def test_a_model_that_asks_keeps_a_server_from_shrinking():
    """Half of the wanted replicas are placed, the rest of the server is full of what does not leave."""
    on = server("a", [replica(0), replica(1, 5), replica(2, 5)], min_replicas=1, max_replicas=3)

    assert advice(on, [], [model(replicas=2, minimum=1)]) == ("hold", 3, "settling")


def test_packing():
    held = [booking(str(n), f"a/{n}", memory=mib) for n, mib in enumerate((70, 50, 40, 20))]

    assert advice(server("a", 4, **LIMITS), held, packing=True) == ("down", 2, "packing")
    assert advice(server("a", 4, **LIMITS), held) == ("hold", 4, "steady")
    assert advice(server("a", 1, **LIMITS), held[:1], packing=True) == ("hold", 1, "steady")


def test_a_model_twice_in_a_call_is_removed_once():
    found = advice(server("a", 2, **LIMITS), [booking(), booking(place="a/1")], [model(), model()])

    assert found == ("down", 1, "empty-replicas")

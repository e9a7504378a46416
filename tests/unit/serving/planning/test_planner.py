"""Plans of models: verdicts, kept and added replicas, and booking them under a version."""

import pytest

from bayplan.cluster.serving_booking import LoadState
from bayplan.framework.errors import ConflictError
from bayplan.serving.planning.model_plan import RemovalReason
from unit.serving.builders import booking, key, model, planner, replica, server

VERDICTS = {  # servers, bookings, model; verdict, places
    "fits": ([server("a", 2)], [], {"replicas": 2}, "fits", {("a", 0), ("a", 1)}),
    "partly": ([server("a", 2)], [], {"replicas": 3, "minimum": 1}, "partly", {("a", 0), ("a", 1)}),
    "waiting": ([server("a", 1)], [booking("wine", memory=95)], {}, "waiting", set()),
    "infeasible": ([server("a", 1, memory=5)], [], {}, "infeasible", set()),
    "no server": ([], [], {}, "infeasible", set()),
    "none wanted": ([], [], {"replicas": 0}, "fits", set()),
    "being deleted": ([server("a")], [], {"deleted": True}, "fits", set()),
    "refused keeps what is there": (
        [server("a", 1)], [booking(), booking("wine", memory=90)], {"replicas": 2}, "infeasible", {("a", 0)},
    ),
    "kept without memory": ([server("a", 1)], [booking(memory=100)], {"memory": 100}, "fits", {("a", 0)}),
}  # fmt: skip


@pytest.mark.parametrize(("servers", "bookings", "fields", "verdict", "places"), VERDICTS.values(), ids=VERDICTS)
def test_verdicts(servers, bookings, fields, verdict, places):
    plan = planner(servers, bookings).plan(model(**fields))

    assert (plan.verdict, set(plan.places)) == (verdict, places)
    assert (plan.refusals is None) is (verdict == "fits")


def test_only_what_is_not_there_is_added():
    plan = planner([server("a", 3)], [booking(place="a/2")]).plan(model(replicas=2))

    assert (plan.places, plan.added) == ((("a", 2), ("a", 0)), (("a", 0),))


def test_booking_a_plan_takes_memory_and_tells_what_was_learnt():
    made = planner([server("a", 2)], [booking(place="a/1", state="unloaded", instances=2)])
    plan = made.plan(model(memory=20, dedicated=True))
    (added,) = made.book(plan)

    assert (added.state, added.memory_mib, added.instances, added.dedicated) == (LoadState.LOAD_REQUESTED, 40, 2, True)
    assert made.ledger.replica("a", 0).free_mib == 60


def test_two_models_never_book_the_same_memory():
    """Both are decided on the same version; the second one comes too late and decides again."""
    made = planner([server("a", 1)])
    first, second = (made.plan(model(name, memory=60)) for name in ("iris", "wine"))
    made.book(first)

    with pytest.raises(ConflictError, match="decide again"):
        made.book(second)
    assert made.plan(model("wine", memory=60)).verdict == "waiting"
    assert [each.key for each in made.ledger.bookings] == [key()]


def test_models_on_different_servers_do_not_disturb_each_other():
    made = planner([server("a", 1, capabilities=("x",)), server("b", 1, capabilities=("y",))])
    first, second = (made.plan(model(name, requirements=(name,))) for name in ("x", "y"))
    made.book(first)
    made.book(second)

    assert [each.server for each in made.ledger.bookings] == ["a", "b"]


DEDICATED = {  # bookings, whether the model is dedicated; the server that it gets
    "a server for itself": ([booking("wine", "a/0")], True, "b"),
    "away from a dedicated one": ([booking("wine", "a/0", dedicated=True)], False, "b"),
    "no longer there": ([booking("wine", "a/0", "unloaded", dedicated=True)], False, "a"),
    "its own bookings": ([booking(place="a/0", dedicated=True)], True, "a"),
    "dedicated by a booking elsewhere": (
        [booking("wine", "a/0"), booking("wine", "b/0", "load-failed", dedicated=True)], False, "b",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("bookings", "dedicated", "expected"), DEDICATED.values(), ids=DEDICATED)
def test_dedicated(bookings, dedicated, expected):
    made = planner([server("a", 1, memory=200), server("b", 1)], bookings)

    assert made.plan(model(dedicated=dedicated)).server == expected


REMOVALS = {  # bookings, model; reasons by place and version
    "surplus": ([booking(place="a/0"), booking(place="a/1")], {}, {("a", 1, 1): "surplus"}),
    "none wanted": ([booking()], {"replicas": 0}, {("a", 0, 1): "surplus"}),
    "moved": ([booking(place="b/0")], {"replicas": 2}, {("b", 0, 1): "moved"}),
    "draining": ([booking(place="a/2")], {}, {("a", 2, 1): "draining"}),
    "an older version": ([booking(), booking(version=2, place="a/1")], {}, {("a", 0, 1): "old-version"}),
    "deleted": ([booking(), booking(version=2)], {"deleted": True}, {("a", 0, 1): "deleted", ("a", 0, 2): "deleted"}),
    "preloaded": ([booking(), booking(place="a/1")], {"preloaded": True}, {}),
    "what leaves already": ([booking(state="draining"), booking(place="a/1")], {}, {}),
    "twice on one replica": ([booking(), booking(state="loading")], {}, {("a", 0, 1): "surplus"}),
    "a version above the one that is meant": ([booking(version=3)], {"version": 2}, {}),
}  # fmt: skip


@pytest.mark.parametrize(("bookings", "fields", "expected"), REMOVALS.values(), ids=REMOVALS)
def test_removals(bookings, fields, expected):
    servers = [server("a", [replica(0), replica(1), replica(2, draining=True)]), server("b", 1)]
    plan = planner(servers, bookings).plan(model(**fields))

    assert {
        (each.model.server, each.model.index, each.model.version): each.reason for each in plan.removals
    } == expected
    assert all(isinstance(each.reason, RemovalReason) for each in plan.removals)


def test_equal_questions_about_the_empty_cluster_are_asked_once(monkeypatch):
    made = planner([server("a", 1)], [booking("wine", memory=95)])
    asked = []
    decide = made.decider.decide
    monkeypatch.setattr(made.decider, "decide", lambda *args, **more: asked.append(args[2]) or decide(*args, **more))
    for name in ("x", "y", "z"):
        assert made.plan(model(name), reasons=False).verdict == "waiting"

    assert sum(each is made.ledger.emptied for each in asked) == 1
    made.ledger.connect("a", replica(5, 5))
    assert made.plan(model("x"), reasons=False).verdict == "waiting"

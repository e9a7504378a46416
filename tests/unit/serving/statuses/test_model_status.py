"""The state of a model: the first row of the table that holds."""

import pytest

from bayplan.serving.statuses.model_status import model_status
from unit.serving.builders import booking, model, planner, server

SERVERS = [server("a", 3), server("b", 1)]
STATES = {  # bookings, model; state, reason
    "all available": ([booking(), booking(place="a/1")], {"replicas": 2}, "ModelAvailable", None),
    "available though a load failed elsewhere": (
        [booking(), booking(place="a/1", state="load-failed")], {}, "ModelAvailable", None,
    ),
    "a failed load": ([booking(state="load-failed")], {}, "ModelFailed", None),
    "loaded and not reachable": ([booking(state="loaded-unavailable")], {}, "ModelFailed", None),
    "failed above the minimum": (
        [booking(), booking(place="a/1", state="load-failed")], {"replicas": 2, "minimum": 1}, "ModelFailed", None,
    ),
    "none wanted": ([], {"replicas": 0}, "ModelScaledDown", None),
    "none wanted, one there": ([booking()], {"replicas": 0}, "ModelProgressing", None),
    "the minimum is there": ([booking()], {"replicas": 2, "minimum": 1}, "ModelAvailable", None),
    "fewer than the minimum": ([booking()], {"replicas": 3, "minimum": 2}, "ModelProgressing", None),
    "beside an older version that serves": (
        [booking(place="b/0"), booking(version=2)], {"replicas": 2}, "ModelAvailable", None,
    ),
    "loading": ([booking(state="loading")], {}, "ModelProgressing", None),
    "preloaded and awaited": ([], {"preloaded": True}, "ModelProgressing", "preloaded-awaited"),
    "preloaded on too few": ([booking(state="loading")], {"preloaded": True, "replicas": 2}, "ScheduleFailed",
                             "replicas-short"),
    "too few replicas": ([], {"replicas": 9}, "ScheduleFailed", "replicas-short"),
    "too little memory": ([], {"memory": 500}, "ScheduleFailed", "replicas-short"),
    "no server can run it": ([], {"requirements": ("onnx",)}, "ScheduleFailed", "no-matching-server"),
    "no server may": ([], {"server": "z"}, "ScheduleFailed", "no-matching-server"),
    "being deleted": ([booking(), booking(version=2, state="unload-requested")], {"deleted": True},
                      "ModelTerminating", None),
    "deleted": ([booking(state="unloaded")], {"deleted": True}, "ModelTerminated", None),
    "cannot be unloaded": ([booking(state="unload-failed"), booking(version=2)], {"deleted": True},
                           "ModelTerminateFailed", None),
}  # fmt: skip


@pytest.mark.parametrize(("bookings", "fields", "state", "reason"), STATES.values(), ids=STATES)
def test_states(bookings, fields, state, reason):
    found = model_status(planner(SERVERS, bookings).plan(model(**fields)))

    assert (found.state, found.reason) == (state, reason)
    assert found.ready is (state == "ModelAvailable")


SCHEDULED = {
    "fully": ([booking()], {}, "fully"),
    "partially": ([booking()], {"replicas": 2, "minimum": 1}, "partially"),
    "not": ([], {"memory": 500}, "not"),
    "on its way": ([booking(state="loading")], {}, None),
}


@pytest.mark.parametrize(("bookings", "fields", "scheduled"), SCHEDULED.values(), ids=SCHEDULED)
def test_scheduled(bookings, fields, scheduled):
    assert model_status(planner(SERVERS, bookings).plan(model(**fields))).scheduled == scheduled


def test_counts_are_of_this_version():
    bookings = [
        booking(version=1), booking(version=2), booking(version=2, place="a/1", state="loading"),
        booking(version=2, place="a/2", state="draining"),
    ]  # fmt: skip
    found = model_status(planner(SERVERS, bookings).plan(model(replicas=3)))

    assert (found.replicas, found.available_replicas, found.server) == (2, 1, "a")
    assert found.versions == ((1, "ModelTerminating"),)

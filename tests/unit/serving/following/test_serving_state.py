"""Events in, bookings kept, actions out: what a controller relies on."""

import pytest

from bayplan.cluster.serving_booking import LoadState
from bayplan.framework.errors import InputError
from unit.serving.builders import booking, key, model, replica, server, state


def states(found, name="iris"):
    return {f"v{each.version} {each.server}/{each.index}": each.state for each in found.ledger.of(key(name))}


def told(actions):
    return [f"{each.kind} {each.key} v{each.version} {each.server}/{each.replica}" for each in actions]


def test_a_model_is_placed_loaded_and_available():
    found = state([server("a", 2)])

    assert told(found.apply(model(replicas=2))) == ["load iris v1 a/0", "load iris v1 a/1"]
    assert found.loaded(key(), "a", 0) == []
    assert states(found) == {"v1 a/0": "available", "v1 a/1": "load-requested"}
    assert found.apply(model(replicas=2)) == [], "the same again changes nothing"


def test_a_changed_model_is_a_new_version_beside_the_old_one():
    found = state([server("a", 2)])
    found.apply(model())
    found.settle()

    assert told(found.apply(model(memory=20))) == ["load iris v2 a/1"]
    assert told(found.loaded(key(), "a", 1)) == ["unload iris v1 a/0"]
    assert states(found) == {"v1 a/0": "unload-requested", "v2 a/1": "available"}


def test_what_was_still_loading_is_taken_back():
    found = state([server("a", 2)])
    found.apply(model())

    assert told(found.apply(model(memory=20))) == ["unload iris v1 a/0", "load iris v2 a/1"]


def test_scaling_is_no_new_version():
    found = state([server("a", 3)])
    found.apply(model(replicas=1))
    spec = {"storageUri": "gs://models/iris", "memory": 10, "replicas": 3}

    assert told(found.apply(model(replicas=3, spec=spec))) == ["load iris v1 a/1", "load iris v1 a/2"]
    assert told(found.apply(model(replicas=1))) == ["unload iris v1 a/1", "unload iris v1 a/2"]


def test_freed_memory_is_a_retry_in_the_order_of_application():
    found = state([server("a", 1)])
    for name in ("iris", "wine", "mnist"):
        found.apply(model(name, memory=60))
    found.settle()
    found.delete(key())

    assert told(found.unloaded(key(), "a", 0)) == ["load wine v1 a/0"]
    assert states(found, "mnist") == {}


def test_a_new_replica_is_a_retry():
    found = state([server("a", 0)])

    assert found.apply(model()) == []
    assert told(found.replica_up("a", replica(4))) == ["load iris v1 a/4"]


def test_models_of_a_replica_that_fails_are_placed_again():
    found = state([server("a", 2), server("b", 1)])
    for name in ("iris", "wine"):
        found.apply(model(name))
    found.settle()

    assert told(found.replica_down("a", 0)) == ["load iris v1 b/0"]
    assert [each.place for each in found.ledger.bookings] == [("a", 1), ("b", 0)]


def test_a_draining_replica_serves_until_its_successor_does():
    found = state([server("a", 2)])
    found.apply(model())
    found.settle()

    assert told(found.drain("a", 0)) == ["load iris v1 a/1"]
    assert found.infer(key()).model.index == 0
    assert told(found.loaded(key(), "a", 1)) == ["unload iris v1 a/0"]
    assert found.infer(key()).model.index == 1


def test_a_load_that_fails_moves_on_and_is_tried_again_after_a_tick():
    found = state([server("a", 1)])
    found.apply(model())

    assert found.load_failed(key(), "a", 0) == []
    assert states(found) == {"v1 a/0": "load-failed"}
    assert told(found.tick()) == ["load iris v1 a/0"]


def test_an_unload_that_fails_is_tried_again_after_a_tick():
    found = state([server("a", 1)])
    found.apply(model())
    found.settle()
    found.delete(key())

    assert found.unload_failed(key(), "a", 0) == []
    assert told(found.tick()) == ["unload iris v1 a/0"]


def test_a_deleted_model_may_come_back_once_it_is_gone():
    found = state([server("a", 1)])
    found.apply(model())
    found.settle()
    assert told(found.delete(key())) == ["unload iris v1 a/0"]

    with pytest.raises(InputError, match="being deleted and still loaded"):
        found.apply(model())
    found.unloaded(key(), "a", 0)
    assert told(found.apply(model())) == ["load iris v1 a/0"]


def test_a_document_that_is_being_deleted_is_not_placed():
    found = state([server("a", 1)], [booking()])

    assert told(found.apply(model(deleted=True))) == ["unload iris v1 a/0"]


def test_preloaded_models_are_never_touched():
    found = state([server("a", 2)], [booking(), booking(place="a/1", state="loading")])
    steps = [
        found.apply(model(preloaded=True, replicas=1)),
        found.apply(model(preloaded=True, replicas=0, memory=99)),
        found.drain("a", 0),
        found.delete(key()),
    ]

    assert steps == [[], [], [], []]
    assert states(found) == {"v1 a/0": "available", "v1 a/1": "loading"}


def test_a_dedicated_model_sends_others_away():
    """A new version that shares with nobody is placed elsewhere; who still shares its old server has to move."""
    found = state([server("a", 1, memory=300), server("b", 1), server("c", 1)])
    for name in ("iris", "wine"):
        found.apply(model(name))
    found.settle()

    assert told(found.apply(model(dedicated=True, memory=11))) == ["load iris v2 b/0", "load wine v1 c/0"]


WRONG = {
    "a load that nobody asked for": lambda found: found.loaded(key(), "a", 0),
    "an unload that nobody asked for": lambda found: found.unloaded(key(), "a", 0),
    "a model that was never applied": lambda found: found.delete(key("wine")),
    "a request for a model that nobody knows": lambda found: found.infer(key("wine")),
    "a request to a replica that is not there": lambda found: found.infer(key(), "a", 7),
    "a request to a server that is not there": lambda found: found.infer(key(), "z"),
    "a server that is not there": lambda found: found.replica_up("z", replica(0)),
}


@pytest.mark.parametrize("event", WRONG.values(), ids=WRONG)
def test_wrong_events_change_nothing(event):
    found = state([server("a", 1)], [booking()])
    found.apply(model())
    before = states(found)

    with pytest.raises(InputError):
        event(found)
    assert states(found) == before


def test_who_serves_a_request():
    bookings = [
        booking(place="b/0"), booking(place="a/1"), booking(place="a/0", version=2, state="draining"),
        booking("wine", state="loading"),
    ]  # fmt: skip
    found = state([server("a", 2), server("b", 1)], bookings)

    assert found.infer(key()).model.place == ("a", 1), "available before draining, then by server and index"
    assert found.infer(key(), "b").model.place == ("b", 0)
    assert found.infer(key(), "a", 0).model.version == 2
    assert found.infer(key("wine")).model is None


def test_requests_bring_models_back_into_memory():
    overcommitted = server("a", [replica(0, 100, overcommit_percent=100)])
    found = state([overcommitted])
    for name in ("iris", "wine", "mnist"):
        found.apply(model(name, memory=60))
    found.settle()

    assert [each.key.name for each in found.ledger.bookings] == ["iris", "wine", "mnist"]
    assert [each.key.name for each in found.ledger.bookings if each in found.residency] == ["mnist"]
    assert [each.key.name for each in found.infer(key()).evicted] == ["mnist"]


def test_everything_may_be_decided_anew():
    found = state([server("a", 1)])
    found.apply(model())

    assert found.reconsider_all() == []
    assert [each.state for each in found.ledger.bookings] == [LoadState.LOAD_REQUESTED]


def test_a_model_that_waits_costs_nothing_while_nothing_is_freed(monkeypatch):
    found = state([server("a", 2)])
    for name in ("x", "y"):
        found.apply(model(name, memory=500))
    asked = []
    plan = found.planner.plan
    monkeypatch.setattr(
        found.planner, "plan", lambda *args, **more: asked.append(args[0].key.name) or plan(*args, **more)
    )
    found.apply(model())
    found.loaded(key(), "a", 0)
    assert asked == ["iris", "iris"]

    found.replica_up("a", replica(7))
    assert asked[2:] == ["x", "y"]

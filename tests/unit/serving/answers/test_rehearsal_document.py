"""The state after a step."""

from dataclasses import replace

from bayplan.cluster.identity import WorkloadKey
from bayplan.serving.answers.rehearsal_document import step_document
from unit.serving.builders import key, model, server, state


def test_a_step():
    found = state([server("a", 1)])
    found.apply(model())
    found.settle()
    document = step_document(found, found.infer(key()))

    (booking,) = document["bookings"]
    assert (booking["state"], booking["resident"], booking["memory"]) == ("available", True, 10)
    assert document["models"]["iris"]["state"] == "ModelAvailable"
    assert (document["served"], document["served_by"]) == (True, {"server": "a", "serverReplica": 0, "version": 1})


def test_nobody_serves():
    found = state([server("a", 1)])
    found.apply(model())

    assert step_document(found, found.infer(key()))["served"] is False
    assert step_document(found, None)["served"] is None


def test_models_of_one_name_are_told_apart():
    found = state([server("a", 1)])
    found.apply(model())
    found.apply(replace(model(), key=WorkloadKey("other", "iris")))

    assert list(step_document(found, None)["models"]) == ["default/iris", "other/iris"]

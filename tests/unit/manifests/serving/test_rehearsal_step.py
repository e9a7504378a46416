"""Steps of a rehearsal: one event each, and what is wrong with others."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.serving.rehearsal_step import read_step
from unit.manifests.opened import opened
from unit.serving.builders import booking, key, model, server, state

MODEL = {"metadata": {"name": "iris"}, "spec": {"storageUri": "x", "memory": "1Mi"}}
WRONG = {
    "no event": ({}, "doc", "a step is one event"),
    "two events": ({"tick": {}, "settle": {}}, "doc", "not 2"),
    "an unknown one": ({"tock": {}}, "doc", "did you mean 'tick'?"),
    "a wrong model": ({"apply": {"metadata": {"name": "a"}}}, "apply.spec", "no spec"),
    "another kind": ({"apply": {**MODEL, "kind": "Server"}}, "apply.kind", "'Server'"),
    "another group": ({"apply": {**MODEL, "apiVersion": "neuronetes.io/v1alpha1"}}, "apply.kind", "neuronetes"),
    "no index": ({"drain": {"server": "a"}}, "drain.index", "is missing"),
    "under do": ({"do": {"drain": {"server": "a"}}}, "do.drain.index", "is missing"),
    "no name": ({"delete": ""}, "delete", "empty"),
}


@pytest.mark.parametrize(("given", "place", "says"), WRONG.values(), ids=WRONG)
def test_wrong_steps(given, place, says):
    with pytest.raises(InputError) as caught:
        read_step(opened(given))

    assert place in caught.value.place
    assert says in str(caught.value)


def test_events_happen_to_the_state():
    found = state([server("a", 1)])
    steps = (
        {"do": {"apply": MODEL}, "expect": {}}, {"loaded": {"model": "iris", "server": "a", "index": 0}},
        {"replica-up": {"server": "a", "index": 1, "memory": 5}}, {"drain": {"server": "a", "index": 0}}, {"tick": {}},
        {"settle": {}}, {"replica-down": {"server": "a", "index": 0}}, {"delete": "default/iris"},
    )  # fmt: skip
    for step in steps:
        assert read_step(opened(step))(found) is None

    assert found.models[key()].model.deleted
    assert found.ledger.replica("a", 1).replica.capabilities == ("sklearn",), "as the server says"


def test_requests_are_answered():
    found = state([server("a", 1)], [booking()])

    assert read_step(opened({"infer": {"model": "iris"}}))(found).model.index == 0


def test_models_of_one_name_must_be_told_apart():
    found = state([server("a", 1)], [booking(), booking(namespace="other")])

    with pytest.raises(InputError, match="2 models are called 'iris'"):
        read_step(opened({"infer": {"model": "iris"}}))(found)
    assert read_step(opened({"infer": {"model": "other/iris"}}))(found).model.key.namespace == "other"


def test_a_wrong_replica_is_told_when_it_connects():
    found = state([server("a", 1)])
    found.apply(model())

    with pytest.raises(InputError, match="is negative"):
        read_step(opened({"replica-up": {"server": "a", "index": 1, "memory": -5}}))(found)

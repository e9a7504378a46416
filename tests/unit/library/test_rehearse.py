"""`bayplan.rehearse`: steps in, states out, and places of what is wrong."""

import pytest

import bayplan
from bayplan.framework.errors import InputError
from bayplan.manifests.reader import read_text

MODEL = {
    "apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": "iris"},
    "spec": {"storageUri": "x", "memory": "10Mi"},
}  # fmt: skip
CLUSTER = {"servers": [{"name": "a", "memory": "50Mi"}]}


def test_a_state_after_each_step():
    found = bayplan.rehearse([{"apply": MODEL}, {"settle": {}}], CLUSTER)

    assert found["kind"] == "Rehearsal"
    assert [step["bookings"][0]["state"] for step in found["steps"]] == ["load-requested", "available"]
    assert [step["models"]["iris"]["state"] for step in found["steps"]] == ["ModelProgressing", "ModelAvailable"]


@pytest.mark.parametrize(
    "steps", [{"steps": [{"do": {"apply": MODEL}}]}, [{"do": {"apply": MODEL}}], ({"apply": MODEL},)]
)
def test_forms_of_steps(steps):
    assert len(bayplan.rehearse(steps, CLUSTER)["steps"]) == 1


def test_places_in_a_file():
    (document,) = read_text("steps:\n- do: {tick: {}}\n- do: {drain: {server: z, index: 0}}\n", "steps.yaml")

    with pytest.raises(InputError) as caught:
        bayplan.rehearse(document, CLUSTER)
    assert caught.value.place.startswith("steps.yaml:3: steps[1]")


WRONG = {
    "text": ("tick", "steps"),
    "a number": (7, "steps"),
    "steps that are no list": ({"steps": "tick"}, "steps"),
    "a step that is no mapping": ([{"tick": {}}, "tick"], "steps[1]"),
    "something that is not there": ([{"tick": {}}, {"delete": "wine"}], "steps[1]"),
}


@pytest.mark.parametrize(("steps", "place"), WRONG.values(), ids=WRONG)
def test_wrong_steps(steps, place):
    with pytest.raises(InputError) as caught:
        bayplan.rehearse(steps, CLUSTER)

    assert place in caught.value.place

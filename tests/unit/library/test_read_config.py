"""`bayplan.read_config`: the native form of every scheduler's configuration."""

import json

import pytest

import bayplan
from bayplan.manifests.reader import read_text

PLACEMENT = {
    "scheduler": "placement",
    "plugins": [{"type": "binpack"}, {"type": "max-score"}, {"type": "sample"}],
    "schedulingProfiles": [{"name": "pack", "plugins": [{"pluginRef": "binpack"}, {"pluginRef": "max-score"}]}],
}
PICKER = {
    "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
    "kind": "EndpointPickerConfig",
    "plugins": [{"type": "queue-scorer"}],
}


@pytest.mark.parametrize(
    "document", [PLACEMENT, PICKER, {"scheduler": "routing"}], ids=["placement", "picker", "routing"]
)
def test_the_answer_is_a_configuration_too(document):
    found = bayplan.read_config(document)

    assert found["kind"] == "SchedulerConfig"
    assert json.loads(json.dumps(found)) == found
    assert bayplan.read_config(found) | {"warnings": []} == found | {"warnings": []}


def test_placement_is_filled_in():
    found = bayplan.read_config(PLACEMENT)

    assert found["profileHandler"] == {"pluginRef": "fit-tiers"}
    assert "gpu-fit" in [each["pluginRef"] for each in found["schedulingProfiles"][0]["plugins"]]
    assert any("'sample' is not used" in each for each in found["warnings"])


def test_serving_is_read():
    picker = {"type": "max-score"}
    profile = {"name": "all", "plugins": [{"pluginRef": "max-score"}]}
    found = bayplan.read_config({"scheduler": "serving", "plugins": [picker], "schedulingProfiles": [profile]})

    assert found["scheduler"] == "serving"


def test_warnings_are_sentences():
    (warning,) = bayplan.read_config(PICKER)["warnings"]

    assert warning.startswith("apiVersion: ")
    assert "deprecated" in warning


WRONG = {
    "routing": ({**PICKER, "plugins": [{"type": "queue"}, {"type": "kv"}]}, "plugins[0].type", "and 1 more"),
    "placement": ({**PLACEMENT, "plugins": []}, "schedulingProfiles[0].plugins[0].pluginRef", "'binpack'"),
    "another kind": ({"kind": "Workload"}, "kind", "'Workload'"),
}


@pytest.mark.parametrize(("document", "place", "words"), WRONG.values(), ids=WRONG)
def test_the_first_problem_is_raised(document, place, words):
    with pytest.raises(bayplan.BayplanError, match=words) as caught:
        bayplan.read_config(document)

    assert caught.value.place == place


@pytest.mark.parametrize("document", [None, "text", [], [PICKER, PICKER]], ids=["nothing", "a text", "none", "two"])
def test_what_is_no_configuration(document):
    with pytest.raises(bayplan.BayplanError):
        bayplan.read_config(document)


def test_problems_of_text_know_their_lines():
    (document,) = read_text(b"kind: EndpointPickerConfig\nplugins:\n- type: what\n", "x.yaml")

    with pytest.raises(bayplan.BayplanError) as caught:
        bayplan.read_config(document)
    assert caught.value.place == "plugins[0].type (line 3)"

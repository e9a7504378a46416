"""Validation: everything that is wrong with any document, at once."""

from __future__ import annotations

import pytest

import bayplan
from bayplan.manifests.reader import read_text

OURS = {"metadata": {"name": "w"}, "spec": {"gpus": {"count": 1}}}
POOL = {
    "apiVersion": "neuronetes.io/v1alpha1",
    "kind": "AgentPool",
    "metadata": {"name": "p"},
    "spec": {"agentClassRef": {"name": "c"}, "minReplicas": 1, "maxReplicas": 2, "gpuRequirements": {"count": 1}},
}
CLASS = {"kind": "AgentClass", "metadata": {"name": "c"}, "spec": {"modelRef": {"name": "m"}}}
CONFIG = {
    "plugins": [{"type": "single-profile"}, {"type": "max-score"}],
    "schedulingProfiles": [{"name": "p", "plugins": [{"pluginRef": "max-score"}]}],
}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
PICKER = {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig", "plugins": [{"type": "queue-scorer"}]}

VALID = {
    "nothing": [],
    "one of ours": OURS,
    "a pool and its class": [POOL, CLASS],
    "a class alone": [CLASS],
    "a cluster": {"workers": [{"name": "a"}]},
    "a config": CONFIG,
    "a node": NODE,
    "a picker's config": PICKER,
    "a picker's config as an object": PICKER | {"metadata": {"name": "c", "namespace": "n"}},
    "a picker's config without a version": {"kind": "EndpointPickerConfig"},
    "a config of routing": {"scheduler": "routing"},
}


@pytest.mark.parametrize("documents", VALID.values(), ids=VALID)
def test_valid(documents):
    found = bayplan.validate(documents)

    assert (found["valid"], found["errors"]) == (True, [])


PROFILE_PROBLEMS = ["documents: schedulingProfiles[0].name", "documents: schedulingProfiles[0].plugins"]
WRONG = {
    "a workload": ({"metadata": {"name": "w"}, "spec": {"replicas": -1}}, ["documents: spec.replicas"]),
    "a cluster": ({"workers": [{"ram": "x"}]}, ["documents: workers[0].name", "documents: workers[0].ram"]),
    "a config": ({"schedulingProfiles": [{"plugins": 5}]}, PROFILE_PROBLEMS),
    "a picker's config": (
        PICKER | {"plugins": [{"type": "queue"}], "warp": 1, "featureGates": ["x"]},
        ["documents: plugins[0].type", "documents: warp", "documents: featureGates[0]"],
    ),
    "a picker's config of another group": (PICKER | {"apiVersion": "example.com/v1"}, ["documents: apiVersion"]),
    "a picker's config as an object without a name": (PICKER | {"metadata": {}}, ["documents: metadata.name"]),
    "a config of routing": ({"scheduler": "routing", "plugins": [{"type": "binpack"}]}, ["documents: plugins[0].type"]),
    "a node": ([NODE | {"status": []}], ["documents[0]: status"]),
    "a node of a list": ({"kind": "List", "items": [NODE | {"status": []}]}, ["documents: items[0]: status"]),
    "nobody knows what": ([{"foo": 1}], ["documents[0]"]),
    "no document": ([None, "text", 5], ["documents[0]", "documents[1]", "documents[2]"]),
    "another kind": ([{"kind": "Service"}], ["documents[0]: kind"]),
    "several documents": (
        [OURS, {"metadata": {}, "spec": {"cpu": "x"}}, POOL, {"kind": "Model", "metadata": {"name": "m"}, "spec": {}}],
        [
            "documents[1]: metadata.name",
            "documents[1]: spec.cpu",
            "documents[3]: spec.weightsURI",
            "documents[3]: spec.size",
        ],
    ),
}


@pytest.mark.parametrize(("documents", "places"), WRONG.values(), ids=WRONG)
def test_wrong(documents, places):
    found = bayplan.validate(documents)

    assert found["valid"] is False
    assert [each["place"] for each in found["errors"]] == places


def test_an_error_says_what_to_do():
    (error,) = bayplan.validate({"metadata": {"name": "w"}, "spec": {"strategy": [1]}})["errors"]

    assert error == {
        "place": "documents: spec.strategy",
        "message": "a list of 1 is no text",
        "next": "put it in quotes",
    }


def test_warnings_are_no_errors():
    found = bayplan.validate({"metadata": {"name": "w"}, "spec": {"replcas": 1}})

    assert found["valid"] is True
    assert found["warnings"] == [
        "documents: spec.replcas: there is no such field, so it is ignored; did you mean 'replicas'?"
    ]


def test_lines_of_a_file():
    found = bayplan.validate(read_text("metadata: {name: w}\nspec:\n  replicas: many\n", "w.yaml"))

    assert found["errors"][0]["place"] == "w.yaml:3: spec.replicas"


def test_no_document_at_all():
    with pytest.raises(bayplan.BayplanError, match="is no document"):
        bayplan.validate("w.yaml")

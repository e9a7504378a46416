"""Models of Seldon: what they ask for, and what is refused."""

from __future__ import annotations

import pytest

from bayplan.manifests.serving.seldon_model import collect_seldon_model
from unit.manifests.opened import opened, places

URI = {"storageUri": "gs://models/iris", "memory": "1Mi"}


def model(spec, name="iris", **metadata):
    return opened({"metadata": {"name": name, **metadata}, "spec": spec})


WRONG = {
    "no spec": (None, "iris", ["spec"]),
    "no uri": ({"memory": "1Mi"}, "iris", ["spec.storageUri"]),
    "an empty uri": (URI | {"storageUri": ""}, "iris", ["spec.storageUri"]),
    "a name with a dot": (URI, "a.b", ["metadata.name"]),
    "a name with a line": (URI, "id1_node", ["metadata.name"]),
    "a name in capitals": (URI, "Iris", ["metadata.name"]),
    "negative memory": (URI | {"memory": "-1Gi"}, "iris", ["spec.memory"]),
    "an explainer of a language model": (URI | {"explainer": {"type": "a"}, "llm": {}}, "iris", ["spec.llm"]),
    "a parameter without a value": (URI | {"parameters": [{"name": "a"}]}, "iris", ["spec.parameters[0].value"]),
    "everything at once": (
        {"replicas": -1, "requirements": "sklearn", "logger": {"percent": 200}},
        "iris",
        ["spec.storageUri", "spec.logger.percent", "spec.requirements", "spec.replicas"],
    ),
}


@pytest.mark.parametrize(("spec", "name", "where"), WRONG.values(), ids=WRONG)
def test_wrong_models(spec, name, where):
    fields = model(spec, name)
    collect_seldon_model(fields)

    assert places(fields) == where


def test_every_field_of_a_model_is_known():
    spec = URI | {
        "modelType": "sklearn", "artifactVersion": 2, "schemaUri": "gs://s", "secretName": "key",
        "requirements": ["sklearn"], "replicas": 1, "minReplicas": 0, "maxReplicas": 0, "server": "mlserver",
        "preloaded": False, "dedicated": True, "logger": {"percent": 50}, "parameters": [{"name": "a", "value": "b"}],
        "explainer": {"type": "anchor_tabular", "modelRef": "income"}, "dataflow": {"cleanTopicsOnDelete": True},
    }  # fmt: skip
    fields = model(spec)
    collect_seldon_model(fields)

    assert (places(fields), fields.findings.warnings, fields.findings.ignored) == ([], [], [])


def test_missing_memory_is_told():
    fields = model({"storageUri": "gs://x"})

    assert collect_seldon_model(fields).memory_mib == 0
    assert "memory" in fields.findings.warnings[0]


def test_a_field_that_does_not_exist_is_told():
    fields = model(URI | {"storageSecretName": "key"})
    collect_seldon_model(fields)

    assert "storageSecretName" in fields.findings.warnings[0]


READ = {  # spec beside the usual, attribute, value
    "requirements and then the type": (
        {"requirements": [" sklearn", "", "a", "a"], "modelType": "b"}, "requirements", ("sklearn", "a", "b"),
    ),
    "a type among the requirements": ({"requirements": ["a"], "modelType": "a"}, "requirements", ("a",)),
    "bare numbers are bytes, rounded up": ({"memory": 2**20 + 1}, "memory_mib", 2),
    "a minimum is the number of replicas": ({"minReplicas": 3}, "replicas", 3),
    "no limit": ({"maxReplicas": 0}, "maximum", None),
    "an empty pin is none": ({"server": " "}, "server", None),
    "a pin": ({"server": "mlserver"}, "server", "mlserver"),
    "an explainer": ({"explainer": {"type": "a"}}, "explainer", True),
    "an explainer's requirement": ({"explainer": {"type": "a"}}, "all_requirements", ("alibi-explain",)),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "attribute", "value"), READ.values(), ids=READ)
def test_what_is_read(spec, attribute, value):
    assert getattr(collect_seldon_model(model(URI | spec)), attribute) == value


VERSIONS = {
    "none": ({}, None, []),
    "text": ({"bayplan.io/version": "3"}, 3, []),
    "a number": ({"bayplan.io/version": 3}, 3, []),
    "words": ({"bayplan.io/version": "three"}, None, ["metadata.annotations['bayplan.io/version']"]),
    "zero": ({"bayplan.io/version": "0"}, None, ["metadata.annotations['bayplan.io/version']"]),
}


@pytest.mark.parametrize(("annotations", "version", "where"), VERSIONS.values(), ids=VERSIONS)
def test_the_version(annotations, version, where):
    fields = model(URI, annotations=annotations)

    assert (collect_seldon_model(fields).version, len(places(fields))) == (version, len(where))


def test_a_model_that_is_being_deleted_wants_no_replica():
    deleted = collect_seldon_model(model(URI, deletionTimestamp="2026-01-01T00:00:00Z"))

    assert (deleted.deleted, deleted.desired, deleted.least) == (True, 0, 0)

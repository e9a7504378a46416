"""Models and servers of Seldon: what is refused, and how many replicas are wanted."""

from __future__ import annotations

import pytest

from bayplan.manifests.serving.seldon import (
    ReplicaRange,
    collect_seldon_model,
    collect_seldon_server,
    collect_seldon_server_config,
)
from unit.manifests.opened import opened, places

URI = {"storageUri": "gs://models/iris", "memory": "1Mi"}


def model(spec, name="iris"):
    return opened({"metadata": {"name": name}, "spec": spec})


# replicas, minReplicas, maxReplicas; how many are wanted, or the field that is wrong
SCALING = {
    "nothing given": ((None, None, None), 1),
    "replicas alone": ((2, None, None), 2),
    "no replicas": ((0, None, None), 0),
    "a minimum alone": ((None, 3, None), 3),
    "a minimum of 0": ((None, 0, None), 1),
    "a maximum alone": ((None, None, 4), 1),
    "within both": ((2, 1, 3), 2),
    "at the minimum": ((1, 1, 3), 1),
    "at the maximum": ((3, 1, 3), 3),
    "a maximum of 0 is none": ((9, 1, 0), 9),
    "below the minimum": ((1, 2, 3), "spec.replicas"),
    "above the maximum": ((4, 1, 3), "spec.replicas"),
    "the limits cross": ((3, 3, 2), "spec.minReplicas"),
}


@pytest.mark.parametrize(("given", "wanted"), SCALING.values(), ids=SCALING)
@pytest.mark.parametrize("collect", [collect_seldon_model, collect_seldon_server], ids=["model", "server"])
def test_replicas(collect, given, wanted):
    replicas = dict(zip(("replicas", "minReplicas", "maxReplicas"), given, strict=True))
    fields = model({**(URI if collect is collect_seldon_model else {"serverConfig": "mlserver"}), **replicas})
    found = collect(fields)

    if isinstance(wanted, str):
        assert places(fields) == [wanted]
    else:
        assert (places(fields), found.wanted) == ([], wanted)


def test_the_range():
    assert collect_seldon_model(model(URI | {"minReplicas": 2, "maxReplicas": 4})) == ReplicaRange(2, 2, 4)


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
        ["spec.storageUri", "spec.requirements", "spec.logger.percent", "spec.replicas"],
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
    collect_seldon_model(fields)

    assert "memory" in fields.findings.warnings[0]


SERVERS = {
    "no config": ({"replicas": 1}, ["spec.serverConfig"]),
    "no Pods": ({"serverConfig": "mlserver", "podSpec": None}, []),
    "unreadable requests": (
        {"serverConfig": "m", "podSpec": {"containers": [{"resources": {"requests": {"memory": "much"}}}]}},
        ["spec.podSpec.containers[0].resources.requests.memory"],
    ),
    "capabilities": ({"serverConfig": "m", "capabilities": "sklearn"}, ["spec.capabilities"]),
}


@pytest.mark.parametrize(("spec", "where"), SERVERS.values(), ids=SERVERS)
def test_servers(spec, where):
    fields = model(spec, "mlserver")
    collect_seldon_server(fields)

    assert places(fields) == where


def test_server_configs():
    fields = model({"podSpec": {"containers": []}, "volumeClaimTemplates": [{"name": "models", "spec": {}}]})
    collect_seldon_server_config(fields)
    assert places(fields) == []

    fields = model({"podSpecs": {}})
    collect_seldon_server_config(fields)
    assert places(fields) == ["spec.podSpec"]

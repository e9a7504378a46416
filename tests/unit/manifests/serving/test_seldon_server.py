"""Servers of Seldon and their configurations: what they offer together."""

from __future__ import annotations

import pytest

from bayplan.manifests.serving.seldon_server import (
    STOCK,
    collect_seldon_server,
    collect_seldon_server_config,
)
from unit.manifests.opened import opened, places


def server(spec, name="mlserver", **metadata):
    return opened({"metadata": {"name": name, **metadata}, "spec": spec})


def containers(*given):
    return {"podSpec": {"containers": list(given)}}


def env(name, value):
    return {"name": name, "value": value}


POINTER = {"name": "MEMORY_REQUEST", "valueFrom": {"resourceFieldRef": {"containerName": "mlserver"}}}
MEMORY = {"name": "mlserver", "resources": {"requests": {"memory": "1Gi"}}}

SERVERS = {
    "no config": ({"replicas": 1}, ["spec.serverConfig"]),
    "no Pods": ({"serverConfig": "mlserver", "podSpec": None}, []),
    "unreadable requests": (
        {"serverConfig": "m", **containers({"resources": {"requests": {"memory": "much"}}})},
        ["spec.podSpec.containers[0].resources.requests.memory"],
    ),
    "unreadable overcommitment": (
        {"serverConfig": "m", **containers({"env": [env("SELDON_OVERCOMMIT_PERCENTAGE", "much")]})},
        ["spec.podSpec.containers[0].env[0].value"],
    ),
    "capabilities": ({"serverConfig": "m", "capabilities": "sklearn"}, ["spec.capabilities"]),
    "more replicas than a machine can list": ({"serverConfig": "m", "replicas": 2**30}, ["spec.replicas"]),
}


@pytest.mark.parametrize(("spec", "where"), SERVERS.values(), ids=SERVERS)
def test_servers(spec, where):
    fields = server(spec)
    collect_seldon_server(fields)

    assert places(fields) == where


def test_server_configs():
    fields = server({"podSpec": {"containers": []}, "volumeClaimTemplates": [{"name": "models", "spec": {}}]})
    collect_seldon_server_config(fields)
    assert places(fields) == []

    fields = server({"podSpecs": {}})
    collect_seldon_server_config(fields)
    assert places(fields) == ["spec.podSpec"]


CAPABILITIES = containers({"env": [env("SELDON_SERVER_CAPABILITIES", "a, b,,a")]})
JOINED = {  # the Server's spec, the ServerConfig's, attribute, value
    "capabilities of the configuration": ({}, CAPABILITIES, "capabilities", ("a", "b")),
    "its own replace them": ({"capabilities": ["c"]}, CAPABILITIES, "capabilities", ("c",)),
    "an empty list replaces them too": ({"capabilities": []}, CAPABILITIES, "capabilities", ()),
    "more are added": ({"extraCapabilities": ["c", "a"]}, CAPABILITIES, "capabilities", ("a", "b", "c")),
    "the stock ones without a document": ({}, None, "capabilities", STOCK["mlserver"]),
    "the stock ones do not fill a document": ({}, containers(), "capabilities", ()),
    "its own environment comes first": (
        containers({"env": [env("SELDON_SERVER_CAPABILITIES", "own")]}), CAPABILITIES, "capabilities", ("own",),
    ),
    "overcommitment": (
        {}, containers({"env": [env("SELDON_OVERCOMMIT_PERCENTAGE", "20")]}), "overcommit_percent", 20,
    ),
    "no overcommitment": ({}, containers(), "overcommit_percent", 0),
    "memory that is pointed at": ({}, containers({"env": [POINTER]}, MEMORY), "memory_mib", 1024),
    "its own memory by the configuration's pointer": (
        containers(MEMORY | {"resources": {"requests": {"memory": "2Gi"}}}), containers({"env": [POINTER]}, MEMORY),
        "memory_mib", 2048,
    ),
    "memory that nobody points at": (containers(MEMORY), None, "memory_mib", None),
    "a pointer to nothing": ({}, containers({"env": [POINTER]}), "memory_mib", None),
    "limits": ({"minReplicas": 0, "maxReplicas": 4, "replicas": 2}, None, "min_replicas", 0),
    "no limits": ({"maxReplicas": 0}, None, "max_replicas", None),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "config", "attribute", "value"), JOINED.values(), ids=JOINED)
def test_a_server_and_its_configuration(spec, config, attribute, value):
    read = collect_seldon_server(server({"serverConfig": "mlserver", **spec}))
    pods = None if config is None else collect_seldon_server_config(server(config)).pods

    assert getattr(read.server(pods), attribute) == value


def test_replicas_are_as_the_server_says():
    found = collect_seldon_server(server({"serverConfig": "triton", "replicas": 2})).server(None)

    assert [each.index for each in found.replicas] == [0, 1]
    assert found.replicas[1].capabilities == STOCK["triton"]


def test_a_server_that_is_being_deleted_expects_no_replica():
    read = collect_seldon_server(server({"serverConfig": "mlserver"}, deletionTimestamp="2026-01-01T00:00:00Z"))

    assert read.server(None).expected_replicas == 0

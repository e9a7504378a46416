"""Every field of objects that describe the cluster: real ones have nothing wrong, and nothing is passed over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bayplan.manifests.inventory.inventory_checks import (
    check_disruption_budget,
    check_node,
    check_resource_topology,
)
from unit.manifests.opened import opened, places

FIXTURES = Path(__file__).parents[3] / "fixtures" / "inventory"
CHECKS = {
    "Node": check_node,
    "NodeResourceTopology": check_resource_topology,
    "PodDisruptionBudget": check_disruption_budget,
}


def objects():
    for file in sorted(FIXTURES.glob("*.json")):
        found = json.loads(file.read_text())
        for each in found.get("items", [found]) if isinstance(found, dict) else ():
            kind = each.get("kind") or str(found.get("kind", "")).removesuffix("List")
            if kind in CHECKS and "hostile" not in file.name:
                yield pytest.param(kind, each, id=f"{file.stem}-{each['metadata']['name']}")


@pytest.mark.parametrize(("kind", "document"), objects())
def test_real_objects(kind, document):
    fields = opened(document)
    CHECKS[kind](fields)

    assert places(fields) == []
    assert [each.path for each in fields.findings.ignored if each.neglect == "unknown"] == []


def test_all_problems_of_a_node():
    fields = opened({"metadata": {}, "spec": {"taints": [{}]}, "status": {"capacity": {"memory": "x", "cpu": []}}})
    check_node(fields)

    assert places(fields) == [
        "metadata.name",
        "spec.taints[0].key",
        "spec.taints[0].effect",
        "status.capacity.memory",
        "status.capacity.cpu",
    ]


def test_what_is_not_read_of_a_topology_is_told():
    policy, other = {"name": "topologyManagerPolicy", "value": "restricted"}, {"name": "fingerprint", "value": "f0"}
    zones = [{"name": "node-0", "type": "Node", "parent": "socket-0"}, {"name": "socket-0", "type": "Socket"}]
    fields = opened({"metadata": {"name": "n"}, "attributes": [policy, other], "zones": zones})
    check_resource_topology(fields)

    assert [each.path for each in fields.findings.ignored] == ["attributes[1]", "zones[0].parent", "zones[1]"]

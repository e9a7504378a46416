"""Rules of kinds from their schemas; the fields named here are those whose rules people rely on."""

import pytest

from bayplan.api.patches.field_rules import ListType
from bayplan.api.patches.schema_rules import rules_of
from bayplan.api.patches.strategic_merge import strategic_merge
from bayplan.control.resources.kinds import KINDS
from bayplan.control.resources.registry import REGISTRY

MAP, SET, ATOMIC = ListType.MAP, ListType.SET, ListType.ATOMIC
LISTS = {
    "spec.containers": (MAP, ("name",), "name", True),
    "spec.containers[].ports": (MAP, ("containerPort", "protocol"), "containerPort", True),
    "spec.containers[].env": (MAP, ("name",), "name", True),
    "spec.containers[].args": (ATOMIC, (), "", False),
    "spec.containers[].resources.claims": (MAP, ("name",), "", False),
    "spec.topologySpreadConstraints": (MAP, ("topologyKey", "whenUnsatisfiable"), "topologyKey", True),
    "spec.tolerations": (ATOMIC, (), "", False),
    "metadata.finalizers": (SET, (), "", True),
    "metadata.ownerReferences": (MAP, ("uid",), "uid", True),
    "status.conditions": (MAP, ("type",), "type", True),
    "status.hostIPs": (ATOMIC, (), "ip", True),
}


def rules(kind, api_version="v1"):
    return rules_of(REGISTRY.of_document(api_version, kind))


def at(found, path):
    for name in path.split("."):
        found = found.fields[name.removesuffix("[]")]
        found = found.of_items() if name.endswith("[]") else found
    return found


@pytest.mark.parametrize(("path", "expected"), LISTS.items(), ids=LISTS)
def test_lists_of_pods(path, expected):
    found = at(rules("Pod"), path)

    assert (found.list_type, found.keys, found.merge_key, found.merged) == expected


def test_defaults_of_keys():
    assert at(rules("Pod"), "spec.containers[].ports").defaults == {"protocol": "TCP"}
    assert at(rules("Service"), "spec.ports").defaults == {"protocol": "TCP"}


@pytest.mark.parametrize(
    ("kind", "api_version", "path", "atomic"),
    [
        ("Pod", "v1", "spec.nodeSelector", True),
        ("Pod", "v1", "metadata.labels", False),
        ("Deployment", "apps/v1", "spec.selector", True),
        ("Service", "v1", "spec.selector", True),
        ("ConfigMap", "v1", "data", False),
    ],
)
def test_maps_with_one_owner(kind, api_version, path, atomic):
    assert at(rules(kind, api_version), path).atomic is atomic


def test_a_selector_that_is_replaced():
    budget = {"spec": {"selector": {"matchLabels": {"a": "1"}}}}
    patch = {"spec": {"selector": {"matchLabels": {"b": "2"}}}}

    assert strategic_merge(budget, patch, rules("PodDisruptionBudget", "policy/v1")) == patch


@pytest.mark.parametrize("resource", KINDS, ids=lambda each: each.full_name)
def test_every_kind_has_rules(resource):
    found = rules_of(resource)

    assert found is rules_of(resource)
    if resource.stored:
        assert found.fields.keys() >= {"apiVersion", "kind", "metadata"}

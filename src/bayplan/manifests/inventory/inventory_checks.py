"""The fields of Nodes, NodeResourceTopologies and PodDisruptionBudgets, and what each may hold.

The readers of an inventory stop at the first problem of an object and pass over fields that they do not need. A
client that writes one object is told all problems at once, and every field that has no effect.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bayplan.cluster.byte_resources import is_in_bytes
from bayplan.cluster.taint import TaintEffect
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import amount_offered, bytes_offered, cards_counted, cpu_offered
from bayplan.manifests.inventory.node_cards import is_card
from bayplan.manifests.inventory.resource_topology import MANAGER, ZONE_TYPES
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count, flag, name, one_of, text
from bayplan.manifests.workloads.checks import anything, check, check_unused, inside, needed, one, rows, several

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.checks import Table

_OBJECT: Table = {"apiVersion": anything, "kind": anything}
_ABOUT_NODES: Table = {
    "addresses": anything,
    "config": anything,
    "daemonEndpoints": anything,
    "declaredFeatures": anything,
    "features": anything,
    "images": anything,
    "nodeInfo": anything,
    "phase": anything,
    "runtimeHandlers": anything,
    "volumesAttached": anything,
    "volumesInUse": anything,
}
"""What a kubelet reports; it says nothing about capacity, and its writer expects no effect."""

_CONDITION: Table = {
    "type": needed(name),
    "status": needed(text),
    "reason": anything,
    "message": anything,
    "lastHeartbeatTime": anything,
    "lastTransitionTime": anything,
    "observedGeneration": anything,
}
_TAINT: Table = {"key": needed(name), "effect": needed(one_of(TaintEffect)), "value": one(text), "timeAdded": anything}
_AMOUNT: Table = {"name": needed(name)}
_SELECTOR: Table = {
    "matchLabels": lambda fields, key: fields.mapping(key, text),
    "matchExpressions": rows({"key": needed(name), "operator": needed(name), "values": several(text)}),
}


def check_node(fields: Fields) -> None:
    """Every field of a Node; amounts are read as the reader of workers does."""
    _begin(fields)
    spec, status = fields.child("spec"), fields.child("status")
    check(spec, {"unschedulable": one(flag), "taints": rows(_TAINT)})
    spec.ignore("podCIDR", "podCIDRs", "providerID", "externalID")
    spec.leave("configSource")
    spec.finish()
    for key in ("allocatable", "capacity"):
        _amounts(status.child(key))
    check(status, {"conditions": rows(_CONDITION)})
    check(status, _ABOUT_NODES)
    status.finish()
    fields.finish()


def check_resource_topology(fields: Fields) -> None:
    """Every field of a NodeResourceTopology."""
    _begin(fields)
    check(fields, {"topologyPolicies": several(text)})
    for attribute in fields.children("attributes"):
        check(attribute, {"name": needed(name), "value": one(text)})
        attribute.finish()
        if attribute.raw("name") not in MANAGER:
            attribute.leave_whole(f"of the attributes {' and '.join(MANAGER)} count")
    for zone in fields.children("zones"):
        _zone(zone)
    fields.finish()


def check_disruption_budget(fields: Fields) -> None:
    """Every field of a PodDisruptionBudget."""
    _begin(fields)
    fields.ignore("status")
    spec = fields.child("spec")
    check(spec, {"minAvailable": anything, "maxUnavailable": anything, "selector": inside(_SELECTOR)})
    check_unused(spec, {"unhealthyPodEvictionPolicy": one(text)}, "Pods that are not ready count like all others")
    spec.finish()
    fields.finish()


def _begin(fields: Fields) -> None:
    check(fields, _OBJECT)
    read_id(fields)


def _zone(zone: Fields) -> None:
    check(zone, {"name": needed(name), "parent": anything, "attributes": anything})
    if zone.read("type", text, "") not in ZONE_TYPES:
        zone.leave_whole("only zones of the type Node count")
    zone.leave("attributes", "parent")
    for resource in zone.children("resources"):
        kind = resource.need("name", name, "")
        for key in ("capacity", "allocatable", "available"):
            resource.read(key, partial(_amount, kind))
        resource.finish()
        if kind and kind not in ("cpu", "memory") and not is_card(kind):
            resource.leave_whole(f"{kind} is not counted by zone")
    for cost in zone.children("costs"):
        check(cost, {"name": needed(name), "value": needed(count)})
        cost.finish()
    zone.finish()


def _amounts(fields: Fields) -> None:
    for resource in fields:
        fields.read(resource, partial(_amount, resource))
    fields.finish()


def _amount(resource: str, value: object) -> int:
    try:
        if resource == "cpu":
            return cpu_offered(value, "")
        if resource == "memory" or is_in_bytes(resource):
            return bytes_offered(value, "")
        return cards_counted(value, "") if is_card(resource) else amount_offered(value, "")
    except InputError as error:
        raise InputError(error.message, next=error.next) from None

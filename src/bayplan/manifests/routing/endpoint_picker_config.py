"""EndpointPickerConfig of llm-d: the form of the document, and references between its parts.

Which plugins exist and what their parameters mean is checked where the configuration is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import (
    claim_mib_of_bytes,
    claimed_amount,
    duration_s,
    flag,
    name,
    number,
    priority,
    text,
    what,
)
from bayplan.manifests.workloads.checks import check, inside, needed, one, rows, several

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.checks import Table

_NAMED: Table = {"pluginRef": needed(name)}
_BAND: Table = {
    "priority": one(priority),
    "maxBytes": one(claim_mib_of_bytes),
    "maxRequests": one(claimed_amount),
    "fairnessPolicyRef": one(name),
    "orderingPolicyRef": one(name),
}
_FLOW_CONTROL: Table = {
    "maxBytes": one(claim_mib_of_bytes),
    "maxRequests": one(claimed_amount),
    "defaultRequestTTL": one(duration_s),
    "noEndpointRequestTTL": one(duration_s),
    "defaultPriorityBand": inside(_BAND),
    "defaultNegativePriorityBand": inside(_BAND),
    "priorityBands": rows(_BAND),
    "usageLimitPolicyPluginRef": one(name),
    "saturationDetector": inside(_NAMED),
    "enableEviction": one(flag),
}
_DETECTOR: Table = {
    "pluginRef": one(name),
    "queueDepthThreshold": one(number),
    "kvCacheUtilThreshold": one(number),
    "metricsStalenessThreshold": one(duration_s),
}
_DATA_LAYER: Table = {
    "injectDefaults": one(flag),
    "sources": rows({"pluginRef": needed(name), "extractors": rows(_NAMED)}),
    "discovery": inside(_NAMED),
    "peerDiscovery": inside(_NAMED),
    "crossReplicaSyncerPluginRef": one(name),
    "crossReplicaSyncInterval": one(duration_s),
}
_CONFIG: Table = {
    "featureGates": several(text),
    "dataLayer": inside(_DATA_LAYER),
    "data": inside(_DATA_LAYER),
    "flowControl": inside(_FLOW_CONTROL),
    "requestHandler": inside({"parsers": rows(_NAMED)}),
    "saturationDetector": inside(_DETECTOR),
    "parser": inside(_NAMED),
}


def collect_endpoint_picker_config(fields: Fields) -> None:
    """The configuration as far as it can be read; a file of it has no metadata."""
    fields.ignore("apiVersion", "kind", "status", "metadata")
    if "metadata" in fields:
        read_id(fields)
    declared = _plugins(fields)
    profiles: list[str] = []
    for profile in fields.children("schedulingProfiles"):
        _add_name(profile, profile.need("name", name, ""), profiles, "profile")
        for plugin in profile.children("plugins"):
            _refer(plugin, plugin.need("pluginRef", name, ""), declared)
            plugin.read("weight", number)
            plugin.finish()
        profile.finish()
    check(fields, _CONFIG)
    fields.finish()


def _plugins(fields: Fields) -> list[str]:
    """The names of the declared plugins; a name that is not given is the type."""
    declared: list[str] = []
    for plugin in fields.children("plugins"):
        kind = plugin.need("type", name, "")
        _add_name(plugin, plugin.read("name", name, kind), declared, "plugin")
        plugin.child("parameters")
        plugin.finish()
    return declared


def _add_name(fields: Fields, found: str, known: list[str], noun: str) -> None:
    if found and found in known:
        fields.add(f"two of the {noun}s are called {what(found)}", "name", next=f"give each {noun} its own name")
    known.append(found)


def _refer(plugin: Fields, found: str, declared: list[str]) -> None:
    if found and found not in declared:
        plugin.add(f"no plugin is called {what(found)}", "pluginRef", next=did_you_mean(found, filter(None, declared)))

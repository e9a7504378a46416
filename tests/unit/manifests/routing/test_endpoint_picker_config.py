"""Configurations of endpoint pickers: their form and their references."""

from __future__ import annotations

import pytest

from bayplan.manifests.routing.endpoint_picker_config import collect_endpoint_picker_config
from unit.manifests.opened import opened, places

PLUGINS = [
    {"type": "queue-scorer"},
    {"name": "pick", "type": "max-score-picker", "parameters": {"maxNumOfEndpoints": 1}},
]
CONFIG = {
    "plugins": PLUGINS,
    "schedulingProfiles": [
        {"name": "default", "plugins": [{"pluginRef": "queue-scorer", "weight": 2}, {"pluginRef": "pick"}]}
    ],
    "featureGates": ["flowControl"],
    "flowControl": {"maxBytes": "10Gi", "defaultRequestTTL": "1m30s", "priorityBands": [{"priority": -1}]},
    "dataLayer": {"sources": [{"pluginRef": "pick", "extractors": [{"pluginRef": "queue-scorer"}]}]},
    "saturationDetector": {"queueDepthThreshold": 5, "metricsStalenessThreshold": "200ms"},
}


def profile(*plugins):
    return {"plugins": PLUGINS, "schedulingProfiles": [{"name": "p", "plugins": list(plugins)}]}


CONFIGS = {
    "everything": (CONFIG, []),
    "nothing": ({}, []),
    "with metadata": (CONFIG | {"metadata": {"name": "c"}}, []),
    "metadata without a name": (CONFIG | {"metadata": {"labels": {}}}, ["metadata.name"]),
    "a plugin without a type": ({"plugins": [{"name": "a"}]}, ["plugins[0].type"]),
    "two of a name": ({"plugins": [{"type": "a"}, {"type": "a"}]}, ["plugins[1].name"]),
    "parameters": ({"plugins": [{"type": "a", "parameters": 5}]}, ["plugins[0].parameters"]),
    "a plugin that is not declared": (
        profile({"pluginRef": "queue-score"}), ["schedulingProfiles[0].plugins[0].pluginRef"]),
    "a weight": (
        profile({"pluginRef": "pick", "weight": "much"}), ["schedulingProfiles[0].plugins[0].weight"]),
    "a profile without a name": ({"schedulingProfiles": [{}]}, ["schedulingProfiles[0].name"]),
    "a time": ({"flowControl": {"defaultRequestTTL": "soon"}}, ["flowControl.defaultRequestTTL"]),
}  # fmt: skip


@pytest.mark.parametrize(("document", "where"), CONFIGS.values(), ids=CONFIGS)
def test_configs(document, where):
    fields = opened(document)
    collect_endpoint_picker_config(fields)

    assert places(fields) == where

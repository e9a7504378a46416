"""Each expectation of configurations and metrics holds for one answer and fails for another."""

from __future__ import annotations

import pytest

from acceptance.comparing_configs import CONFIG, METRICS, compare_config, compare_metrics

ANSWER = {
    "plugins": [
        {"name": "q", "type": "queue-scorer", "parameters": {"a": 1, "b": {"c": [1.0, "x"]}}},
        {"name": "h", "type": "single-profile-handler", "parameters": {}},
    ],
    "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": "q", "weight": 2.0}, {"pluginRef": "f"}]}],
    "profileHandler": {"pluginRef": "h"},
    "requestHandler": {"parsers": [{"pluginRef": "openai-parser"}]},
    "dataLayer": {"sources": [{"pluginRef": "m", "extractors": [{"pluginRef": "core"}]}]},
    "featureGates": {"flowControl": True, "dataLayer": True},
    "flowControl": {"maxRequests": 1000, "priorityBands": [{"priority": 1, "maxBytes": 5}]},
    "warnings": ["parser is deprecated"],
}

CONFIGS = {
    "profiles": ({"default": {"q": 2, "f": None}}, {"default": {"q": 2}}),
    "sources": ({"m": ["core"]}, {}),
    "handler": ("single-profile-handler", "h"),
    "parsers": (["openai-parser"], []),
    "plugins_contain": (["q"], ["z"]),
    "plugins_absent": (["z"], ["q"]),
    "types": ({"q": "queue-scorer"}, {"z": "queue-scorer"}),
    "parameters": ({"q": {"b": {"c": [1, "x"]}}}, {"q": {"a": 2}}),
    "gates": ({"flowControl": True}, {"flowControl": False}),
    "flowControl": ({"priorityBands": [{"maxBytes": 5}]}, {"priorityBands": []}),
    "warnings_contain": (["Deprecated"], ["unused"]),
}


@pytest.mark.parametrize(("key", "values"), CONFIGS.items(), ids=CONFIGS)
def test_configurations(key, values):
    right, wrong = values

    assert compare_config({key: right}, ANSWER, 1e-4) == []
    assert compare_config({key: wrong}, ANSWER, 1e-4) != []


SCRAPED = {
    "metrics": {"waiting": 3.0, "running": None},
    "loras": {"active": ["a", "b"], "max": 4},
    "attributes": {"depth": 2},
    "warnings": ["x:y is NaN"],
}
SCRAPES = {
    "metrics": ({"waiting": 3, "running": None}, {"running": 0}),
    "loras": ({"active": ["b", "a"]}, {"active": ["a"]}),
    "attributes": ({"depth": 2}, {"depth": None}),
    "warnings_contain": (["x:y"], ["z"]),
}


@pytest.mark.parametrize(("key", "values"), SCRAPES.items(), ids=SCRAPES)
def test_metrics(key, values):
    right, wrong = values

    assert compare_metrics({key: right}, SCRAPED, 1e-4) == []
    assert compare_metrics({key: wrong}, SCRAPED, 1e-4) != []


def test_every_key_is_tried():
    assert (set(CONFIGS), set(SCRAPES)) == (set(CONFIG), set(METRICS))

"""Entries as they are handed to the framework."""

import pytest

from bayplan.routing.config.entries import default_entries, plugin_entries, profile_entries, profile_of_all
from unit.routing.config.documents import REGISTRY

PLUGINS = {
    "null": ({"type": "queue-scorer", "name": None, "parameters": {}}, {"type": "queue-scorer"}),
    "null parameters": (
        {"type": "load-aware-scorer", "parameters": {"threshold": None}},
        {"type": "load-aware-scorer", "parameters": {}},
    ),
    "labels may be empty": (
        {"type": "label-selector-filter", "parameters": {"matchLabels": {"a": ""}}},
        {"type": "label-selector-filter", "parameters": {"matchLabels": {"a": ""}}},
    ),
    "an unknown type": ({"type": "what", "parameters": {"a": None}}, {"type": "what", "parameters": {"a": None}}),
    "no entry": (7, 7),
}


@pytest.mark.parametrize(("entry", "wanted"), PLUGINS.values(), ids=PLUGINS)
def test_plugins(entry, wanted):
    assert plugin_entries([entry], REGISTRY) == [wanted]


PROFILES = {
    "null weight": (
        {"name": "a", "plugins": [{"pluginRef": "b", "weight": None}]},
        {"name": "a", "plugins": [{"pluginRef": "b"}]},
    ),
    "no plugins": ({"name": "a", "plugins": None}, {"name": "a"}),
    "no entry": ("a", "a"),
}


@pytest.mark.parametrize(("entry", "wanted"), PROFILES.values(), ids=PROFILES)
def test_profiles(entry, wanted):
    assert profile_entries([entry]) == [wanted]


@pytest.mark.parametrize("entries", [None, 5, {"a": 1}], ids=repr)
def test_what_is_no_list_stays(entries):
    assert plugin_entries(entries, REGISTRY) is entries
    assert profile_entries(entries) is entries


@pytest.mark.parametrize("own_policy", [False, True], ids=["profiles", "our own policy"])
def test_the_default_entries_refer_to_each_other(own_policy):
    plugins, (profile,) = default_entries(own_policy=own_policy)

    assert [each["type"] for each in plugins] == [each["pluginRef"] for each in profile["plugins"]]
    assert all(each["type"] in REGISTRY for each in plugins)


def test_one_profile_of_all():
    assert profile_of_all(["a"]) == [{"name": "default", "plugins": [{"pluginRef": "a"}]}]

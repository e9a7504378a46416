"""A document is read whole: its problems come at once, and what it leaves out is filled in."""

import pytest

from bayplan.framework.errors import ConfigError
from bayplan.framework.registry import Registry
from bayplan.routing.config.builtins import builtins
from bayplan.routing.config.reader import COLUMNS, is_routing, read_routing_config
from unit.routing.config.documents import (
    NATIVE,
    REGISTRY,
    RICH,
    STAGES,
    picker,
    problems,
    profile,
    read,
    told,
    weights_of,
)

EMPTY = {"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig"}
ROUTING = {
    "llm-d's kind": (EMPTY, True),
    "our own kind": ({"scheduler": "routing"}, True),
    "another scheduler": ({"scheduler": "placement"}, False),
    "no scheduler": ({"plugins": []}, False),
    "no mapping": ([], False),
}


@pytest.mark.parametrize(("document", "wanted"), ROUTING.values(), ids=ROUTING)
def test_which_documents_are_about_routing(document, wanted):
    assert is_routing(document) is wanted


def test_nothing_said_is_the_usual_configuration():
    config = read(EMPTY)

    scorers = {"queue-scorer": 2, "kv-cache-utilization-scorer": 2, "prefix-cache-scorer": 3}
    assert weights_of(EMPTY) == {"default": {**scorers, "max-score-picker": None}}
    assert config.scheduler.handler.name == "single-profile-handler"
    assert list(config.parsers) == ["openai-parser", "anthropic-parser", "vllmhttp-parser", "passthrough-parser"]
    assert [each.name for each in config.sources] == ["metrics-data-source"]
    assert config.detector.name == "utilization-detector"
    assert (config.flow, config.own_policy, config.warnings) == (None, None, ())


EMPTY_VALUES = {
    "null plugins and profiles": {**EMPTY, "plugins": None, "schedulingProfiles": None},
    "empty plugins and profiles": {**EMPTY, "plugins": [], "schedulingProfiles": []},
    "empty sections": {**EMPTY, "flowControl": {}, "dataLayer": {}, "requestHandler": None, "featureGates": []},
    "empty old fields": {**EMPTY, "parser": {}, "saturationDetector": {}},
    "no apiVersion": {"kind": "EndpointPickerConfig", "apiVersion": ""},
}


@pytest.mark.parametrize("document", EMPTY_VALUES.values(), ids=EMPTY_VALUES)
def test_null_and_empty_count_as_absent(document):
    assert read(document).document() == read(EMPTY).document()


@pytest.mark.parametrize("document", [RICH, STAGES, NATIVE], ids=["one profile", "stages", "our own kind"])
def test_the_native_document_means_the_same(document):
    native = read(document).document()

    assert native["kind"] == "SchedulerConfig"
    assert read(native).document() == native


def test_each_reading_makes_plugins_of_its_own():
    first, second = read(RICH), read(RICH)

    assert first.plugins.keys() == second.plugins.keys()
    assert not any(first.plugins[name] is second.plugins[name] for name in first.plugins)


def test_all_problems_come_at_once():
    document = picker(
        "que",
        "queue-scorer",
        told("load-aware-scorer", treshold=1),
        told("priority-holdback-policy", minCeiling=0.5, maxCeiling=1.5, shape="steep"),
        profiles=[profile("default", "queue-scorer", "kv")],
        featureGates=["warp"],
        flowControl={"maxBytes": "10 gigs", "usageLimitPolicyPluginRef": "queue-scorer"},
    )

    assert problems(document).keys() == {
        "featureGates[0]",
        "plugins[0].type",
        "plugins[2].parameters.treshold",
        "plugins[3].parameters.maxCeiling",
        "plugins[3].parameters.shape",
        "schedulingProfiles[0].plugins[1].pluginRef",
        "flowControl.maxBytes",
        "flowControl.usageLimitPolicyPluginRef",
    }


SPOILED = {
    "unknown field": (picker("queue-scorer", schedulingProfile=[]), "schedulingProfile", "'schedulingProfile'"),
    "a field of our own kind": (picker("queue-scorer", onPluginError="skip"), "onPluginError", "'onPluginError'"),
    "unknown version": (picker("queue-scorer", apiVersion="llm-d.ai/v2"), "apiVersion", "'llm-d.ai/v2'"),
    "plugins that are no list": (picker("queue-scorer") | {"plugins": 5}, "plugins", "5"),
    "profiles that are no list": (picker("queue-scorer", profiles={"a": 1}), "schedulingProfiles", "a mapping"),
    "parameters that are no mapping": (
        picker("queue-scorer", {"type": "load-aware-scorer", "parameters": [1]}),
        "plugins[1].parameters",
        "a list of 1",
    ),
    "two plugins of a type": (picker("queue-scorer", told("queue-scorer")), "plugins[1].name", "'queue-scorer'"),
    "an unknown scheduler's field": ({"scheduler": "routing", "replicas": 3}, "replicas", "'replicas'"),
    "candidates": (
        {
            "scheduler": "routing",
            "plugins": [{"type": "random"}],
            "schedulingProfiles": [{"name": "a", "candidates": "racks", "plugins": [{"pluginRef": "random"}]}],
        },
        "schedulingProfiles[0].candidates",
        "'racks'",
    ),
    "a level in llm-d's kind": (
        picker("queue-scorer", profiles=[{"name": "a", "plugins": [{"pluginRef": "queue-scorer", "level": 1}]}]),
        "schedulingProfiles[0].plugins[0].level",
        "'level'",
    ),
    "our own policy without its scorer": (
        {"scheduler": "routing", "ownPolicy": "late", "plugins": [{"type": "random"}]},
        "ownPolicy",
        "prefill-cost",
    ),
}


@pytest.mark.parametrize(("document", "place", "words"), SPOILED.values(), ids=SPOILED)
def test_what_is_refused(document, place, words):
    assert words in problems(document)[place]


@pytest.mark.parametrize("document", [None, [], "text", 3, {1: 2}], ids=repr)
def test_what_is_no_document(document):
    with pytest.raises(ConfigError):
        read_routing_config(document, REGISTRY)


def test_a_column_that_nothing_makes_is_refused():
    class Moons:
        name = "moons"
        reads = ("moons",)

        def score(self, ask, rows, cycle):
            return [0.0] * rows.size

    registry = Registry((*builtins(), Moons))
    document = picker(told("moons"), profiles=[profile("default", "moons")])

    with pytest.raises(ConfigError, match="reads the column 'moons'"):
        read_routing_config(document, registry)
    assert "moons" not in COLUMNS.names


def test_problems_know_their_lines():
    with pytest.raises(ConfigError) as caught:
        read_routing_config({**EMPTY, "warp": 1}, REGISTRY, line={"warp": 7}.get)

    assert caught.value.problems[0].line == 7

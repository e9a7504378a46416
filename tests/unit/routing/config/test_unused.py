"""Plugins that nothing uses are told, each with its name."""

import pytest

from unit.routing.config.documents import picker, profile, told, warnings

ONE = {"profiles": [profile("default", "queue-scorer")]}
UNUSED = {
    "a scorer": (
        picker("queue-scorer", "kv-cache-utilization-scorer", **ONE),
        {"plugins[1]": "kv-cache-utilization-scorer"},
    ),
    "a filter": (picker("queue-scorer", "decode-filter", **ONE), {"plugins[1]": "decode-filter"}),
    "a second picker": (
        picker("queue-scorer", "random-picker", "max-score-picker", **ONE),
        {"plugins[2]": "max-score-picker"},
    ),
    "a detector": (picker("queue-scorer", "concurrency-detector", **ONE), {"plugins[1]": "concurrency-detector"}),
    "a parser": (
        picker(
            "queue-scorer",
            "openai-parser",
            "anthropic-parser",
            requestHandler={"parsers": [{"pluginRef": "openai-parser"}]},
            **ONE,
        ),
        {"plugins[2]": "anthropic-parser"},
    ),
    "a policy": (
        picker("queue-scorer", "edf-ordering-policy", featureGates=["flowControl"], **ONE),
        {"plugins[1]": "edf-ordering-policy"},
    ),
}


@pytest.mark.parametrize(("document", "wanted"), UNUSED.values(), ids=UNUSED)
def test_what_is_not_used(document, wanted):
    found = warnings(document)

    assert found.keys() == wanted.keys()
    assert all(f"'{name}' is not used" in found[place] for place, name in wanted.items())


USED = {
    "a detector as a filter": picker(
        "queue-scorer", "concurrency-detector", profiles=[profile("a", "queue-scorer", "concurrency-detector")]
    ),
    "a detector of the pool": picker(
        "queue-scorer",
        "concurrency-detector",
        flowControl={"saturationDetector": {"pluginRef": "concurrency-detector"}},
        **ONE,
    ),
    "a scorer that produces for another": picker(
        "precise-prefix-cache-scorer",
        told("prefix-cache-scorer", "p", prefixMatchInfoProducerName="precise-prefix-cache-scorer"),
        profiles=[profile("a", "p")],
    ),
    "producers, admitters and what acts around requests": picker(
        "queue-scorer", "token-producer", "probabilistic-admitter", "agent-identity", "disagg-headers-handler", **ONE
    ),
    "policies while the gate is off": picker("queue-scorer", "edf-ordering-policy", **ONE),
    "policies that are added": picker(
        "queue-scorer",
        "round-robin-fairness-policy",
        featureGates=["flowControl"],
        flowControl={"priorityBands": [{"priority": 1, "fairnessPolicyRef": "round-robin-fairness-policy"}]},
        **ONE,
    ),
}


@pytest.mark.parametrize("document", USED.values(), ids=USED)
def test_what_is_used(document):
    assert not warnings(document)

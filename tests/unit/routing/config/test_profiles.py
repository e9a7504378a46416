"""Profiles: weights, pickers that are added, and what may not stand in one."""

import pytest

from unit.routing.config.documents import picker, problems, profile, told, warnings, weights_of

FILLED = {
    "weights": (
        picker(
            "queue-scorer",
            "decode-filter",
            "max-score-picker",
            profiles=[profile("a", "queue-scorer", "decode-filter", "max-score-picker")],
        ),
        {"a": {"queue-scorer": 1, "decode-filter": None, "max-score-picker": None}},
    ),
    "a picker is added": (picker("queue-scorer"), {"default": {"queue-scorer": 1, "max-score-picker": None}}),
    "the first declared picker": (
        picker("queue-scorer", "weighted-random-picker", "random-picker"),
        {"default": {"queue-scorer": 1, "weighted-random-picker": None}},
    ),
    "plugins alone": (
        picker("decode-filter", "openai-parser", "utilization-detector", "queue-scorer", "random-picker", profiles=[]),
        {"default": {"decode-filter": None, "queue-scorer": 1, "random-picker": None}},
    ),
    "a producer": (
        picker(
            "predicted-latency-producer",
            "latency-scorer",
            profiles=[profile("a", "predicted-latency-producer", "latency-scorer")],
        ),
        {"a": {"predicted-latency-producer": None, "latency-scorer": 1, "max-score-picker": None}},
    ),
    "a detector as a filter": (
        picker("utilization-detector", "queue-scorer", profiles=[profile("a", "utilization-detector", "queue-scorer")]),
        {"a": {"utilization-detector": None, "queue-scorer": 1, "max-score-picker": None}},
    ),
    "weight 0": (
        picker("queue-scorer", profiles=[profile("a", ("queue-scorer", 0))]),
        {"a": {"queue-scorer": 0, "max-score-picker": None}},
    ),
}


@pytest.mark.parametrize(("document", "wanted"), FILLED.values(), ids=FILLED)
def test_profiles(document, wanted):
    assert weights_of(document) == wanted


REFUSED = {
    "no name": (
        picker("queue-scorer", profiles=[{"plugins": [{"pluginRef": "queue-scorer"}]}]),
        "schedulingProfiles[0].name",
        "",
    ),
    "a name twice": (
        picker("queue-scorer", "header-profile-handler", profiles=[profile("x", "queue-scorer")] * 2),
        "schedulingProfiles[1].name",
        "'x'",
    ),
    "no reference": (
        picker("queue-scorer", profiles=[{"name": "a", "plugins": [{"weight": 2}]}]),
        "schedulingProfiles[0].plugins[0].pluginRef",
        "is missing",
    ),
    "two pickers": (
        picker("max-score-picker", "random-picker", profiles=[profile("a", "max-score-picker", "random-picker")]),
        "schedulingProfiles[0].plugins[1].pluginRef",
        "second picker",
    ),
    "a handler": (
        picker("single-profile-handler", profiles=[profile("a", "single-profile-handler")]),
        "schedulingProfiles[0].plugins[0].pluginRef",
        "'single-profile-handler'",
    ),
    "a weight below 0": (
        picker("queue-scorer", profiles=[profile("a", ("queue-scorer", -0.5))]),
        "schedulingProfiles[0].plugins[0].weight",
        "-0.5",
    ),
    "a weight in words": (
        picker("queue-scorer", profiles=[profile("a", ("queue-scorer", "much"))]),
        "schedulingProfiles[0].plugins[0].weight",
        "'much'",
    ),
    "a weight of what is not there": (
        picker("queue-scorer", profiles=[profile("a", ("kv", -1))]),
        "schedulingProfiles[0].plugins[0].weight",
        "-1",
    ),
    "the same twice": (
        picker("queue-scorer", profiles=[profile("a", "queue-scorer", "queue-scorer")]),
        "schedulingProfiles[0].plugins[1].pluginRef",
        "twice",
    ),
}


@pytest.mark.parametrize(("document", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(document, place, words):
    assert words in problems(document)[place]


TOLD = {
    "a weight of a filter": (
        picker("prefill-filter", profiles=[profile("a", ("prefill-filter", 5))]),
        "schedulingProfiles[0].plugins[0].weight",
        "has no effect",
    ),
    "an admitter": (
        picker("probabilistic-admitter", profiles=[profile("a", "probabilistic-admitter")]),
        "schedulingProfiles[0].plugins[0].pluginRef",
        "not part of a profile",
    ),
}


@pytest.mark.parametrize(("document", "place", "words"), TOLD.values(), ids=TOLD)
def test_what_is_told(document, place, words):
    assert words in warnings(document)[place]


def test_two_scorers_of_one_type():
    document = picker(
        told("prefix-cache-scorer", "short", matchLengthWeight=0.2),
        told("prefix-cache-scorer", "long", matchLengthWeight=0.9),
        profiles=[profile("a", ("short", 1), ("long", 2))],
    )

    assert weights_of(document) == {"a": {"short": 1, "long": 2, "max-score-picker": None}}

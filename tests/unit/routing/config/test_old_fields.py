"""Fields and API groups of earlier versions."""

import pytest

from unit.routing.config.documents import picker, plugins_of, problems, read, told, warnings

OLD = "inference.networking.x-k8s.io/v1alpha1"
TOLD = {
    "the API group": (picker("queue-scorer", apiVersion=OLD), "apiVersion"),
    "the parser": (picker("openai-parser", parser={"pluginRef": "openai-parser"}), "parser"),
    "the detector": (
        picker("concurrency-detector", saturationDetector={"pluginRef": "concurrency-detector"}),
        "saturationDetector",
    ),
    "the data layer": (picker("queue-scorer", data={"injectDefaults": True}), "data"),
}


@pytest.mark.parametrize(("document", "place"), TOLD.values(), ids=TOLD)
def test_what_is_told(document, place):
    assert "deprecated" in warnings(document)[place]


def test_a_detector_by_name():
    document = picker(told("concurrency-detector", "c", maxConcurrency=7), saturationDetector={"pluginRef": "c"})

    assert read(document).detector is not None
    assert read(document).document()["flowControl"]["saturationDetector"] == {"pluginRef": "c"}


def test_a_detector_by_its_thresholds():
    document = picker("queue-scorer", saturationDetector={"queueDepthThreshold": 8, "kvCacheUtilThreshold": None})

    assert plugins_of(document)["utilization-detector"]["parameters"]["queueDepthThreshold"] == 8
    assert read(document).detector.queue_depth_threshold == 8


@pytest.mark.parametrize("section", [{"queueDepthThreshold": None}, {}, None], ids=repr)
def test_a_detector_that_says_nothing(section):
    assert "utilization-detector-2" not in plugins_of(picker("utilization-detector", saturationDetector=section))


def test_an_empty_name_beside_thresholds():
    document = picker("queue-scorer", saturationDetector={"pluginRef": None, "queueDepthThreshold": 8})

    assert read(document).detector.queue_depth_threshold == 8


def test_thresholds_do_not_change_a_declared_detector():
    document = picker("queue-scorer", "utilization-detector", saturationDetector={"queueDepthThreshold": 8})

    assert plugins_of(document)["utilization-detector"]["parameters"]["queueDepthThreshold"] != 8
    assert read(document).detector.queue_depth_threshold == 8


def test_the_new_place_comes_first():
    named = {"flowControl": {"saturationDetector": {"pluginRef": "concurrency-detector"}}}
    document = picker("concurrency-detector", saturationDetector={"queueDepthThreshold": 8}, **named)

    assert read(document).document()["flowControl"]["saturationDetector"] == {"pluginRef": "concurrency-detector"}


REFUSED = {
    "an unknown threshold": ({"queueDepth": 5}, "saturationDetector.queueDepth", "'queueDepth'"),
    "a time in words": (
        {"metricsStalenessThreshold": "a while"},
        "saturationDetector.metricsStalenessThreshold",
        "a while",
    ),
    "an empty name": ({"pluginRef": ""}, "saturationDetector.pluginRef", "''"),
    "a name that is not declared": ({"pluginRef": "x"}, "saturationDetector.pluginRef", "'x'"),
    "no detector": ({"pluginRef": "queue-scorer"}, "saturationDetector.pluginRef", "is no detector"),
    "a threshold beside a name": (
        {"pluginRef": "queue-scorer", "queueDepthThreshold": 1},
        "saturationDetector.queueDepthThreshold",
        "beside",
    ),
    "no mapping": (5, "saturationDetector", "5"),
}


@pytest.mark.parametrize(("section", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(section, place, words):
    assert words in problems(picker("queue-scorer", saturationDetector=section))[place]

"""Where values of the endpoints come from."""

import pytest

from unit.routing.config.documents import picker, problems, read, told, warnings

METRICS, EXTRACTOR = "metrics-data-source", "core-metrics-extractor"


def source(name, *extractors):
    return {"pluginRef": name, "extractors": [{"pluginRef": each} for each in extractors]}


SOURCES = {
    "the default": (picker("queue-scorer"), {METRICS: [EXTRACTOR]}),
    "not wanted": (picker("queue-scorer", dataLayer={"injectDefaults": False}), {}),
    "beside a named one": (
        picker(
            "models-data-source",
            "models-data-extractor",
            dataLayer={"sources": [source("models-data-source", "models-data-extractor")]},
        ),
        {"models-data-source": ["models-data-extractor"], METRICS: [EXTRACTOR]},
    ),
    "named": (
        picker(METRICS, told(EXTRACTOR, "mine"), dataLayer={"sources": [source(METRICS, "mine")]}),
        {METRICS: ["mine"]},
    ),
    "a declared extractor is used": (picker(told(EXTRACTOR, "mine")), {METRICS: ["mine"]}),
    "a declared source is used": (picker(told(METRICS, "engines")), {"engines": [EXTRACTOR]}),
    "the old name of the section": (picker(METRICS, data={"sources": [source(METRICS)]}), {METRICS: []}),
    "a producer may extract": (
        picker(
            "endpoint-notification-source",
            "precise-prefix-cache-producer",
            dataLayer={
                "injectDefaults": False,
                "sources": [source("endpoint-notification-source", "precise-prefix-cache-producer")],
            },
        ),
        {"endpoint-notification-source": ["precise-prefix-cache-producer"]},
    ),
}


@pytest.mark.parametrize(("document", "wanted"), SOURCES.values(), ids=SOURCES)
def test_sources(document, wanted):
    config = read(document)

    assert {each.name: list(each.extractors) for each in config.sources} == wanted
    assert all(each.plugin is config.plugins[each.name] for each in config.sources)


def test_discovery():
    config = read(
        picker(
            "queue-scorer",
            told("file-discovery", path="x.yaml"),
            dataLayer={"discovery": {"pluginRef": "file-discovery"}},
        )
    )

    assert config.discovery is config.plugins["file-discovery"]
    assert config.document()["dataLayer"]["discovery"] == {"pluginRef": "file-discovery"}


REFUSED = {
    "a source that is not declared": (
        picker("queue-scorer", dataLayer={"sources": [source("metrics")]}),
        "dataLayer.sources[0].pluginRef",
        "'metrics'",
    ),
    "a source that is none": (
        picker("queue-scorer", dataLayer={"sources": [source("queue-scorer")]}),
        "dataLayer.sources[0].pluginRef",
        "is no data-source",
    ),
    "an extractor that is none": (
        picker("queue-scorer", METRICS, dataLayer={"sources": [source(METRICS, "queue-scorer")]}),
        "dataLayer.sources[0].extractors[0].pluginRef",
        "is no extractor",
    ),
    "an extractor in a source that has no name": (
        picker("queue-scorer", METRICS, dataLayer={"sources": [{"extractors": [{"pluginRef": "none"}]}]}),
        "dataLayer.sources[0].extractors[0].pluginRef",
        "'none'",
    ),
    "a discovery that is none": (
        picker("queue-scorer", dataLayer={"discovery": {"pluginRef": "queue-scorer"}}),
        "dataLayer.discovery.pluginRef",
        "is no discovery",
    ),
    "an unknown field": (picker("queue-scorer", dataLayer={"inject": True}), "dataLayer.inject", "'inject'"),
    "a time without effect must be one": (
        picker("queue-scorer", dataLayer={"crossReplicaSyncInterval": "often"}),
        "dataLayer.crossReplicaSyncInterval",
        "'often'",
    ),
}


@pytest.mark.parametrize(("document", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(document, place, words):
    assert words in problems(document)[place]


def test_what_has_no_effect_is_told():
    section = {
        "peerDiscovery": {"pluginRef": "x"},
        "crossReplicaSyncerPluginRef": "y",
        "crossReplicaSyncInterval": "1s",
    }

    assert {f"dataLayer.{key}" for key in section} <= warnings(picker("queue-scorer", dataLayer=section)).keys()

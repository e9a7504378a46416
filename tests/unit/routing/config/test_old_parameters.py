"""Parameters of earlier versions: where they belong today."""

import pytest

from unit.routing.config.documents import picker, plugins_of, problems, profile, told, warnings

APPROX = "approx-prefix-cache-producer"
STAGES = [profile("decode", "queue-scorer"), profile("prefill", "queue-scorer")]
ALWAYS = "always-disagg-pd-decider"


def prefix(*scorers, more=()):
    names = [each["name"] or each["type"] for each in scorers]
    return picker(*scorers, *more, profiles=[profile("default", *names)])


INDEXES = {
    "the index was the scorer's": (
        {"lruCapacityPerServer": 7, "autoTune": False},
        {"lruCapacityPerServer": 7, "autoTune": False},
    ),
    "a block in characters": ({"blockSize": 64}, {"blockSizeTokens": 16}),
    "a block in characters, rounded up": ({"hashBlockSize": 5}, {"blockSizeTokens": 2}),
    "tokens come first": ({"blockSize": 64, "blockSizeTokens": 32}, {"blockSizeTokens": 32}),
}


@pytest.mark.parametrize(("given", "wanted"), INDEXES.values(), ids=INDEXES)
def test_the_producer_gets_the_index(given, wanted):
    document = prefix(told("prefix-cache-scorer", matchLengthWeight=0.5, **given))
    found = plugins_of(document)

    assert wanted.items() <= found[APPROX]["parameters"].items()
    assert found["prefix-cache-scorer"]["parameters"]["prefixMatchInfoProducerName"] == APPROX
    assert found["prefix-cache-scorer"]["parameters"]["matchLengthWeight"] == 0.5
    assert {f"plugins[0].parameters.{key}" for key in given} == warnings(document).keys()


def test_each_of_two_scorers_has_its_own_index():
    document = prefix(
        told("prefix-cache-scorer", "gpu"), told("prefix-cache-scorer", "cpu", lruCapacityPerServer=41000)
    )
    found = plugins_of(document)

    assert found["cpu"]["parameters"]["prefixMatchInfoProducerName"] == "cpu-producer"
    assert found["cpu-producer"]["parameters"]["lruCapacityPerServer"] == 41000
    assert found[APPROX]["parameters"]["lruCapacityPerServer"] == 31250


def test_a_decider_by_its_old_name():
    document = picker("queue-scorer", ALWAYS, told("disagg-profile-handler", deciderPluginName=ALWAYS), profiles=STAGES)

    assert plugins_of(document)["disagg-profile-handler"]["parameters"]["deciders"]["prefill"] == ALWAYS
    assert "plugins[2].parameters.deciderPluginName" in warnings(document)


def test_parts_of_the_indexer():
    inner = {
        "tokenProcessorConfig": {"blockSizeTokens": 64},
        "speculativeIndexing": True,
        "kvBlockIndexConfig": {"x": 1},
    }
    document = prefix(told("precise-prefix-cache-scorer", indexerConfig=inner))
    found = plugins_of(document)["precise-prefix-cache-scorer"]["parameters"]

    assert found["tokenProcessorConfig"]["blockSizeTokens"] == 64
    assert found["speculativeIndexing"] is True
    assert found["indexerConfig"] == {"kvBlockIndexConfig": {"x": 1}}
    assert len(warnings(document)) == 2


REFUSED = {
    "an index of the wrong type": (
        prefix(told("prefix-cache-scorer", lruCapacityPerServer="many")),
        "plugins[0].parameters.lruCapacityPerServer",
        "'many'",
    ),
    "a block that is no number": (
        prefix(told("prefix-cache-scorer", blockSize="big")),
        "plugins[0].parameters.blockSizeTokens",
        "'big'",
    ),
    "deciders that are no mapping": (
        picker("queue-scorer", told("disagg-profile-handler", deciders=5, deciderPluginName="x"), profiles=STAGES),
        "plugins[1].parameters.deciders",
        "5",
    ),
    "the old name of a decider that is not there": (
        picker("queue-scorer", told("disagg-profile-handler", deciderPluginName="x"), profiles=STAGES),
        "plugins[1].parameters.deciders.prefill",
        "'x'",
    ),
    "an indexer that is no mapping": (
        prefix(told("precise-prefix-cache-scorer", indexerConfig=5)),
        "plugins[0].parameters.indexerConfig",
        "5",
    ),
}


@pytest.mark.parametrize(("document", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(document, place, words):
    assert words in problems(document)[place]

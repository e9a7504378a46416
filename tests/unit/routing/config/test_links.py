"""Plugins that need others: named ones must be there, producers are pulled in, and each plugin hears of the others."""

import pytest

from bayplan.framework.registry import Registry
from bayplan.routing.config.builtins import builtins
from bayplan.routing.config.reader import read_routing_config
from unit.routing.config.documents import picker, plugins_of, problems, profile, told

APPROX = "approx-prefix-cache-producer"
PULLED_IN = {
    "prefix": (picker("prefix-cache-scorer"), {APPROX, "token-producer"}),
    "cold requests": (picker("no-hit-lru-scorer"), {APPROX, "token-producer"}),
    "a filter by prefix": (picker("prefix-cache-affinity-filter"), {APPROX}),
    "a decider": (
        picker("queue-scorer", told("disagg-profile-handler", deciders={"prefill": "d"}),
               told("prefix-based-pd-decider", "d", nonCachedTokens=1),
               profiles=[profile("decode", "queue-scorer"), profile("prefill", "queue-scorer")]), {APPROX}),
    "requests in flight": (picker("active-request-scorer"), {"inflight-load-producer"}),
    "tokens in flight": (picker("token-load-scorer"), {"inflight-load-producer"}),
    "a detector": (picker("concurrency-detector"), {"inflight-load-producer"}),
    "latency": (picker("latency-scorer"), {APPROX, "predicted-latency-producer"}),
    "a tier": (picker("slo-headroom-tier-filter"), {"predicted-latency-producer"}),
    "an admitter": (picker("latency-slo-admitter"), {"predicted-latency-producer"}),
    "media": (picker("mm-embeddings-cache-scorer"), {"mm-embeddings-cache-producer"}),
    "the default, beside others": (
        picker("prefix-cache-scorer", told(APPROX, "other")), {APPROX, "other"}),
}  # fmt: skip


@pytest.mark.parametrize(("document", "wanted"), PULLED_IN.values(), ids=PULLED_IN)
def test_producers_are_pulled_in(document, wanted):
    assert wanted <= plugins_of(document).keys()


LEFT_OUT = {
    "another producer is named": (
        picker("precise-prefix-cache-producer",
               told("prefix-cache-scorer", prefixMatchInfoProducerName="precise-prefix-cache-producer")), APPROX),
    "scorer and producer in one": (picker("precise-prefix-cache-scorer"), APPROX),
    "one of the type is there": (
        picker("token-load-scorer", told("inflight-load-producer", "load")), "inflight-load-producer"),
    "nobody asks": (picker("queue-scorer"), APPROX),
}  # fmt: skip


@pytest.mark.parametrize(("document", "name"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_producers_that_nobody_needs_are_not_added(document, name):
    assert name not in plugins_of(document)


def test_a_plugin_may_have_the_name_of_the_default_producer_if_it_is_one():
    document = picker("prefix-cache-scorer", told("precise-prefix-cache-producer", APPROX))

    assert plugins_of(document)[APPROX]["type"] == "precise-prefix-cache-producer"


REFUSED = {
    "a producer that is not declared": (
        picker(told("prefix-cache-scorer", prefixMatchInfoProducerName="tier-two")),
        "plugins[0].parameters.prefixMatchInfoProducerName", "'tier-two'"),
    "no prefix producer": (
        picker("queue-scorer", told("no-hit-lru-scorer", prefixMatchInfoProducerName="queue-scorer")),
        "plugins[1].parameters.prefixMatchInfoProducerName", "is no prefix-producer"),
    "a decider that is not declared": (
        picker("queue-scorer", told("pd-profile-handler", deciderPluginName="pd", primaryPort=70000),
               profiles=[profile("decode", "queue-scorer"), profile("prefill", "queue-scorer")]),
        "plugins[1].parameters.deciderPluginName", "'pd'"),
    "no decider": (
        picker("queue-scorer", told("disagg-profile-handler", deciders={"prefill": "queue-scorer"}),
               profiles=[profile("decode", "queue-scorer"), profile("prefill", "queue-scorer")]),
        "plugins[1].parameters.deciders.prefill", "is no decider"),
    "the name of the default producer is taken": (
        picker("prefix-cache-scorer", told("queue-scorer", APPROX)), "plugins[1].name", "no prefix producer"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(document, place, words):
    assert words in problems(document)[place]


def test_plugins_hear_their_names_the_others_and_their_profiles():
    heard = {}

    class Curious:
        name = "curious"
        reads = ("ready",)

        def mask(self, ask, rows, cycle):
            return list(rows.ready)

        def connect(self, name, plugins):
            heard["name"], heard["plugins"] = name, set(plugins)

        def placed(self, profiles):
            heard["profiles"] = list(profiles)

    document = picker(
        told("curious", "me"), "queue-scorer", "header-profile-handler",
        profiles=[profile("a", "queue-scorer"), profile("b", "me")],
    )  # fmt: skip
    read_routing_config(document, Registry((*builtins(), Curious)))

    assert heard["name"] == "me"
    assert {"me", "queue-scorer", "openai-parser"} <= heard["plugins"]
    assert heard["profiles"] == ["b"]

"""What a request would bring to each endpoint."""

import pytest

from bayplan.routing.producers.approx_prefix_cache_producer import ApproxPrefixCacheProducer
from bayplan.routing.producers.inflight_load_producer import InflightLoadProducer
from bayplan.routing.scorers.token_load_scorer import TokenLoadScorer
from unit.routing.endpoint_tables import cycle, endpoints, keeps_its_promises, match, refused_at, request

ASKED = request(tokens=range(40))


def produced(plugin, **columns):
    rows = type("Rows", (), {"size": 2, **columns})
    return plugin.produce(ASKED, rows, cycle())["uncached_tokens"]


def test_without_a_prefix_producer_all_tokens_count():
    plugin = InflightLoadProducer()
    plugin.connect("load", {"load": plugin, "scorer": TokenLoadScorer()})

    assert plugin.reads == ()
    assert produced(plugin) == [40, 40]


def test_the_first_prefix_producer_counts():
    plugin = InflightLoadProducer()
    plugin.connect("load", {"s": TokenLoadScorer(), "x": ApproxPrefixCacheProducer(), "y": ApproxPrefixCacheProducer()})

    assert plugin.reads == ("prefix_of_x",)
    assert produced(plugin, prefix_of_x=[match(2, 3, 16), match(3, 3, 16)]) == [8, 0]


ESTIMATES = {
    "none": ({}, {}, 0),
    "by the ratio": ({"add_estimated_output_tokens": True}, {}, 60),
    "another ratio, halves up": ({"add_estimated_output_tokens": True, "output_ratio": 0.0125}, {}, 1),
    "the request's limit": ({"add_estimated_output_tokens": True}, {"max_tokens": 7}, 7),
    "the maximum": ({"add_estimated_output_tokens": True, "max_estimated_output_tokens": 5}, {"max_tokens": 7}, 5),
    "a maximum of nothing": ({"add_estimated_output_tokens": True, "max_estimated_output_tokens": 0}, {}, 0),
}  # fmt: skip


@pytest.mark.parametrize(("parameters", "fields", "wanted"), ESTIMATES.values(), ids=ESTIMATES)
def test_tokens_of_the_answer(parameters, fields, wanted):
    assert InflightLoadProducer(**parameters).output_tokens(request(prompt_tokens=40, **fields)) == wanted


def test_ranges():
    assert refused_at(InflightLoadProducer, output_ratio=-1) == "output_ratio"
    assert refused_at(InflightLoadProducer, max_estimated_output_tokens=-1) == "max_estimated_output_tokens"


def test_contract():
    plugin = InflightLoadProducer()
    plugin.connect("load", {"x": ApproxPrefixCacheProducer()})

    keeps_its_promises(plugin, endpoints({}, {}, prefix_of_x=[match(2, 3), match(0, 3)]), [ASKED])

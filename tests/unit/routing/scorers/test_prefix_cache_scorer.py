"""More of the prompt in the prefix cache is better."""

import pytest

from bayplan.routing.endpoints.prefix_match import prefix_column
from bayplan.routing.scorers.prefix_cache_scorer import PrefixCacheScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, match, refused_at, scores

COLUMN = "prefix_of_approx_prefix_cache_producer"
CASES = {
    "the share of blocks": ({}, match(3, 4), 0.75),
    "nothing": ({}, match(0, 4), 0.0),
    "no block": ({}, match(0, 0), 0.0),
    "blocks may count less than 1": ({}, match(1.6, 2), 0.8),
    "the length alone, squared": (
        {"match_length_weight": 1, "match_length_scale_tokens": 64}, match(2, 4, 16), 0.25,
    ),
    "a long match counts fully": (
        {"match_length_weight": 1, "match_length_scale_tokens": 64}, match(9, 90, 16), 1.0,
    ),
    "half and half": (
        {"match_length_weight": 0.5, "match_length_scale_tokens": 64}, match(2, 8, 16), 0.25,
    ),
    "a weight, and no block": ({"match_length_weight": 0.5}, match(0, 0), 0.0),
}  # fmt: skip


@pytest.mark.parametrize(("parameters", "found", "wanted"), CASES.values(), ids=CASES)
def test_score(parameters, found, wanted):
    table = endpoints({}, **{COLUMN: [found]})

    assert scores(PrefixCacheScorer(**parameters), table) == {"a": pytest.approx(wanted)}


def test_it_reads_the_producer_that_it_names():
    plugin = PrefixCacheScorer("tier-two")

    assert plugin.reads == (prefix_column("tier-two"),) == ("prefix_of_tier_two",)
    assert scores(plugin, endpoints({}, prefix_of_tier_two=[match(1, 2)])) == {"a": 0.5}


RANGES = {
    "weight below 0": {"match_length_weight": -0.1},
    "weight above 1": {"match_length_weight": 1.1},
    "no scale": {"match_length_scale_tokens": 0},
}


@pytest.mark.parametrize("parameters", RANGES.values(), ids=RANGES)
def test_ranges(parameters):
    assert refused_at(PrefixCacheScorer, **parameters) == next(iter(parameters))


def test_contract():
    table = endpoints(*({} for _ in CASES), **{COLUMN: [found for _, found, _ in CASES.values()]})

    keeps_its_promises(PrefixCacheScorer(), table)
    keeps_its_promises(PrefixCacheScorer(match_length_weight=0.3), table)

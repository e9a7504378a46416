"""Prompts go where they are cached, unless it is far too busy there."""

import pytest

from bayplan.routing.filters.prefix_cache_affinity_filter import PrefixCacheAffinityFilter
from unit.routing.endpoint_tables import codes, endpoints, keeps_its_promises, kept, match, refused_at, request

COLUMN = "prefix_of_approx_prefix_cache_producer"
HELD, HALF, NOT = match(9, 10), match(5, 10), match(0, 10)


def tokens(*each):
    return [{"inflight_tokens": count} for count in each]


def ttft(*each):
    return [{"predicted_ttft_ms": time} for time in each]


def pool(given, matches):
    return endpoints(*given, **{COLUMN: matches})


PREDICTED = {"ttft_source": "latencyPredictor", "max_TTFT_penalty_ms": 100}
CASES = {
    "one holds it": ({}, tokens(0, 0, 0), [HELD, HALF, NOT], {"a"}),
    "a lower threshold": ({"affinity_threshold": 0.5}, tokens(0, 0, 0), [HELD, HALF, NOT], {"a", "b"}),
    "the threshold itself is enough": ({"affinity_threshold": 0.9}, tokens(0, 0), [HELD, HALF], {"a"}),
    "none holds it": ({}, tokens(0, 0), [HALF, NOT], {"a", "b"}),
    "no threshold": ({"affinity_threshold": 0}, tokens(0, 0), [HELD, NOT], {"a", "b"}),
    "alone": ({}, tokens(0), [NOT], {"a"}),
    "always exploring": ({"exploration_probability": 1}, tokens(0, 0), [HELD, NOT], {"a", "b"}),
    "18 s and a bit later": ({}, tokens(300_000, 0), [HELD, NOT], {"a", "b"}),
    "less than 18 s later": ({}, tokens(280_000, 0), [HELD, NOT], {"a"}),
    "the best of the others counts": ({}, tokens(300_000, 100_000, 20_000), [HELD, NOT, NOT], {"a"}),
    "just as late as allowed": (
        {"max_TTFT_penalty_ms": 1000, "peak_prefill_throughput": 1000}, tokens(1000, 0), [HELD, NOT], {"a"},
    ),
    "later than allowed": (
        {"max_TTFT_penalty_ms": 1000, "peak_prefill_throughput": 1000}, tokens(1001, 0), [HELD, NOT], {"a", "b"},
    ),
    "no limit": ({"max_TTFT_penalty_ms": 0}, tokens(9_000_000, 0), [HELD, NOT], {"a"}),
    "all hold it": ({}, tokens(9_000_000, 0), [HELD, HELD], {"a", "b"}),
    "predicted to be late": (PREDICTED, ttft(500, 300), [HELD, NOT], {"a", "b"}),
    "predicted to be in time": (PREDICTED, ttft(350, 300), [HELD, NOT], {"a"}),
    "no prediction is infinitely late": (PREDICTED, ttft(None, 300), [HELD, NOT], {"a", "b"}),
    "no prediction of the others": (PREDICTED, ttft(300, None), [HELD, NOT], {"a"}),
    "no prediction at all": (PREDICTED, ttft(None, None), [HELD, NOT], {"a"}),
}  # fmt: skip


@pytest.mark.parametrize(("parameters", "given", "matches", "wanted"), CASES.values(), ids=CASES)
def test_mask(parameters, given, matches, wanted):
    plugin, table = PrefixCacheAffinityFilter(**parameters), pool(given, matches)

    assert kept(plugin, table) == wanted
    assert codes(plugin, table) == {name: ["prefix-affinity"] for name in set(table.keys) - wanted}


def test_exploring_now_and_then():
    plugin, table = PrefixCacheAffinityFilter(exploration_probability=0.25), pool(tokens(0, 0), [HELD, NOT])
    explored = sum(kept(plugin, table, seed=seed) == {"a", "b"} for seed in range(400))

    assert 70 < explored < 130


def test_it_reads_the_producer_that_it_names():
    assert PrefixCacheAffinityFilter(prefix_match_info_producer_name="x").reads[0] == "prefix_of_x"


RANGES = {
    "threshold above 1": {"affinity_threshold": 1.5},
    "probability above 1": {"exploration_probability": 2},
    "probability below 0": {"exploration_probability": -1},
    "negative throughput": {"peak_prefill_throughput": -1},
    "no throughput": {"peak_prefill_throughput": 0},
}


@pytest.mark.parametrize("parameters", RANGES.values(), ids=RANGES)
def test_ranges(parameters):
    assert refused_at(PrefixCacheAffinityFilter, **parameters) == next(iter(parameters))


def test_no_throughput_is_fine_where_no_time_is_told():
    assert PrefixCacheAffinityFilter(peak_prefill_throughput=0, max_TTFT_penalty_ms=0)
    assert PrefixCacheAffinityFilter(peak_prefill_throughput=0, ttft_source="latencyPredictor")


def test_contract():
    keeps_its_promises(PrefixCacheAffinityFilter(), pool(tokens(0, 5, 9), [HELD, HALF, NOT]), [request("r")])

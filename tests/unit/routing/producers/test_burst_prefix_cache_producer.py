"""Bursts of equal prompts."""

import pytest

from bayplan.routing.producers.burst_prefix_cache_producer import BurstPrefixCacheProducer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, refused_at, request, sent_to

POOL = endpoints({}, {})
ASKED = request(tokens=range(10))


def producer(**parameters):
    plugin = BurstPrefixCacheProducer(**{"block_size_tokens": 4, **parameters})
    plugin.sent(ASKED, sent_to(POOL), 1.0)
    return plugin


def found(plugin, asked=ASKED, now=1.0):
    return [match.matched_blocks for match in plugin.matches(asked, ["a", "b"], [None, None], now)]


def test_within_the_window():
    assert found(producer(), now=1.05) == [3, 0]
    assert found(producer(), now=1.2) == [0, 0]


def test_a_short_match_counts_as_none():
    assert found(producer(min_colocate_blocks=2), request(tokens=range(4))) == [0, 0]
    assert found(producer(min_colocate_blocks=2), request(tokens=range(8))) == [2, 0]


def test_an_endpoint_takes_so_many_of_a_window():
    plugin = producer(max_per_replica=2)
    assert found(plugin) == [3, 0]
    plugin.sent(ASKED, sent_to(POOL), 1.09)

    assert found(plugin, now=1.09) == [0, 0]
    assert found(plugin, now=1.15) == [3, 0]
    plugin.sent(ASKED, sent_to(POOL), 1.5)
    assert found(plugin, now=1.5) == [3, 0]


def test_what_is_gone_is_forgotten():
    plugin = producer()
    plugin.endpoint_down("a")

    assert found(plugin) == [0, 0]


def test_its_column_has_its_name():
    plugin = producer()
    plugin.connect("burst", {})

    assert plugin.produces == ("prefix_of_burst",)


RANGES = {
    "no window": {"window_duration_ms": 0},
    "fewer than no limit": {"max_per_replica": -2},
    "negative blocks": {"min_colocate_blocks": -1},
    "no tokens": {"block_size_tokens": 0},
    "no batch": {"max_batch_size": 0},
}


@pytest.mark.parametrize("parameters", RANGES.values(), ids=RANGES)
def test_ranges(parameters):
    assert refused_at(BurstPrefixCacheProducer, **parameters) == next(iter(parameters))


def test_contract():
    keeps_its_promises(producer(), POOL, [ASKED])

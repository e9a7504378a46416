"""Which blocks endpoints hold, by what was sent to them."""

import pytest

from bayplan.routing.endpoints.endpoint import CachedPrompt, Endpoint, KnownState
from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from bayplan.routing.producers.approx_prefix_cache_producer import ApproxPrefixCacheProducer
from bayplan.routing.requests.routed_request import Prompt
from unit.routing.endpoint_tables import cycle, endpoints, keeps_its_promises, refused_at, request, sent_to

POOL = endpoints({}, {})
OWN = endpoints({"block_size": 8, "blocks": 3}, {})


def producer(**parameters):
    return ApproxPrefixCacheProducer(**{"block_size_tokens": 4, **parameters})


def found(plugin, asked, table=POOL):
    """Matched and total blocks on each endpoint."""
    columns = table.columns
    return [
        (match.matched_blocks, match.total_blocks)
        for match in plugin.matches(asked, columns["name"], columns["block_size"], 0.0)
    ]


SENT = request(tokens=range(10))
ASKED = {
    "the same again": (SENT, (3, 3)),
    "its beginning, with a block that is not full": (request(tokens=range(6)), (1, 2)),
    "more": (request(tokens=range(16)), (2, 4)),
    "another from the second block on": (request(tokens=[0, 1, 2, 3, 9, 9, 9, 9]), (1, 2)),
    "another": (request(tokens=range(1, 11)), (0, 3)),
    "another model": (request(tokens=range(10), model="x"), (0, 3)),
    "another salt": (request(tokens=range(10), cache_salt="x"), (0, 3)),
    "text is no ids": (request(text=bytes(40)), (0, 3)),
    "no prompt": (request(), (0, 0)),
    "two prompts": (request(prompts=(Prompt(tuple(range(8))), Prompt(tuple(range(4))))), (3, 3)),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "wanted"), ASKED.values(), ids=ASKED)
def test_a_request_is_remembered_where_it_went(asked, wanted):
    plugin = producer()
    plugin.sent(SENT, sent_to(POOL, 1), 0.0)

    assert found(plugin, asked) == [(0, wanted[1]), wanted]


def test_the_prefill_stage_holds_it_too():
    plugin = producer()
    plugin.sent(SENT, sent_to(POOL, 1, prefill=0), 0.0)

    assert found(plugin, SENT) == [(3, 3), (3, 3)]


LIMITS = {
    "tokens": ({"max_prefix_tokens_to_match": 9}, 2),
    "blocks": ({"max_prefix_tokens_to_match": 0, "max_prefix_blocks_to_match": 1}, 1),
    "none": ({"max_prefix_tokens_to_match": 0, "max_prefix_blocks_to_match": 0}, 3),
}


@pytest.mark.parametrize(("parameters", "blocks"), LIMITS.values(), ids=LIMITS)
def test_limits(parameters, blocks):
    plugin = producer(**parameters)
    plugin.sent(SENT, sent_to(POOL, 1), 0.0)

    assert found(plugin, SENT) == [(0, blocks), (blocks, blocks)]


def test_the_endpoints_own_block_size_and_number_of_blocks():
    plugin, long = producer(), request(tokens=range(40))
    plugin.sent(long, sent_to(OWN, 0, prefill=1), 0.0)

    assert found(plugin, long, OWN) == [(3, 5), (10, 10)]


def test_they_do_not_count_where_they_are_not_wanted():
    plugin, long = producer(auto_tune=False), request(tokens=range(40))
    plugin.sent(long, sent_to(OWN), 0.0)

    assert found(plugin, long, OWN) == [(10, 10), (0, 10)]


def test_capacity():
    plugin = producer(lru_capacity_per_server=3)
    for tokens in (range(8), range(100, 108)):
        plugin.sent(request(tokens=tokens), sent_to(POOL), 0.0)

    assert found(plugin, request(tokens=range(8)))[0] == (1, 2)
    assert found(plugin, request(tokens=range(100, 108)))[0] == (2, 2)


def test_the_first_prompt_stays_longest():
    plugin = producer(lru_capacity_per_server=1)
    plugin.sent(request(prompts=(Prompt((1,)), Prompt((2,)))), sent_to(POOL), 0.0)

    assert (found(plugin, request(tokens=[1]))[0], found(plugin, request(tokens=[2]))[0]) == ((1, 1), (0, 1))


def test_another_block_size_begins_anew():
    plugin = producer()
    plugin.sent(SENT, sent_to(POOL), 0.0)

    assert found(plugin, SENT, OWN)[0] == (0, 2)
    plugin.sent(SENT, sent_to(OWN), 0.0)
    assert found(plugin, SENT, OWN)[0] == (2, 2)


def test_what_a_document_says():
    plugin = producer()
    cached = (CachedPrompt("m", tuple(range(8))), CachedPrompt("m", text=b"abcdefgh"))
    plugin.endpoint_up(Endpoint("a", "10.0.0.1", known=KnownState(EngineMetrics(), cached=cached)), 0.0)
    plugin.endpoint_up(Endpoint("b", "10.0.0.2"), 0.0)

    assert found(plugin, request(tokens=range(8))) == [(2, 2), (0, 2)]
    assert found(plugin, request(text=b"abcdefgh")) == [(1, 1), (0, 1)]


def test_what_is_gone_is_forgotten():
    plugin = producer()
    plugin.sent(SENT, sent_to(POOL), 0.0)
    plugin.endpoint_down("a")
    plugin.endpoint_down("a")

    assert found(plugin, SENT) == [(0, 3), (0, 3)]


def test_its_column_has_its_name():
    plugin = producer()
    assert plugin.produces == ("prefix_of_approx_prefix_cache_producer",)
    plugin.connect("tier.2", {})

    assert plugin.produces == ("prefix_of_tier_x2e_2",)
    rows = type("Rows", (), {"size": 1, "name": ["a"], "block_size": [None]})
    assert list(plugin.produce(SENT, rows, cycle())) == ["prefix_of_tier_x2e_2"]


RANGES = {
    "no tokens in a block": {"block_size_tokens": 0},
    "negative tokens": {"max_prefix_tokens_to_match": -1},
    "negative blocks": {"max_prefix_blocks_to_match": -1},
    "no capacity": {"lru_capacity_per_server": 0},
}


@pytest.mark.parametrize("parameters", RANGES.values(), ids=RANGES)
def test_ranges(parameters):
    assert refused_at(ApproxPrefixCacheProducer, **parameters) == next(iter(parameters))


def test_a_reload_keeps_what_was_sent():
    former, plugin = producer(), producer()
    former.sent(SENT, sent_to(POOL), 0.0)
    plugin.take_over(former)

    assert found(plugin, SENT) == [(3, 3), (0, 3)]


def test_contract():
    plugin = producer()
    plugin.sent(SENT, sent_to(POOL), 0.0)

    keeps_its_promises(plugin, OWN, [SENT, request("other", tokens=range(6))])

"""Which blocks endpoints hold, by their own word."""

import pytest

from bayplan.routing.endpoints.endpoint import CachedPrompt, Endpoint, KnownState
from bayplan.routing.endpoints.kv_event import KvEvent
from bayplan.routing.prefix.precise import TokenProcessor
from bayplan.routing.producers.precise_prefix_cache_producer import PrecisePrefixCacheProducer
from bayplan.routing.requests.routed_request import Prompt
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, refused_at, request, sent_to

POOL = endpoints({}, {})
ASKED = request(tokens=range(10))
FIRST, SECOND = tuple(range(4)), tuple(range(4, 8))


def producer(**more):
    return PrecisePrefixCacheProducer(TokenProcessor(4), **more)


def found(plugin, asked=ASKED, now=0.0):
    return [
        (pytest.approx(match.matched_blocks), match.total_blocks)
        for match in plugin.matches(asked, ["a", "b"], [None, None], now)
    ]


def stored(tokens, medium=None, **more):
    return KvEvent("stored", "m", tuple(tokens), medium, **more)


def removed(tokens, medium=None):
    return KvEvent("removed", "m", tuple(tokens), medium)


CLEARED = KvEvent("cleared")
EVENTS = {
    "nothing": ([], 0),
    "full blocks only": ([stored(range(9))], 2),
    "the first alone": ([stored(range(4))], 1),
    "in CPU memory": ([stored(range(8), "cpu")], 1.6),
    "on both media": ([stored(range(8)), stored(range(8), "cpu")], 2),
    "the second in CPU memory": ([stored(range(4)), stored(range(8), "CPU")], 1.8),
    "removed": ([stored(range(8)), removed(range(8))], 0),
    "removed from one medium": ([stored(range(8)), stored(range(8), "cpu"), removed(range(8), "GPU")], 1.6),
    "cleared": ([stored(range(8)), stored(range(8), "cpu"), CLEARED], 0),
    "another model": ([KvEvent("stored", "x", tuple(range(8)))], 0),
    "what was never there is removed": ([removed(range(8)), CLEARED], 0),
    "an engine's names, one after the other": (
        [stored(FIRST, block_hashes=(11,)), stored(SECOND, block_hashes=(b"x",), parent_hash=11)], 2,
    ),
    "two at once": ([stored(FIRST + SECOND, block_hashes=(11, 12))], 2),
    "the parent was missed": ([stored(SECOND, block_hashes=(12,), parent_hash=11)], 0),
    "another block size": ([stored(FIRST, block_hashes=(11, 12))], 0),
    "removed by name": (
        [stored(FIRST + SECOND, block_hashes=(11, 12)), KvEvent("removed", block_hashes=(12, 99))], 1,
    ),
    "a gap": ([stored(FIRST + SECOND, block_hashes=(11, 12)), KvEvent("removed", block_hashes=(11,))], 0),
    "removed by name from one medium": (
        [
            stored(FIRST, block_hashes=(11,)), stored(FIRST, "cpu", block_hashes=(11,)),
            KvEvent("removed", medium="gpu", block_hashes=(11,)), KvEvent("removed", medium="cpu", block_hashes=(11,)),
            stored(SECOND, block_hashes=(12,), parent_hash=11),
        ],
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("events", "wanted"), EVENTS.values(), ids=EVENTS)
def test_events(events, wanted):
    plugin = producer()
    for event in events:
        plugin.kv_event("b", event, 0.0)

    assert found(plugin) == [(0, 2), (wanted, 2)]


def test_several_prompts_are_summed():
    plugin = producer()
    plugin.kv_event("a", stored(range(8)), 0.0)

    assert found(plugin, request(prompts=(Prompt(tuple(range(8))), Prompt(FIRST)))) == [(3, 3), (0, 3)]


def test_what_a_document_says():
    plugin = producer()
    cached = (CachedPrompt("m", tuple(range(4))), CachedPrompt("m", tuple(range(8)), medium="cpu"))
    plugin.endpoint_up(Endpoint("a", "10.0.0.1", known=KnownState(cached=cached)), 0.0)
    plugin.endpoint_up(Endpoint("b", "10.0.0.2"), 0.0)

    assert found(plugin) == [(1.8, 2), (0, 2)]


def test_own_picks_do_not_count():
    plugin = producer()
    plugin.sent(ASKED, sent_to(POOL), 0.0)

    assert found(plugin) == [(0, 2), (0, 2)]


def test_own_picks_may_count_for_two_seconds():
    plugin = producer(speculative_indexing=True)
    plugin.sent(ASKED, sent_to(POOL, 0, prefill=1), 1.0)

    assert found(plugin, now=3.0) == [(2, 2), (2, 2)]
    assert found(plugin, now=3.1) == [(0, 2), (0, 2)]


def test_what_is_gone_is_forgotten():
    plugin = producer(speculative_indexing=True)
    plugin.kv_event("a", stored(range(8)), 0.0)
    plugin.sent(ASKED, sent_to(POOL), 0.0)
    plugin.endpoint_down("a")
    plugin.endpoint_down("a")

    assert found(plugin) == [(0, 2), (0, 2)]


def test_another_block_size_is_a_warning():
    (warning,) = producer().warnings(endpoints({"block_size": 16}, {"block_size": 4}, {}))

    assert "endpoint a has a block size of 16 tokens" in warning


def test_sizes_of_blocks():
    assert [each.size for each in (TokenProcessor(), TokenProcessor(64), TokenProcessor(None, 32))] == [16, 64, 32]
    assert refused_at(TokenProcessor, block_size_tokens=-1) == "block_size_tokens"
    assert refused_at(TokenProcessor, block_size=-1) == "block_size"


def test_a_reload_keeps_what_engines_told():
    former = producer()
    former.kv_event("a", stored(range(8)), 0.0)
    same, other = producer(), PrecisePrefixCacheProducer(TokenProcessor(8))
    for plugin in (same, other):
        plugin.take_over(former)

    assert (found(same), found(other)) == ([(2, 2), (0, 2)], [(0, 1), (0, 1)])


def test_contract():
    plugin = producer()
    plugin.kv_event("a", stored(range(8)), 0.0)

    keeps_its_promises(plugin, POOL, [ASKED])


def computed(plugin, count, tokens=range(4), *, prefill=None, first_token=True):
    """So many prompts are computed, by the first endpoint or by that of the prefill stage."""
    for number in range(count):
        asked = request(str(number), tokens=tokens)
        plugin.sent(asked, sent_to(POOL, prefill=prefill), 0.0)
        if first_token:
            plugin.first_token(asked, 0.0)
        plugin.completed(asked, None, 0.0)


NEVER = {
    "an engine that tells of other prompts": ([stored(range(50, 54))], {}, "endpoint a never match"),
    "an engine whose blocks have another size": ([stored(FIRST, block_hashes=(11, 12))], {}, "endpoint a never match"),
    "an engine that tells of the prompts": ([stored(range(50, 54)), stored(FIRST)], {}, None),
    "an engine that tells nothing": ([], {}, None),
    "prompts that were never computed": ([stored(range(50, 54))], {"first_token": False}, None),
    "prompts without a whole block": ([stored(range(50, 54))], {"tokens": range(3)}, None),
    "another endpoint computed them": ([stored(range(50, 54))], {"prefill": 1}, None),
}


@pytest.mark.parametrize(("events", "asked", "warning"), NEVER.values(), ids=NEVER)
def test_events_that_never_match_are_told(events, asked, warning):
    plugin = producer()
    for each in events:
        plugin.kv_event("a", each, 0.0)
    computed(plugin, 30, **asked)

    found = plugin.warnings(POOL)
    assert [warning in each for each in found] == ([True] if warning else [])

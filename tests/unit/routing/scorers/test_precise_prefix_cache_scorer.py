"""More of the prompt in the prefix cache is better, by the endpoints' own word."""

from bayplan.routing.endpoints.kv_event import KvEvent
from bayplan.routing.prefix.precise import TokenProcessor
from bayplan.routing.scorers.precise_prefix_cache_scorer import PrecisePrefixCacheScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, refused_at, request, scores

POOL = endpoints({}, {})
ASKED = request(tokens=range(16))


def scorer(**more):
    plugin = PrecisePrefixCacheScorer(TokenProcessor(4), **more)
    plugin.kv_event("b", KvEvent("stored", "m", tuple(range(8))), 0.0)
    return plugin


def test_score():
    assert scores(scorer(), POOL, ASKED) == {"b": 0.5, "a": 0.0}


def test_the_length_may_count():
    assert scores(scorer(match_length_weight=1, match_length_scale_tokens=32), POOL, ASKED) == {"b": 1 / 16, "a": 0.0}


def test_it_is_a_producer_too():
    plugin = scorer()
    plugin.connect("tier-two", {})

    assert plugin.produces == ("prefix_of_tier_two",)
    assert [each.matched_blocks for each in plugin.matches(ASKED, ["a", "b"], [None, None], 0.0)] == [0, 2]


def test_ranges():
    assert refused_at(PrecisePrefixCacheScorer, match_length_weight=2) == "match_length_weight"
    assert refused_at(PrecisePrefixCacheScorer, match_length_scale_tokens=0) == "match_length_scale_tokens"


def test_contract():
    keeps_its_promises(scorer(), POOL, [ASKED])

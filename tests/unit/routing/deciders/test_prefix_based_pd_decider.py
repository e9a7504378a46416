"""Long prompts that are not cached have a prefill stage."""

import pytest

from bayplan.routing.deciders.prefix_based_pd_decider import PrefixBasedPdDecider
from bayplan.routing.producers.approx_prefix_cache_producer import ApproxPrefixCacheProducer
from unit.routing.endpoint_tables import endpoints, refused_at, request, sent_to

POOL = endpoints({}, {})
LONG = request(tokens=range(40))


def decider(**parameters):
    """Endpoint b holds the first 24 tokens of the prompt."""
    producer = ApproxPrefixCacheProducer(block_size_tokens=8)
    producer.sent(request(tokens=range(24)), sent_to(POOL, 1), 0.0)
    made = PrefixBasedPdDecider(**parameters)
    made.connect("d", {"approx-prefix-cache-producer": producer, "other": ApproxPrefixCacheProducer()})
    return made


CASES = {
    "0 is never": ({}, 0, False),
    "enough is not cached": ({"non_cached_tokens": 40}, 0, True),
    "the prompt is too short": ({"non_cached_tokens": 41}, 0, False),
    "enough beside what is cached": ({"non_cached_tokens": 16}, 1, True),
    "too little beside what is cached": ({"non_cached_tokens": 17}, 1, False),
    "a prompt that is long enough": ({"non_cached_tokens": 1, "prompt_tokens": 40}, 0, True),
    "a prompt that is not": ({"non_cached_tokens": 1, "prompt_tokens": 41}, 0, False),
    "another producer": ({"non_cached_tokens": 17, "prefix_match_info_producer_name": "other"}, 1, True),
}  # fmt: skip


@pytest.mark.parametrize(("parameters", "row", "wanted"), CASES.values(), ids=CASES)
def test_splits(parameters, row, wanted):
    assert decider(**parameters).splits(LONG, POOL, row, 0.0) == wanted


def test_ranges():
    assert refused_at(PrefixBasedPdDecider, non_cached_tokens=-1) == "non_cached_tokens"
    assert refused_at(PrefixBasedPdDecider, prompt_tokens=-1) == "prompt_tokens"

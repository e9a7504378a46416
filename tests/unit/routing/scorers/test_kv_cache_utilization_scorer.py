"""Free KV cache is better."""

import pytest

from bayplan.routing.scorers.kv_cache_utilization_scorer import KvCacheUtilizationScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, scores

CASES = {
    "the free share": ([{"kv_usage": 0.2}, {"kv_usage": 1.0}, {"kv_usage": 0.0}], {"a": 0.8, "b": 0.0, "c": 1.0}),
    "unknown is as the fullest": ([{"kv_usage": 0.2}, {}, {"kv_usage": 0.7}], {"a": 0.8, "b": 0.3, "c": 0.3}),
    "nothing known": ([{}, {}], {"a": 0.5, "b": 0.5}),
}  # fmt: skip


@pytest.mark.parametrize(("given", "wanted"), CASES.values(), ids=CASES)
def test_score(given, wanted):
    assert scores(KvCacheUtilizationScorer(), endpoints(*given)) == pytest.approx(wanted)


def test_contract():
    keeps_its_promises(KvCacheUtilizationScorer(), endpoints(*(each for given, _ in CASES.values() for each in given)))

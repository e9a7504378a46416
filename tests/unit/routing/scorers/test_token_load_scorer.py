"""Fewer tokens ahead are better."""

import pytest

from bayplan.routing.scorers.token_load_scorer import TokenLoadScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, refused_at, scores

CASES = {
    "nothing": (0, 0, 1.0),
    "in flight": (400, 0, 0.6),
    "of its own": (0, 100, 0.9),
    "both": (400, 100, 0.5),
    "beyond the threshold": (900, 200, 0.0),
}


@pytest.mark.parametrize(("inflight", "own", "wanted"), CASES.values(), ids=CASES)
def test_score(inflight, own, wanted):
    table = endpoints({"inflight_tokens": inflight}, uncached_tokens=[own])

    assert scores(TokenLoadScorer(1000), table) == {"a": pytest.approx(wanted)}


def test_the_threshold_is_large():
    assert scores(TokenLoadScorer(), endpoints({"inflight_tokens": 2_097_152}, uncached_tokens=[0])) == {"a": 0.5}


def test_a_threshold_of_nothing_is_refused():
    assert refused_at(TokenLoadScorer, queue_threshold_tokens=0) == "queue_threshold_tokens"


def test_contract():
    table = endpoints(*({"inflight_tokens": each} for each, _, _ in CASES.values()), uncached_tokens=[0, 1, 2, 3, 4])

    keeps_its_promises(TokenLoadScorer(1000), table)

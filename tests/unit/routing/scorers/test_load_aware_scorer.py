"""Short queues are better, up to a threshold."""

import pytest

from bayplan.routing.scorers.load_aware_scorer import LoadAwareScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, scores

CASES = {
    "an empty queue": (128, {"waiting": 0}, 0.5),
    "half of the threshold": (128, {"waiting": 64}, 0.25),
    "beyond it": (128, {"waiting": 900}, 0.0),
    "a threshold of one's own": (10, {"waiting": 4}, 0.3),
    "no threshold is 128": (0, {"waiting": 64}, 0.25),
    "a negative one too": (-5, {"waiting": 64}, 0.25),
    "unknown": (10, {}, 0.5),
}  # fmt: skip


@pytest.mark.parametrize(("threshold", "given", "wanted"), CASES.values(), ids=CASES)
def test_score(threshold, given, wanted):
    assert scores(LoadAwareScorer(threshold), endpoints(given)) == {"a": pytest.approx(wanted)}


def test_an_old_queue_is_the_worst():
    table = endpoints({"waiting": 1, "metrics_at_s": 1.0}, {"waiting": 5, "metrics_at_s": 9.0})

    assert scores(LoadAwareScorer(10), table, now=10.0) == {"a": 0.25, "b": 0.25}


def test_contract():
    keeps_its_promises(LoadAwareScorer(), endpoints(*(given for _, given, _ in CASES.values())))

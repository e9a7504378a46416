"""Shorter queues are better."""

import pytest

from bayplan.routing.scorers.queue_scorer import QueueScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, scores

OLD = 7.0  # measured three seconds before the time of asking
CASES = {
    "in proportion": ([{"waiting": 0}, {"waiting": 10}, {"waiting": 4}], {"a": 1.0, "b": 0.0, "c": 0.6}),
    "all equal": ([{"waiting": 3}, {"waiting": 3}], {"a": 1.0, "b": 1.0}),
    "alone": ([{"waiting": 9}], {"a": 1.0}),
    "unknown is the worst": ([{"waiting": 2}, {}, {"waiting": 8}], {"a": 1.0, "b": 0.0, "c": 0.0}),
    "old is the worst, and out of the range": (
        [{"waiting": 2}, {"waiting": 90, "metrics_at_s": OLD}, {"waiting": 4}], {"a": 1.0, "b": 0.0, "c": 0.0},
    ),
    "one is fresh": ([{"waiting": 7}, {"waiting": 0, "metrics_at_s": OLD}], {"a": 1.0, "b": 1.0}),
    "all are old": (
        [{"waiting": 0, "metrics_at_s": OLD}, {"waiting": 4, "metrics_at_s": OLD}, {"metrics_at_s": OLD}],
        {"a": 1.0, "b": 0.0, "c": 0.0},
    ),
    "two seconds are not old": (
        [{"waiting": 0, "metrics_at_s": 8.0}, {"waiting": 4}], {"a": 1.0, "b": 0.0},
    ),
    "never measured": ([{"waiting": 0, "metrics_at_s": None}, {"waiting": 4}], {"a": 1.0, "b": 1.0}),
    "nothing known": ([{}, {}], {"a": 0.5, "b": 0.5}),
}  # fmt: skip


@pytest.mark.parametrize(("given", "wanted"), CASES.values(), ids=CASES)
def test_score(given, wanted):
    assert scores(QueueScorer(), endpoints(*given), now=10.0) == pytest.approx(wanted)


def test_contract():
    keeps_its_promises(QueueScorer(), endpoints(*(each for given, _ in CASES.values() for each in given)))

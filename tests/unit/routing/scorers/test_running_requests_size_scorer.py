"""Fewer running requests are better."""

import pytest

from bayplan.routing.scorers.running_requests_size_scorer import RunningRequestsSizeScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, scores

CASES = {
    "in proportion": ([{"running": 0}, {"running": 10}, {"running": 4}], {"a": 1.0, "b": 0.0, "c": 0.6}),
    "requests that were sent since count": (
        [{"running": 2, "reserved_waiting": 4}, {"running": 4}], {"a": 0.0, "b": 1.0},
    ),
    "unknown stays unknown": ([{"reserved_waiting": 1}, {"running": 4}], {"a": 1.0, "b": 1.0}),
    "all equal": ([{"running": 3}, {"running": 2, "reserved_waiting": 1}], {"a": 1.0, "b": 1.0}),
}  # fmt: skip


@pytest.mark.parametrize(("given", "wanted"), CASES.values(), ids=CASES)
def test_score(given, wanted):
    assert scores(RunningRequestsSizeScorer(), endpoints(*given)) == pytest.approx(wanted)


def test_contract():
    keeps_its_promises(RunningRequestsSizeScorer(), endpoints(*(each for given, _ in CASES.values() for each in given)))

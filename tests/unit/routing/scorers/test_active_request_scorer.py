"""Fewer requests in flight are better, and idle endpoints the best."""

import pytest

from bayplan.routing.scorers.active_request_scorer import ActiveRequestScorer
from unit.routing.endpoint_tables import endpoints, keeps_its_promises, refused_at, scores

CASES = {
    "idle, busy, busiest": ({}, [0, 2, 8], [1.0, 0.75, 0.0]),
    "all idle": ({}, [0, 0], [1.0, 1.0]),
    "all equally busy": ({}, [3, 3], [0.0, 0.0]),
    "a few requests are idle": ({"idle_threshold": 2}, [2, 3, 6], [1.0, 0.5, 0.0]),
    "busy ones count less": ({"max_busy_score": 0.5}, [0, 2, 8], [1.0, 0.375, 0.0]),
}


@pytest.mark.parametrize(("parameters", "inflight", "wanted"), CASES.values(), ids=CASES)
def test_score(parameters, inflight, wanted):
    table = endpoints(*({"inflight_requests": each} for each in inflight))

    found = scores(ActiveRequestScorer(**parameters), table)

    assert [found[name] for name in table.keys] == pytest.approx(wanted)


def test_ranges():
    assert refused_at(ActiveRequestScorer, idle_threshold=-1) == "idle_threshold"
    assert refused_at(ActiveRequestScorer, max_busy_score=1.5) == "max_busy_score"


def test_contract():
    keeps_its_promises(ActiveRequestScorer(), endpoints(*({"inflight_requests": each} for each in (0, 1, 900))))

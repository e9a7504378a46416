"""Removals are part of plans: tests/unit/serving/planning/test_planner.py has their reasons."""

from bayplan.serving.planning.holdings import Holdings
from bayplan.serving.planning.removals import removals_of
from unit.serving.builders import booking, model, planner, server


def test_nothing_goes_where_everything_is_wanted():
    made, asked = planner([server("a", 2)], [booking(), booking(place="a/1")]), model(replicas=2)
    holdings = Holdings.of(asked, made.ledger)

    assert removals_of(asked, holdings, made.ledger, "a", [("a", 0), ("a", 1)]) == ()

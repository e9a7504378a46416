from __future__ import annotations

from bayplan.placement.answers.changes.change import Change, TakenStep
from unit.placement.answers.changes.planned import ladder

LADDER = ladder(None, (3, 2, 1), shown=lambda step: {"n": step})


def test_a_step_and_the_milder_one():
    assert (TakenStep(LADDER, 2).step, TakenStep(LADDER, 2).milder) == (1, {"n": 2})
    assert (TakenStep(LADDER, 0).step, TakenStep(LADDER, 0).milder) == (3, "now")


def test_the_kind_names_both_of_a_pair():
    other = ladder(None, (1,), change="other")

    assert Change((TakenStep(LADDER, 0), TakenStep(other, 0)), None, None, None).kind == "some and other"

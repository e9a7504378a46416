from __future__ import annotations

from dataclasses import replace

import pytest

from bayplan.framework.errors import InputError
from bayplan.placement.answers.changes.case import with_replicas
from bayplan.placement.answers.changes.climbing import climb
from bayplan.placement.answers.changes.oracle import Oracle
from bayplan.placement.planning.plan import Verdict
from unit.placement.answers.changes.asking import cluster, worker
from unit.placement.answers.changes.planned import case, ladder, planner

FOUR = cluster(worker("a"), worker("b"))
ASKED = case({"gpus": {"count": 1}, "replicas": 99})


def replicas(now, number):
    if number == 13:
        raise InputError("nobody wants 13")
    return replace(now, sized=with_replicas(now.sized, 0, number))


STEPS = {
    "in the middle":      (range(20, 0, -1), 4, Verdict.PARTLY),
    "the first":          ((3, 2, 1), 3, Verdict.PARTLY),
    "the last":           ((9, 6, 4), 4, Verdict.PARTLY),
    "the only one":       ((4,), 4, Verdict.PARTLY),
    "after a wrong one":  ((13, 4), 4, Verdict.INFEASIBLE),
}  # fmt: skip


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize(("steps", "step", "before"), STEPS.values(), ids=STEPS)
def test_the_mildest_step_that_fits(steps, step, before, monotone):
    found = climb(Oracle(planner(FOUR)), ASKED, ladder(replicas, steps, monotone=monotone))

    (taken,) = found.taken
    assert taken.step == step
    assert found.milder is before
    assert len(found.plan.replicas) == step


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("steps", [(), (9, 8, 7), (13,)])
def test_no_step_fits(steps, monotone):
    assert climb(Oracle(planner(FOUR)), ASKED, ladder(replicas, steps, monotone=monotone)) is None


def test_a_ladder_may_accept_some_replicas():
    found = climb(Oracle(planner(FOUR)), ASKED, ladder(replicas, (9,), partly=True))

    assert found.plan.verdict is Verdict.PARTLY


def test_few_plans_for_many_steps():
    oracle = Oracle(planner(FOUR), most_plans=14)

    assert climb(oracle, ASKED, ladder(replicas, range(1000, 0, -1))) is not None

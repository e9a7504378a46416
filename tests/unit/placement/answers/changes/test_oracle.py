from __future__ import annotations

from dataclasses import replace

import pytest

from bayplan.placement.answers.changes.oracle import Oracle, SpentError
from bayplan.placement.planning.plan import Verdict
from unit.placement.answers.changes.asking import LLAMA_70B, cluster, held, model, worker
from unit.placement.answers.changes.planned import case, planner

BUSY = cluster(worker("a"), bookings=[held("other", 0)])
TWO = case({"gpus": {"count": 2}})


def test_a_case_as_it_is():
    oracle = Oracle(planner(BUSY))

    assert oracle.attempt(TWO) is None
    assert oracle.verdict(TWO) is Verdict.WAITING
    assert oracle.fits(case({"gpus": {"count": 1}}))


def test_some_replicas_are_a_plan_that_does_not_fit_whole():
    oracle = Oracle(planner(BUSY))
    asked = case({"gpus": {"count": 1}, "replicas": 2})

    assert oracle.attempt(asked).verdict is Verdict.PARTLY
    assert not oracle.fits(asked)


def test_without_a_booking():
    ground = planner(BUSY)
    oracle = Oracle(ground)

    assert oracle.fits(replace(TWO, gone=tuple(ground.state.bookings)))
    assert not oracle.fits(TWO)


def test_with_a_worker_more():
    ground = planner(BUSY)
    new = replace(ground.state.cluster.workers[0], name="b", uid="")

    plan = Oracle(ground).attempt(replace(TWO, workers=(new,)))

    assert [booking.worker for booking in plan.bookings] == ["b"]


def test_with_a_worker_otherwise_than_it_is():
    ground = planner(cluster(worker("a", status="cordoned"), bookings=[held("other", 0)]))
    opened = replace(ground.state.cluster.workers[0], status="ready")
    one = case({"gpus": {"count": 1}})

    plan = Oracle(ground).attempt(replace(one, workers=(opened,)))

    assert [card.index for booking in plan.bookings for card in booking.cards] == [1]
    assert Oracle(ground).attempt(one) is None


def test_what_was_planned_before_counts():
    ground = planner(cluster(worker("a"), worker("b", cards=1)))
    ground.commit(ground.plan(TWO.sized))
    new = replace(ground.state.cluster.workers[1], name="c", uid="")
    other = case({"gpus": {"count": 2}})

    assert Oracle(ground).attempt(replace(other, workers=(new,))) is None


def test_a_division_that_nobody_can_make_is_infeasible():
    spec = {"model": model(architecture=LLAMA_70B), "backend": {"name": "vllm"}, "gpus": {"count": 81}}
    oracle = Oracle(planner(BUSY))

    assert oracle.attempt(case(spec)) is None
    assert oracle.verdict(case(spec)) is Verdict.INFEASIBLE


def test_plans_come_to_an_end():
    oracle = Oracle(planner(BUSY), most_plans=2)

    oracle.fits(TWO)
    oracle.verdict(TWO)

    with pytest.raises(SpentError):
        oracle.fits(TWO)


def test_many_replicas_cost_more_than_one():
    on = cluster(worker("a", cards=8))
    room = 5 * 1001

    Oracle(planner(on), most_decisions=room).fits(case({"gpus": {"count": 1}}))
    with pytest.raises(SpentError):
        Oracle(planner(on), most_decisions=room).fits(case({"gpus": {"count": 1}, "replicas": 8}))


def test_nothing_is_left_behind():
    ground = planner(BUSY)
    before = ground.plan(TWO.sized).verdict, list(ground.state.bookings), set(ground.state.written)
    oracle = Oracle(ground)
    for _ in range(12):
        oracle.fits(replace(TWO, gone=tuple(ground.state.bookings)))

    assert (ground.plan(TWO.sized).verdict, list(ground.state.bookings), set(ground.state.written)) == before


def test_what_was_told_is_not_asked_again():
    oracle = Oracle(planner(BUSY), most_plans=0)
    oracle.tell(TWO.sized, Verdict.INFEASIBLE)

    assert oracle.verdict(TWO) is Verdict.INFEASIBLE
    with pytest.raises(SpentError):
        oracle.verdict(replace(TWO, gone=tuple(planner(BUSY).state.bookings)))


def test_who_may_push_others_aside_does_so():
    asked = case({"gpus": {"count": 2}, "priority": 5, "preemption": "lower-priority"})
    oracle = Oracle(planner(BUSY))

    assert [victim.booking.workload for victim in oracle.attempt(asked).victims] == ["other"]
    assert oracle.attempt(case({"gpus": {"count": 3}, "priority": 5, "preemption": "lower-priority"})) is None

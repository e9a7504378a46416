from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import changes, cluster, held, verdict, worker

TWO = {"gpus": {"count": 2}, "priority": 5}


def victims(found):
    return [[f"{each['workload']}/{each['replica']}" for each in change["to"]] for change in found]


def preempted(spec, *bookings, workers=None, budgets=()):
    on = cluster(*(workers or [worker("a")]), bookings=bookings, budgets=budgets)
    return changes(spec, on, "preempt")


def test_one_that_suffices():
    (found,) = preempted(TWO, held("low", 0, 1, priority=1))

    assert found["detail"] == "preempt low#0 (priority 1)"
    assert found["to"] == [{"workload": "low", "namespace": "default", "replica": 0, "priority": 1, "workers": ["a"]}]
    assert found["not_enough"] == {"to": None, "verdict": "waiting"}


def test_those_of_higher_priority_and_its_own_replicas_stay():
    assert not preempted(TWO, held("high", 0, 1, priority=6))
    assert not preempted({**TWO, "replicas": 2}, held("mine", 0, 1, priority=1))


RAISED = {
    "an equal": (5, 6),
    "a higher one": (90, 91),
    "the highest that a user may give": (10**9 - 1, 10**9),
}


@pytest.mark.parametrize(("priority", "needed"), RAISED.values(), ids=RAISED)
def test_the_priority_that_it_would_take(priority, needed):
    on = cluster(worker("a"), bookings=[held("high", 0, 1, priority=priority)])
    (found,) = changes(TWO, on, "priority")

    assert (found["field"], found["from"], found["to"]) == ("priority", 5, needed)
    told = f"raise priority to {needed}, with preemption: lower-priority, to preempt high#0 (priority {priority})"
    assert found["detail"] == told
    assert not changes(TWO, on, "preempt")


def test_a_workload_that_may_preempt_needs_the_priority_alone():
    on = cluster(worker("a"), bookings=[held("high", 0, 1, priority=9)])
    (found,) = changes({**TWO, "preemption": "lower-priority"}, on, "priority")

    assert found["detail"] == "raise priority to 10 to preempt high#0 (priority 9)"


def test_the_least_priority_is_named():
    workers = [worker("a"), worker("b")]
    bookings = [held("high", 0, 1, priority=50), held("mid", 0, 1, on="b", priority=7)]

    assert [each["to"] for each in changes(TWO, cluster(*workers, bookings=bookings), "priority")] == [8]


def test_nobody_is_above_the_system():
    assert not changes(TWO, cluster(worker("a"), bookings=[held("dns", 0, 1, priority=2 * 10**9)]), "priority")


def test_where_somebody_of_lower_priority_suffices_none_is_named():
    on = cluster(worker("a"), worker("b"), bookings=[held("x", 0, 1, priority=9), held("y", 0, 1, on="b", priority=4)])

    assert not changes(TWO, on, "priority")
    assert changes(TWO, on, "preempt")


def test_the_lowest_priority_that_suffices():
    workers = [worker("a"), worker("b")]

    found = preempted(TWO, held("mid", 0, 1, priority=3), held("low", 0, 1, on="b", priority=1), workers=workers)

    assert victims(found) == [["low/0"]]


def test_one_rather_than_two():
    workers = [worker("a"), worker("b")]
    pair = [held("low", card, replica=card, priority=1) for card in (0, 1)]

    assert victims(preempted(TWO, *pair, held("one", 0, 1, on="b", priority=1), workers=workers)) == [["one/0"]]


def test_a_set_in_which_each_is_needed():
    workers = [worker("a", cards=3)]
    held_by_all = [held("low", card, replica=card, priority=card) for card in range(3)]

    (found,) = preempted({"gpus": {"count": 2}, "priority": 5}, *held_by_all, workers=workers)

    assert sorted(*victims([found])) == ["low/0", "low/1"]
    assert found["not_enough"]["verdict"] == "waiting"
    assert found["detail"] == "preempt low#0 (priority 0) and low#1 (priority 1) (low#0 (priority 0) is not enough)"


def test_neighbours_rather_than_replicas_all_over_the_place():
    workers = [worker("a", cards=3), worker("b"), worker("c", cards=4)]
    bookings = [
        *(held("wide", card, on="a", replica=card) for card in range(3)),
        *(held("pair", card, on="b", replica=card) for card in range(2)),
        *(held("many", card, on="c", replica=card) for card in range(4)),
    ]

    (found,) = preempted(TWO, *bookings, workers=workers)

    assert len(found["to"]) == 2
    assert len({place for each in found["to"] for place in each["workers"]}) == 1


def test_replicas_on_several_workers_where_one_is_not_enough():
    workers = [worker("a"), worker("b")]
    bookings = [held("low", 0, 1, on=name, replica=number) for number, name in enumerate("ab")]

    found = preempted({**TWO, "replicas": 2}, *bookings, workers=workers)

    assert [sorted(each) for each in victims(found)] == [["low/0", "low/1"]]
    assert found[0]["not_enough"]["verdict"] == "partly"


def test_a_gang_falls_together():
    workers = [worker("a"), worker("b")]
    gang = [held("g", 0, 1, replica=0, gang="g"), held("g", 0, replica=1, on="b", gang="g")]

    (found,) = preempted(TWO, *gang, held("rest", 1, on="b", priority=9), workers=workers)

    assert found["to"] == [
        {"workload": "g", "namespace": "default", "replica": None, "priority": 0, "workers": ["a", "b"]}
    ]
    assert found["detail"] == "preempt gang g (priority 0)"


def test_a_budget_protects():
    keep = [{"workload": "low", "minAvailable": 1}]

    assert not preempted(TWO, held("low", 0, 1, priority=1), budgets=keep)
    assert not preempted(TWO, *(held("low", card, replica=card) for card in (0, 1)), budgets=keep)


def test_what_no_eviction_cures():
    on = cluster(worker("a", cards=1), bookings=[held("low", 0)])

    assert verdict(TWO, on) == "infeasible"
    assert not changes(TWO, on, "preempt")

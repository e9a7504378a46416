"""Replica by replica: who asks, on what ground, and when the search ends."""

from dataclasses import replace

import numpy as np
import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import CostLimit, Role
from bayplan.placement.constraints.spot_share import ON_SPOT, OnSpot
from bayplan.placement.gangs import trial
from bayplan.placement.gangs.trial import Limits, Trial, members_of
from bayplan.placement.planning.plan import Verdict
from fleets import booking, whole
from unit.placement.builders import hash_of, planned_cluster, planner, role, sized, worker

CARD = role(gpus={"count": 1})
PAIR = [worker("a", cards=2, usd_per_hour=3.0), worker("b", cards=2)]


def trial_of(what=CARD, *, replicas=4, held=(), others=(), **more):
    ready = planned_cluster(*PAIR, bookings=(*held, *others))
    return Trial(ready, sized(what, replicas=replicas, **more), held, 1)


def mine(replica, *cards, on="a"):
    return booking("mine", *map(whole, cards), replica=replica, on=on)


def test_siblings_are_counted_by_worker_and_card():
    found = trial_of(held=[mine(0, 0), mine(1, 0, 1)]).subject(2, ()).siblings

    assert found.on_workers(_hashes("a", "b")).tolist() == [2, 0]
    assert found.on_cards(_hashes("a", "b"), 2).tolist() == [[2, 1], [0, 0]]


def test_a_workload_pays_once_for_a_worker():
    spent = trial_of(held=[mine(0, 0), mine(1, 1)]).constraints.spending.view(())

    assert spent.usd_per_hour == 3.0
    assert spent.workers.tolist() == [hash_of("a")]


def test_a_replica_counts_once_on_spot_workers():
    lent = [worker("a", cards=4, spot=True), worker("b", cards=2, spot=True), worker("c", cards=2)]
    held = [mine(0, 0), mine(0, 0, on="b"), mine(1, 1), mine(2, 0, on="c"), mine(3, 0, on="gone")]
    what = role(gpus={"count": 1}, cost=CostLimit(max_spot_percent=50.0))
    trial = Trial(planned_cluster(*lent, bookings=held), sized(what, replicas=6), held, 1)
    before = trial.checkpoint()

    assert trial.subject(4, ()).constraint(ON_SPOT) == OnSpot(2, 3, 6, 50.0)
    assert [each.placed.bookings[0].worker in ("a", "b") for each in trial.place(2)].count(True) == 1
    assert trial.subject(6, ()).constraint(ON_SPOT) == OnSpot(3, 3, 6, 50.0)
    trial.back_to(before)
    assert trial.subject(4, ()).constraint(ON_SPOT) == OnSpot(2, 3, 6, 50.0)


@pytest.mark.parametrize(("workers", "price"), [((), 0), (("a",), 3.0), (("a", "a"), 3.0), (("a", "b"), None)])
def test_price(workers, price):
    assert trial_of().price(workers) == price


def test_a_trial_leaves_the_planned_cluster_as_it_was():
    ready = planned_cluster(*PAIR)
    Trial(ready, sized(CARD, replicas=3), (), 1).place(3)

    assert not ready.written
    assert not ready.bookings


def test_the_last_replica_is_written_when_the_table_is_read():
    attempt = trial_of(replicas=1)

    (placed,) = attempt.place(1)
    row = attempt.snapshot.rows[placed.placed.bookings[0].worker]

    assert attempt.table.columns["bookings"][row] == 1


def test_a_gang_that_wants_more_members_than_it_has_ends():
    plan = planner(*PAIR).plan(sized(CARD, replicas=2, gang=Gang(minimum=3)))

    assert (plan.verdict, plan.replicas) == (Verdict.INFEASIBLE, ())


def test_back_to_a_mark():
    one = trial_of(replicas=3)
    before = one.constraints.spending.view(())
    mark = one.checkpoint()
    one.place(2)
    one.back_to(mark)

    after = one.constraints.spending.view(())
    assert not one.held
    assert (after.usd_per_hour, after.workers.tolist()) == (before.usd_per_hour, before.workers.tolist())
    assert one.subject(0, ()).siblings.on_workers(_hashes("a", "b")).tolist() == [0, 0]


ROLES = [("first", 2, CARD), ("second", 1, CARD)]
MISSING = {
    "nobody is there": ((), None, [("first", 2), ("second", 1)]),
    "those that are there count for the first roles": ((mine(0, 0),), None, [("first", 1), ("second", 1)]),
    "one more than the first role has": (
        (mine(0, 0), mine(1, 1), mine(2, 0, on="b")),
        None,
        [("first", 0), ("second", 0)],
    ),
    "in another order": ((), (1, 0), [("second", 1), ("first", 2)]),
}


@pytest.mark.parametrize(("held", "order", "expected"), MISSING.values(), ids=MISSING)
def test_who_is_missing(held, order, expected):
    ready = planned_cluster(*PAIR, bookings=held)
    one = Trial(ready, sized(*ROLES), held, 1, limits=Limits(order=order))

    assert [(role.name, missing) for role, missing in one.missing()] == expected


LAST = {
    "of a workload": (sized(CARD, replicas=3), 2, ["mine/1", "mine/2"]),
    "of a role": (sized(("web", 3, CARD)), 1, ["web/2"]),
    "nobody": (sized(CARD, replicas=3), 0, []),
}


@pytest.mark.parametrize(("asked", "last", "names"), LAST.values(), ids=LAST)
def test_members_by_name(asked, last, names):
    assert members_of(asked.workload, asked.roles[0], last) == names


def test_the_workers_that_would_take_a_member():
    one = trial_of(role(gpus={"count": 2}), others=[booking("other", whole(0), on="a")])
    names = [one.snapshot.workers[row].name for row in one.rows_of(one.sized.roles[0])]
    emptied = one.rows_when_empty()

    assert names == ["b"]
    assert len(emptied) == 2


def _hashes(*names):
    return np.array([hash_of(name) for name in names])


def test_pods_are_called_by_their_names():
    small, large = role(gpus={"count": 1}), role(gpus={"count": 9})
    members = [("w-0", 1, small), ("huge", 1, large)]
    roles = tuple(Role(name, number, what.shape, is_pod=True) for name, number, what in members)
    read = sized(*members, gang=Gang(2))
    group = replace(read, workload=replace(read.workload, roles=roles))

    assert planner(worker(cards=2)).plan(group).blocked == ("huge",)
    assert planner(worker(cards=2)).plan(read).blocked == ("huge/0",)


def test_a_gang_of_too_few_members_is_not_tried():
    plan = planner(worker(cards=2)).plan(sized(role(gpus={"count": 1}), replicas=2, gang=Gang(3)))

    assert (plan.verdict, plan.blocked) == (Verdict.INFEASIBLE, ("mine/0", "mine/1"))
    (told,) = plan.refused.summaries()
    assert (told.code, told.curable, told.message) == (
        "gang-short", False, "the gang needs 3 members, but has only 2"
    )  # fmt: skip


@pytest.mark.parametrize("strategy", ["spread", "pack"])
def test_a_table_of_its_own_changes_nothing(strategy, monkeypatch):
    workers = [worker(f"w{number}", cards=2, usd_per_hour=1.0) for number in range(9)]
    asked = sized(role(gpus={"count": 1}, strategy=strategy, cost=CostLimit(max_usd_per_hour=90.0)), replicas=14)
    plain = planner(*workers).plan(asked)
    monkeypatch.setattr(trial, "MOST_TOUCHED", 2)
    apart = planner(*workers).plan(asked)

    assert [(each.placed, each.score) for each in apart.replicas] == [
        (each.placed, each.score) for each in plain.replicas
    ]

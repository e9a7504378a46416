"""Replica by replica: who asks, on what ground, and when the search ends."""

from dataclasses import replace

import numpy as np
import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import CostLimit, Role
from bayplan.placement.plans import Verdict
from bayplan.placement.search import Search
from bayplan.placement.subject import OnSpot
from fleets import booking, whole
from unit.placement.builders import hash_of, planner, request, sized, worker

CARD = sized(gpus={"count": 1})
PAIR = [worker("a", cards=2, usd_per_hour=3.0), worker("b", cards=2)]


def search(what=CARD, *, replicas=4, held=(), others=(), **more):
    ready = planner(*PAIR, bookings=(*held, *others))
    return Search(ready, request(what, replicas=replicas, **more), held, 1)


def mine(replica, *cards, on="a"):
    return booking("mine", *map(whole, cards), replica=replica, on=on)


def test_siblings_are_counted_by_worker_and_card():
    found = search(held=[mine(0, 0), mine(1, 0, 1)]).subject(2, ()).siblings

    assert found.on_workers(_hashes("a", "b")).tolist() == [2, 0]
    assert found.on_cards(_hashes("a", "b"), 2).tolist() == [[2, 1], [0, 0]]


def test_a_workload_pays_once_for_a_worker():
    subject = search(held=[mine(0, 0), mine(1, 1)]).subject(2, ())

    assert subject.spent_usd_per_hour == 3.0
    assert subject.used.tolist() == [hash_of("a")]


def test_a_replica_counts_once_on_spot_workers():
    lent = [worker("a", cards=4, spot=True), worker("b", cards=2, spot=True), worker("c", cards=2)]
    held = [mine(0, 0), mine(0, 0, on="b"), mine(1, 1), mine(2, 0, on="c"), mine(3, 0, on="gone")]
    what = sized(gpus={"count": 1}, cost=CostLimit(max_spot_percent=50.0))
    trial = Search(planner(*lent, bookings=held), request(what, replicas=6), held, 1)
    before = trial.mark()

    assert trial.subject(4, ()).on_spot == OnSpot(2, 3, 6, 50.0)
    assert [each.placed.bookings[0].worker in ("a", "b") for each in trial.place(2)].count(True) == 1
    assert trial.subject(6, ()).on_spot == OnSpot(3, 3, 6, 50.0)
    trial.back_to(before)
    assert trial.subject(4, ()).on_spot == OnSpot(2, 3, 6, 50.0)


@pytest.mark.parametrize(("workers", "price"), [((), 0), (("a",), 3.0), (("a", "a"), 3.0), (("a", "b"), None)])
def test_price(workers, price):
    assert search().price(workers) == price


def test_a_trial_leaves_the_planner_as_it_was():
    ready = planner(*PAIR)
    Search(ready, request(CARD, replicas=3), (), 1).place(3)

    assert not len(ready.fork.touched)
    assert not ready.bookings


def test_a_gang_that_wants_more_members_than_it_has_ends():
    plan = planner(*PAIR).plan(request(CARD, replicas=2, gang=Gang(minimum=3)))

    assert (plan.verdict, plan.replicas) == (Verdict.INFEASIBLE, ())


def _hashes(*names):
    return np.array([hash_of(name) for name in names])


def test_pods_are_called_by_their_names():
    small, large = sized(gpus={"count": 1}), sized(gpus={"count": 9})
    members = [("w-0", 1, small), ("huge", 1, large)]
    roles = tuple(Role(name, number, what.shape, is_pod=True) for name, number, what in members)
    read = request(*members, gang=Gang(2))
    group = replace(read, workload=replace(read.workload, roles=roles))

    assert planner(worker(cards=2)).plan(group).blocked == ("huge",)
    assert planner(worker(cards=2)).plan(read).blocked == ("huge/0",)


def test_a_gang_of_too_few_members_is_not_tried():
    plan = planner(worker(cards=2)).plan(request(sized(gpus={"count": 1}), replicas=2, gang=Gang(3)))

    assert (plan.verdict, plan.blocked) == (Verdict.INFEASIBLE, ("mine/0", "mine/1"))
    (told,) = plan.refused.summaries()
    assert (told.code, told.curable, told.message) == (
        "gang-short", False, "the gang needs 3 members, and 2 want a place"
    )  # fmt: skip

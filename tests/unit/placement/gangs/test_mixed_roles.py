"""Members of different shapes: the most that find a place, and whether more could."""

from dataclasses import replace

import pytest

from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.workload import CostLimit
from bayplan.placement.gangs import mixed_roles as mixed
from bayplan.placement.gangs.mixed_roles import search_mixed
from bayplan.placement.gangs.trial import NO_LIMITS
from bayplan.placement.gangs.worker_capacity import Steps
from fleets import booking, whole
from unit.placement.builders import gpu, role, worker
from unit.placement.gangs.racks import CARD, PAIR, by_worker, gang_of, gang_planner, share

TRIPLE = role(gpus={"count": 3})
FIVES = [worker(name, cards=5) for name in "ab"]


def found(*roles, on, than=0, minimum=None, bookings=(), **others):
    return search_mixed(
        gang_planner(gang_of(*roles, minimum=minimum, **others), *on, bookings=bookings), NO_LIMITS, than
    )


def test_the_only_arrangement():
    arranged, exact = found((TRIPLE, 2), (PAIR, 2), on=FIVES)

    assert exact
    assert by_worker(arranged.placed) == {"a": 2, "b": 2}
    assert [(each.index, each.role.name) for each in arranged.placed] == [(0, "r0"), (1, "r0"), (2, "r1"), (3, "r1")]
    assert arranged.trial.blocked == []


def test_the_most_that_fit_the_first_roles_first():
    arranged, exact = found((PAIR, 2), (CARD, 2), on=[worker("a", cards=3)], minimum=1)

    assert exact
    assert [each.role.name for each in arranged.placed] == ["r0", "r1"]
    assert arranged.trial.blocked == ["r0/1", "r1/1"]


NONE = {
    "nothing better": ((CARD, 1), (PAIR, 1), {"than": 1, "minimum": 1}),
    "fewer than the minimum": ((CARD, 2), (PAIR, 1), {"minimum": 3}),
}


@pytest.mark.parametrize(("one", "other", "how"), NONE.values(), ids=NONE)
def test_there_is_no_better_one(one, other, how):
    assert found(one, other, on=[worker("a", cards=2)], **how) == (None, True)


def test_members_of_one_worker_take_cards_that_their_strategy_would_not():
    cards = [gpu(0, memory_mib=40), gpu(1, memory_mib=30)]
    arranged, _ = found((share(10), 1), (share(20), 3), on=[worker("a", cards=cards)])

    assert len(arranged.placed) == 4


def test_scores_are_those_of_the_cards_that_were_taken():
    cards = [gpu(0, memory_mib=40), gpu(1, memory_mib=30)]
    arranged, _ = found((share(10), 1), (share(20), 3), on=[worker("a", cards=cards)])
    taken = {each.index: each.placed.bookings[0].cards[0].index for each in arranged.placed}

    assert taken[0] == 1
    assert arranged.placed[0].score in (pytest.approx(2 / 3 * 10 / 30), pytest.approx(2 / 3))


def test_members_that_are_there_keep_their_numbers():
    held = [booking("mine", whole(0), on="a", replica=1)]
    arranged, _ = found((PAIR, 2), (CARD, 1), on=FIVES, bookings=held)

    assert [each.index for each in arranged.placed] == [0, 2]


@pytest.mark.parametrize("region", ["eu", "us"])
def test_members_that_name_a_region_stand_nowhere_else(region):
    on = [worker(each, cards=5, topology=TopologyPath(region=each)) for each in ("eu", "us")]
    bound = role(gpus={"count": 3}, regions=(region,))
    arranged, exact = found((bound, 2), (PAIR, 3), on=on, minimum=1)

    assert exact
    assert sorted((each.role.name, each.placed.bookings[0].worker) for each in arranged.placed) == sorted(
        [("r0", region), ("r1", "eu"), ("r1", "us"), ("r1", "us" if region == "eu" else "eu")]
    )


PRICED = [worker("dear", cards=2, usd_per_hour=5.0), worker("cheap", cards=3, usd_per_hour=3.0)]


def paying(count, limit):
    return role(gpus={"count": count}, cost=CostLimit(limit))


@pytest.mark.parametrize(("limit", "where"), [(8.0, {"dear": 1, "cheap": 1}), (7.0, {"cheap": 1}), (2.0, None)])
def test_all_workers_together_cost_no_more_than_allowed(limit, where):
    arranged, exact = found((paying(3, limit), 1), (paying(2, limit), 1), on=PRICED, minimum=1)

    assert exact
    assert (arranged and by_worker(arranged.placed)) == where


def test_prices_that_add_up_to_the_limit_are_within_it():
    on = [worker("a", cards=3, usd_per_hour=1.1), worker("b", cards=2, usd_per_hour=2.2)]
    arranged, _ = found((paying(3, 3.3), 1), (paying(2, 3.3), 1), on=on)

    assert by_worker(arranged.placed) == {"a": 1, "b": 1}


SPOT = [worker("lent", cards=4, spot=True), worker("own", cards=2)]


@pytest.mark.parametrize(("percent", "placed"), [(100, 3), (67, 3), (34, 2), (0, 1)])
def test_only_some_stand_on_spot_workers(percent, placed):
    cost = CostLimit(max_spot_percent=percent)
    roles = [(role(gpus={"count": count}, cost=cost), number) for count, number in ((2, 2), (1, 1))]

    arranged, exact = found(*roles, on=SPOT, minimum=1)

    assert exact
    assert len(arranged.placed) == placed
    assert by_worker(arranged.placed).get("lent", 0) <= percent * 3 / 100


BEYOND = {
    "too many workers": {"on": [worker(f"w{n}", cards=2) for n in range(mixed.MOST_WORKERS + 1)]},
    "too many members": {"on": FIVES, "many": mixed.MOST_MEMBERS},
}


@pytest.mark.parametrize("how", BEYOND.values(), ids=BEYOND)
def test_what_is_not_searched_is_not_proven(how):
    how = dict(how)

    assert found((PAIR, how.pop("many", 1)), (CARD, 1), **how) == (None, False)


def test_roles_that_do_not_even_fit_alone_need_no_search():
    asked = gang_planner(gang_of((role(gpus={"count": 3}), 3), (CARD, 1)), *FIVES)

    assert search_mixed(asked, NO_LIMITS, 0) == (None, True)
    assert asked.steps.taken == 0


def test_steps_are_shared_by_all_searches_of_a_plan():
    asked = gang_planner(gang_of((TRIPLE, 2), (PAIR, 2)), *FIVES)
    search_mixed(asked, NO_LIMITS, 0)
    once = asked.steps.taken
    search_mixed(asked, NO_LIMITS, 0)

    assert asked.steps.taken == 2 * once > 0


def test_steps_that_are_used_up_prove_nothing():
    asked = replace(gang_planner(gang_of((TRIPLE, 2), (PAIR, 2)), *FIVES), steps=Steps(1))

    assert search_mixed(asked, NO_LIMITS, 0) == (None, False)

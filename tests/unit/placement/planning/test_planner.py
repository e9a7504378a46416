"""Plans: how many replicas, which numbers, which verdict; and what further plans stand on."""

import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.worker import WorkerStatus
from bayplan.cluster.workload import CostLimit
from bayplan.framework.errors import InputError
from fleets import booking, share, whole
from unit.placement.builders import LLAMA, cards_of, gpu, need, planner, role, sized, worker
from unit.placement.planning.planned import CARD, FITS, FOUR, INFEASIBLE, PARTLY, TWO, WAITING, server, theirs

pytestmark = pytest.mark.usefixtures("no_headroom")


def counted(plan):
    return plan.verdict, plan.desired, plan.minimum, len(plan.replicas)


def mine(replica, card=None, on="a", **others):
    return booking("mine", *([whole(card)] if card is not None else []), replica=replica, on=on, **others)


COUNTS = {
    "one": (sized(CARD), [TWO], (), (FITS, 1, 1, 1)),
    "several": (sized(CARD, replicas=2), [TWO], (), (FITS, 2, 1, 2)),
    "as many as fit": (sized(CARD, replicas=3), [TWO], (), (PARTLY, 3, 1, 2)),
    "none": (sized(CARD, replicas=0), [TWO], (), (FITS, 0, 0, 0)),
    "none of a gang": (sized(CARD, replicas=0, gang=Gang()), [TWO], (), (FITS, 0, 0, 0)),
    "all are there": (sized(CARD), [TWO], [mine(0, 0)], (FITS, 0, 0, 0)),
    "one is missing": (sized(CARD, replicas=2), [TWO], [mine(0, 0)], (FITS, 1, 1, 1)),
    "one has no room now": (sized(CARD), [TWO], [theirs(0, 1)], (WAITING, 1, 1, 0)),
    "one never has": (sized(role(gpus={"count": 3})), [TWO], [theirs(0, 1)], (INFEASIBLE, 1, 1, 0)),
    "a gang": (sized(CARD, replicas=2, gang=Gang()), [TWO], (), (FITS, 2, 2, 2)),
    "a gang of all does without none": (sized(CARD, replicas=3, gang=Gang()), [TWO], (), (INFEASIBLE, 3, 3, 0)),
    "a gang that waits": (sized(CARD, replicas=2, gang=Gang()), [TWO], [theirs(0)], (WAITING, 2, 2, 0)),
    "its minimum": (sized(CARD, replicas=3, gang=Gang(2)), [TWO], (), (PARTLY, 3, 2, 2)),
    "less than its minimum": (sized(CARD, replicas=4, gang=Gang(3)), [TWO], (), (INFEASIBLE, 4, 3, 0)),
    "a minimum above what is desired": (sized(CARD, replicas=1, gang=Gang(2)), [TWO], (), (INFEASIBLE, 1, 2, 0)),
    "those that are there count for the minimum": (
        sized(CARD, replicas=4, gang=Gang(3)), [FOUR], [mine(0, 0), mine(1, 1), theirs(2)], (PARTLY, 2, 1, 1),
    ),
    "the minimum is there already": (
        sized(CARD, replicas=4, gang=Gang(1)), [FOUR], [mine(0, 0), mine(1, 1)], (FITS, 2, 1, 2),
    ),
    "no workers": (sized(CARD), [], (), (INFEASIBLE, 1, 1, 0)),
    "workers without cards": (sized(CARD), [worker("a"), worker("b")], (), (INFEASIBLE, 1, 1, 0)),
    "workers without cards, no cards wanted": (sized(role()), [worker("a")], (), (FITS, 1, 1, 1)),
    "a replica over two workers is one": (
        sized(CARD, replicas=2), [TWO, server("b", 80)], [mine(0, 0), mine(0, 0, "b")], (FITS, 1, 1, 1),
    ),
    "a booking on a worker that is gone is a replica": (sized(CARD), [TWO], [mine(0, 0, "gone")], (FITS, 0, 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "workers", "bookings", "wanted"), COUNTS.values(), ids=COUNTS)
def test_verdict_and_numbers(asked, workers, bookings, wanted):
    assert counted(planner(*workers, bookings=bookings).plan(asked)) == wanted


UNKNOWN = {
    "a need": (role(need(unknown="give model.weights"), "vllm"), TWO, {"unknown-need"}),
    "the size of cards": (role(need(10, **LLAMA), "vllm"), server("a", None), {"unknown-capacity"}),
    "RAM": (role(ram_mib=5), TWO, {"unknown-capacity"}),
}


@pytest.mark.parametrize(("what", "where", "codes"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_nobody_told_never_fits(what, where, codes):
    plan = planner(where).plan(sized(what))

    assert (plan.verdict, {each.code for each in plan.refused.summaries()}) == (INFEASIBLE, codes)


def test_an_unknown_need_is_said_of_every_worker():
    plan = planner(TWO, worker("b"), server("c", None)).plan(sized(role(need(unknown="give weights"), "vllm")))

    assert [(each.code, each.workers) for each in plan.refused.summaries()] == [("unknown-need", 3)]


NUMBERS = {
    "from 0": ((), 2, [0, 1]),
    "after those that are there": ([mine(0)], 2, [1]),
    "gaps are filled": ([mine(0), mine(2)], 4, [1, 3]),
    "far ones count too": ([mine(7)], 3, [0, 1]),
}


@pytest.mark.parametrize(("bookings", "replicas", "wanted"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_replicas(bookings, replicas, wanted):
    plan = planner(FOUR, bookings=bookings).plan(sized(CARD, replicas=replicas))

    assert [each.index for each in plan.replicas] == wanted
    assert [each.replica for each in plan.bookings] == wanted


def test_removals_where_there_are_more_than_wanted():
    held = [mine(0, 0), mine(1, 1), mine(2, 0, "b")]
    workers = TWO, server("b", 80, status=WorkerStatus.NOT_READY)
    plan = planner(*workers, bookings=held).plan(sized(CARD, replicas=1))

    assert counted(plan) == (FITS, 0, 0, 0)
    assert [each.replica for each in plan.removals] == [2, 1]


REMOVED = {"pack": 2, "five-factors": 2, "vgpu-cost-saving": 2, "spread": 1, "vgpu-high-performance": 1}


@pytest.mark.parametrize(("strategy", "gone"), REMOVED.items(), ids=REMOVED)
def test_removals_follow_the_strategy(strategy, gone):
    held = [mine(0, 0), mine(1, 1), mine(2, 0, "b")]
    what = role(gpus={"count": 1}, strategy=strategy)
    plan = planner(TWO, server("b", 80), bookings=held).plan(sized(what, replicas=2))

    assert [each.replica for each in plan.removals] == [gone]


def roles(*members, **others):
    return sized(*members, **others)


BIG, SMALL = role(gpus={"count": 3}), role(gpus={"count": 1})


ROLES = {
    "all": (roles(("x", 1, BIG), ("y", 1, SMALL)), FOUR, (), (FITS, 2, 1, 2), ["x", "y"]),
    "one has no room": (roles(("x", 1, BIG), ("y", 2, SMALL)), TWO, (), (PARTLY, 3, 1, 2), ["y", "y"]),
    "a gang of all": (roles(("x", 1, BIG), ("y", 2, SMALL), gang=Gang()), FOUR, (), (INFEASIBLE, 3, 3, 0), []),
    "the minimum counts members of all roles": (
        roles(("x", 1, BIG), ("y", 2, SMALL), gang=Gang(2)), FOUR, (), (PARTLY, 3, 2, 2), ["x", "y"],
    ),
    "those that are there are of the first roles": (
        roles(("x", 1, BIG), ("y", 2, SMALL)), FOUR, [mine(0)], (FITS, 2, 1, 2), ["y", "y"],
    ),
    "a role of nobody": (roles(("x", 0, BIG), ("y", 1, SMALL)), FOUR, (), (FITS, 1, 1, 1), ["y"]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "where", "bookings", "wanted", "names"), ROLES.values(), ids=ROLES)
def test_roles(asked, where, bookings, wanted, names):
    plan = planner(where, bookings=bookings).plan(asked)

    assert counted(plan) == wanted
    assert [each.role.name for each in plan.replicas] == names


BLOCKED = {
    "nobody": (sized(CARD, replicas=2), ()),
    "the last replicas": (sized(CARD, replicas=6), ("mine/4", "mine/5")),
    "all of them": (sized(role(gpus={"count": 9}), replicas=2), ("mine/0", "mine/1")),
    "of a gang those without room": (sized(CARD, replicas=6, gang=Gang()), ("mine/4", "mine/5")),
    "the role without room": (roles(("x", 2, BIG), ("y", 1, SMALL)), ("x/1",)),
}


@pytest.mark.parametrize(("asked", "names"), BLOCKED.values(), ids=BLOCKED)
def test_who_has_no_room(asked, names):
    assert planner(FOUR).plan(asked).blocked == names


def test_a_plan_changes_nothing_until_it_is_committed():
    plans = planner(TWO)
    first = plans.plan(sized(CARD, name="first", replicas=2))

    assert plans.plan(sized(CARD, name="second")).verdict is FITS
    plans.commit(first)
    assert plans.plan(sized(CARD, name="second")).verdict is WAITING
    assert plans.state.bookings == first.bookings


def test_a_removed_replica_whose_worker_is_gone():
    plans = planner(TWO, bookings=[mine(0, 0, "gone")])
    plans.commit(plans.plan(sized(CARD, replicas=0)))

    assert plans.state.bookings == ()


def test_the_same_workload_again_adds_nothing():
    plans = planner(TWO)
    asked = sized(CARD, replicas=2)
    plans.commit(plans.plan(asked))

    assert counted(plans.plan(asked)) == (FITS, 0, 0, 0)


def test_each_replica_counts_for_the_next():
    plan = planner(server("a", 80), server("b", 80)).plan(sized(role(gpus={"memory_mib": 50}), replicas=2))

    assert sorted(name for each in plan.replicas for name in cards_of(each)) == ["a", "b"]


@pytest.mark.parametrize(("strategy", "workers"), [("pack", 1), ("spread", 2)])
def test_siblings_under_spread(strategy, workers):
    what = role(gpus={"memory_mib": 10}, strategy=strategy)
    plan = planner(server("a", 80), server("b", 80)).plan(sized(what, replicas=2))

    assert len({name for each in plan.replicas for name in cards_of(each)}) == workers


def test_replicas_that_were_there_are_siblings():
    what = role(gpus={"memory_mib": 10}, strategy="spread")
    held = [booking("mine", share(0, 10), on="a"), booking("o", share(0, 5), on="b")]
    (replica,) = planner(server("a", 80), server("b", 80), bookings=held).plan(sized(what, replicas=2)).replicas

    assert set(cards_of(replica)) == {"b"}


def test_copies_find_room_together():
    """The least free cards alone would leave room for one copy only."""
    what = role(gpus={"count": 2, "memory_mib": 40})

    assert len(planner(server("a", 40, 40, 80)).plan(sized(what, replicas=2)).replicas) == 2


def test_overcommit_is_said():
    what = role(gpus={"memory_mib": 50}, allow_overcommit=True)
    plan = planner(server("a", 80)).plan(sized(what, replicas=2))

    assert plan.verdict is FITS
    assert plan.warnings == ("overcommit: replica 1 takes 20 MiB more than is free",)


def test_prices_of_all_workers_are_summed():
    workers = [server(name, 80, usd_per_hour=4.0) for name in "abc"]
    what = role(gpus={"count": 1}, cost=CostLimit(9.0))

    assert counted(planner(*workers).plan(sized(what, replicas=3))) == (PARTLY, 3, 1, 2)
    assert counted(planner(*workers).plan(sized(what, replicas=3, gang=Gang()))) == (INFEASIBLE, 3, 3, 0)


@pytest.mark.parametrize(("prices", "wanted"), [((4.0, 1.5), 5.5), ((4.0, None), None)])
def test_what_a_replica_costs(prices, wanted):
    workers = [server(name, 80, usd_per_hour=price) for name, price in zip("ab", prices, strict=True)]
    what = role(need(160, **LLAMA), "vllm", "-tp=1", distributed=True)

    assert planner(*workers).plan(sized(what)).replicas[0].usd_per_hour == wanted


def test_neighbours_that_were_just_placed_are_avoided():
    plans = planner(server("a", 80), server("b", 80))
    plans.commit(plans.plan(sized(role(gpus={"memory_mib": 10}), name="noisy")))
    asked = sized(role(gpus={"memory_mib": 10}, anti_affinity=("noisy",)))

    assert {each.worker for each in plans.plan(asked).bookings}.isdisjoint(
        {each.worker for each in plans.state.bookings}
    )


def test_a_namesake_in_another_namespace_is_no_neighbour_and_no_replica():
    plans = planner(server("a", 80), server("b", 80))
    plans.commit(plans.plan(sized(role(gpus={"memory_mib": 10}), name="noisy", namespace="x")))
    what = role(gpus={"memory_mib": 10}, anti_affinity=("noisy",))

    plan = plans.plan(sized(what, name="noisy"))

    assert counted(plan) == (FITS, 1, 1, 1)
    assert [each.worker for each in plan.bookings] == [each.worker for each in plans.state.bookings]


def test_only_replicas_of_its_own_namespace_are_removed():
    bookings = [booking("mine", whole(0), on="a", namespace="x"), booking("mine", whole(0), on="b")]
    plans = planner(server("a", 80), server("b", 80), bookings=bookings)

    plan = plans.plan(sized(role(gpus={"count": 1}), replicas=0))
    plans.commit(plan)

    assert [removal.worker for removal in plan.removals] == ["b"]
    assert list(plans.state.bookings) == bookings[:1]


def test_a_replica_may_avoid_its_siblings():
    what = role(gpus={"memory_mib": 10}, anti_affinity=("mine",))

    assert counted(planner(server("a", 80), server("b", 80)).plan(sized(what, replicas=3))) == (PARTLY, 3, 1, 2)


def test_a_runtime_in_no_table_is_used_and_named():
    where = worker(cards=[gpu(0, runtime="musa", memory_mib=80)])
    plan = planner(where).plan(sized(role(need(10, **LLAMA), "vllm")))

    assert plan.verdict is FITS
    assert plan.warnings == ("whether vllm runs on musa is not known; the plan assumes it does",)


def test_warnings_come_once():
    plan = planner(TWO).plan(sized(role(need(10), "llama-cpp"), replicas=3, warnings=("odd", "odd")))

    assert plan.warnings == (
        "odd",
        "model.architecture.layers is not known, so the model is not divided over cards",
    )


def test_waiting_thinks_away_bookings_and_nothing_else():
    """Of 80 MiB others use 30 that nobody booked."""
    where = worker(cards=[gpu(0, memory_mib=80, observed_used_mib=50)])
    held = [booking("o", share(0, 20))]

    def verdict(mib):
        return planner(where, bookings=held).plan(sized(role(gpus={"memory_mib": mib}))).verdict

    assert [verdict(30), verdict(31), verdict(50), verdict(51)] == [FITS, WAITING, WAITING, INFEASIBLE]


def test_gangs_are_booked_as_such():
    plan = planner(TWO).plan(sized(CARD, gang=Gang(), priority=5))

    assert [(each.gang, each.priority) for each in plan.bookings] == [("mine", 5)]


def test_an_unknown_strategy_is_an_input_error():
    with pytest.raises(InputError, match="no profile is called 'sprad'"):
        planner(TWO).plan(sized(role(gpus={"count": 1}, strategy="sprad")))


def test_same_input_same_plan():
    first, second = (
        planner(*[server(name, 80) for name in "abcdef"], seed=3).plan(sized(CARD, replicas=4)) for _ in range(2)
    )

    assert first.bookings == second.bookings


def test_without_reasons_the_plan_is_the_same():
    asked = sized(CARD, replicas=3)
    told, silent = (planner(TWO).plan(asked, reasons=reasons) for reasons in (True, False))

    assert told.bookings == silent.bookings
    assert told.verdict is silent.verdict is PARTLY
    assert (bool(told.options), bool(silent.options)) == (True, False)
    assert (bool(told.refused.summaries()), bool(silent.refused.summaries())) == (True, False)


def test_an_attempt_is_the_plan_or_nothing():
    for asked in (sized(CARD), sized(CARD, replicas=3), sized(CARD, replicas=2, gang=Gang())):
        assert planner(TWO).attempt(asked).bookings == planner(TWO).plan(asked).bookings
    for asked in (sized(role(gpus={"count": 3})), sized(CARD, replicas=3, gang=Gang()), sized(CARD, replicas=0)):
        assert planner(TWO).attempt(asked) is None


def test_a_planner_without_some_bookings():
    held = [theirs(0), booking("others", whole(1))]
    plans = planner(TWO, bookings=held)
    without = plans.without(held[:1])

    assert list(without.state.bookings) == held[1:]
    assert cards_of(without.plan(sized(CARD)).replicas[0]) == {"a": ["cuda:0"]}
    assert plans.plan(sized(CARD)).verdict is WAITING


def test_a_planner_with_other_workers():
    plans = planner(TWO, bookings=[theirs(0, 1)])
    more = plans.with_workers([server("b", 80)])
    larger = plans.with_workers([FOUR])

    assert cards_of(more.plan(sized(CARD)).replicas[0]) == {"b": ["cuda:0"]}
    assert set(cards_of(larger.plan(sized(CARD)).replicas[0])["a"]) <= {"cuda:2", "cuda:3"}
    assert plans.plan(sized(CARD)).verdict is WAITING

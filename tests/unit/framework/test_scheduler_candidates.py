"""Where the candidates of a cycle come from, many decisions in a row, and what is told of them."""

import numpy as np
import pytest

from bayplan.framework.errors import HandlerError, InputError, PickerError, PluginError
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.list_table import ListTable
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Depends, Resolution, Want
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table
from unit.framework.builders import (
    Books,
    Handles,
    Keeps,
    Picks,
    Scores,
    freest,
    profile,
    roomy,
    rows_of,
    run,
    scheduler,
    table,
)  # fmt: skip
from unit.framework.schedulers import boom, least_free

STORAGES = pytest.mark.parametrize("kind", [Table, ListTable])


class Zones:
    """A source: the zones of the table, with how much is free in each."""

    name = "zones"

    def candidates(self, ask, table, cycle):
        free = np.bincount(table.columns["zone"], table.columns["free"])
        return Table(
            static={"zone": np.arange(len(free))}, state={"free": free}, keys=[f"zone-{n}" for n in range(len(free))]
        )


@pytest.mark.parametrize("by", ["profile", "run"])
def test_candidates_may_come_from_a_source(by):
    mine = Scheduler(
        [profile(least_free(), candidates="zones" if by == "profile" else None)],
        Handles([run(candidates=None if by == "profile" else "zones")]),
        table=table(),
        sources=[Zones()],
    )

    assert mine.schedule("s").picked[0].key == "zone-1"


def test_a_run_may_overrule_its_profiles_source():
    class Two(Zones):
        name = "two"

        def candidates(self, ask, table, cycle):
            return ListTable(state={"free": [1]}, static={"zone": [1]}, keys=["only"])

    only = profile(candidates="zones")
    mine = Scheduler([only], Handles([run(candidates="two"), run(name="x")]), table=table(), sources=[Zones(), Two()])

    outcome = mine.schedule("s")
    assert (outcome.picked[0].key, outcome.results["x"].picked[0].key) == ("only", "zone-0")


@pytest.mark.parametrize(
    ("answer", "message"),
    [(lambda *_: [1, 2], "made a list where a table was asked for"), (boom, "raised ZeroDivisionError: by three")],
)
def test_a_source_that_breaks_its_promise_is_named(answer, message):
    class Bad:
        name = "bad"

        def candidates(self, ask, table, cycle):
            return answer(ask, table, cycle)

    with pytest.raises(PluginError) as caught:
        Scheduler([profile(candidates="bad")], SingleProfile(), table=table(), sources=[Bad()]).schedule("s")
    assert (caught.value.plugin, caught.value.message) == ("bad", message)


def test_a_table_may_be_given_with_each_call():
    mine = Scheduler([profile(freest())], SingleProfile())
    assert rows_of(mine.schedule("s", table=table())) == [0]
    assert rows_of(mine.schedule("s", table=table((1, 5)[:2], (0, 0)))) == [1]
    with pytest.raises(InputError, match=r"profile p: no table to look at; pass one to schedule\(\)"):
        mine.schedule("s")


def test_a_table_of_other_columns_is_bound_anew():
    score = Scores("s", ("free",), lambda ask, rows, cycle: np.array(rows.free) / 10)
    mine = Scheduler([profile(score)], SingleProfile())
    static = Table(static={"free": [1, 2, 3]})

    assert mine.evaluator("p", table()) is not mine.evaluator("p", static)
    assert rows_of(mine.schedule("s", table=table())) == [0]
    assert rows_of(mine.schedule("s", table=static)) == [2]
    static.write(0, {"free": 9})
    assert rows_of(mine.schedule("s", table=static)) == [0]
    assert rows_of(mine.schedule("s", table=table(kind=ListTable))) == [0]


def test_what_was_static_in_one_table_may_change_in_the_next():
    mine = Scheduler([profile(freest())], SingleProfile())
    steady = Table(static={"free": [3, 1, 2]}, state={"zone": [0, 0, 1]})
    moving = table()

    assert rows_of(mine.schedule("s", table=steady)) == [0]
    assert rows_of(mine.schedule("s", table=moving)) == [0]
    moving.write(1, {"free": 9})
    assert rows_of(mine.schedule("s", table=moving)) == [1]


@pytest.mark.parametrize("row", [0, 1])
def test_a_refused_row_is_told_from_one_that_is_not_there(row):
    mine = Scheduler([profile(roomy(least=2), picker=Picks([row]))], SingleProfile(), table=table(free=(1, 1, 2)))

    with pytest.raises(PickerError, match=f"picked a refused row: {row}"):
        mine.schedule("s")


def test_evaluators_are_kept_for_their_table_and_forks():
    mine = scheduler(freest())
    fork = mine.table.fork()

    assert mine.evaluator("p") is mine.evaluator("p", mine.table)
    assert mine.evaluator("p", fork) is mine.evaluator("p", fork)
    assert mine.evaluator("p", fork) is not mine.evaluator("p", mine.table.fork())
    with pytest.raises(InputError, match="profile q: is no profile here; there are: p"):
        mine.evaluator("q")


BAD_SCHEDULERS = {
    "no profile": ({"profiles": []}, "scheduler: has no profile; give it at least one"),
    "two of a name": ({"profiles": [profile(), profile()]}, "profile: two of them are called 'p'; rename one"),
    "two sources of a name": (
        {"profiles": [profile()], "sources": [Zones(), Zones()]},
        "candidate source: two of them are called 'zones'; rename one",
    ),
}


@pytest.mark.parametrize(("parts", "message"), BAD_SCHEDULERS.values(), ids=BAD_SCHEDULERS)
def test_what_is_no_scheduler(parts, message):
    with pytest.raises(InputError) as caught:
        Scheduler(**parts, handler=SingleProfile())

    assert str(caught.value) == message


@STORAGES
def test_explained_accounts_for_every_candidate(kind):
    some = Keeps("some", ("free",), lambda ask, rows, cycle: np.array(rows.free) > 1)
    outcome = scheduler(some, on=table(kind=kind)).schedule("s", explained=True)

    explanation = outcome.explanations["p"]
    assert [each.row for each in explanation.ranked()] == [0, 2]
    assert list(explanation.rejections()) == [1]
    assert scheduler(some, on=table(kind=kind)).schedule("s").explanations == {}


def test_explain_outside_a_cycle():
    clock = Keeps("clock", ("free",), lambda ask, rows, cycle: rows.free > cycle.now, Depends.CYCLE)
    mine = scheduler(clock)
    assert list(mine.explain("p", "ask", now=2.5).survivors) == [0]
    assert list(mine.explain("p", "ask", table=table((9, 9), (0, 0))).survivors) == [0, 1]


@STORAGES
def test_many_are_decided_one_after_the_other_on_what_the_former_left(kind):
    score = Scores("s", ("free",), lambda ask, rows, cycle: np.array(rows.free) / 10)
    left = Keeps("f", ("free",), lambda ask, rows, cycle: np.array(rows.free) > 0)
    mine = scheduler(score, left, resolver=Books(), on=table(kind=kind))
    version = mine.table.version

    outcomes = mine.schedule_many([(n, "ask") for n in range(7)], seed=5, now=2.0)

    assert [rows_of(outcome) for outcome in outcomes] == [[0], [0], [2], [0], [1], [2], []]
    assert [outcome.subject for outcome in outcomes] == list(range(7))
    assert [(outcome.seed, outcome.now) for outcome in outcomes[:2]] == [(5, 2.0), (6, 2.0)]
    assert (mine.table.version, list(mine.table.columns["free"])) == (version, [3, 1, 2])
    assert not outcomes[-1].ok


def test_many_on_a_table_given_and_several_at_once():
    mine = Scheduler([profile(freest(), resolver=Books())], SingleProfile())
    one, two = mine.schedule_many([("a", 1), ("b", 1)], table=table((5, 4, 1)), want=Want(2), explained=True)

    assert (rows_of(one), rows_of(two)) == ([0, 1], [0, 1])
    assert [pick.resolution.value for pick in two.picked] == ["a:3", "b:2"]
    assert one.explanations


def test_many_without_a_resolver_leave_everything():
    assert [rows_of(outcome) for outcome in scheduler(freest()).schedule_many([("a", 1), ("b", 1)])] == [[0], [0]]


def test_many_from_a_source_need_no_table():
    class Fixed:
        name = "fixed"

        def candidates(self, ask, table, cycle):
            return Table(state={"free": [1, 2]}, static={"zone": [0, 0]})

    mine = Scheduler([profile(freest(), candidates="fixed", resolver=Books())], SingleProfile(), sources=[Fixed()])

    assert [rows_of(outcome) for outcome in mine.schedule_many([("a", 1), ("b", 1)])] == [[1], [1]]


@STORAGES
def test_the_config_decides_whether_a_broken_plugin_is_skipped(kind):
    bad = Keeps("bad", ("free",), boom)
    score = Scores("s", ("free",), lambda ask, rows, cycle: np.array(rows.free) / 10)
    with pytest.raises(PluginError, match="plugin bad: raised ZeroDivisionError: by three"):
        scheduler(bad, score, on=table(kind=kind)).schedule("s")

    mine = scheduler(bad, score, on=table(kind=kind), skip_broken=True)
    for _ in range(2):
        outcome = mine.schedule("s")
        assert rows_of(outcome) == [0]
        assert outcome.results["p"].skipped == {"bad": "raised ZeroDivisionError: by three"}
    required = Keeps("bad", ("free",), boom, required=True)
    with pytest.raises(PluginError, match="plugin bad"):
        scheduler(required, score, on=table(kind=kind), skip_broken=True).schedule("s")


def test_what_one_run_skipped_is_not_put_down_to_another():
    def only_two(ask, rows, cycle):
        if ask == 1:
            raise ValueError("no")
        return rows.free > 0

    handler = Handles([run(name="a", ask=1), run(name="b", ask=2)], primary="b")
    outcome = scheduler(Keeps("f", ("free",), only_two), handler=handler, skip_broken=True).schedule("s")

    assert [dict(result.skipped) for result in outcome.results.values()] == [{"f": "raised ValueError: no"}, {}]


def test_the_version_of_the_table_is_recorded():
    mine = scheduler(freest())
    mine.table.write(0, {"free": 1})

    assert mine.schedule("s").results["p"].version == mine.table.version


def test_seeded_ties_follow_the_cycles_seed():
    mine = scheduler(roomy(least=0), picker=MaxScore(ties="seeded"), on=table([1] * 8, [0] * 8))
    once, again = ([rows_of(mine.schedule("s", seed=seed)) for seed in range(30)] for _ in range(2))

    assert once == again
    assert len({row for (row,) in once}) > 4


def test_explain_outside_a_cycle_draws_from_the_seed_and_sees_the_ask():
    def draw(ask, rows, cycle):
        return np.arange(rows.size) == (cycle.chance(rows.size) + ask + cycle.ask) % rows.size

    mine = scheduler(Keeps("draw", (), draw, Depends.TABLE), on=table([1] * 8, [0] * 8))
    for seed in range(12):
        (row,) = mine.explain("p", 3, seed=seed).survivors
        assert row == mine.schedule("s", 3, seed=seed).picked[0].row
    assert list(mine.explain("p", 3).survivors) == list(mine.explain("p", 3, seed=0).survivors)
    clock = scheduler(
        Keeps("clock", ("free",), lambda ask, rows, cycle: rows.free > cycle.now, Depends.CYCLE), on=table((1, 0, 1))
    )
    assert list(clock.explain("p", 3).survivors) == [0, 2]


def test_a_cycle_that_ends_with_nothing_accounts_for_it_without_scoring():
    """By the draws and with the leniency of the decision; what the handler saw stays."""
    score = Scores("s", ("free",), boom, Depends.TABLE)
    none = Keeps("none", (), lambda ask, rows, cycle: np.arange(rows.size) < cycle.chance(1), Depends.CYCLE)
    outcome = scheduler(none, score).schedule("s")
    assert outcome.explanations["p"].counts() == {"none": 3}

    broken = Keeps("broken", ("free",), boom)
    outcome = scheduler(none, broken, skip_broken=True).schedule("s")
    assert outcome.explanations["p"].counts() == {"none": 3}
    assert outcome.results["p"].skipped == {"broken": "raised ZeroDivisionError: by three"}


def test_nobody_accounts_for_nothing_where_no_reasons_are_wanted():
    none = Keeps("none", (), lambda ask, rows, cycle: np.zeros(rows.size, np.bool_))

    outcome = scheduler(none).schedule("s", reasons=False)

    assert not outcome.ok
    assert outcome.explanations == {}


def test_a_failed_run_is_accounted_for_by_the_draws_that_it_made():
    def lucky(ask, rows, cycle):
        return np.arange(rows.size) == cycle.chance(1 << 30) % (rows.size + ask)

    handler = Handles([run(name="a", ask=0), run(name="b", ask=1000)], primary="b")
    for seed in range(10):
        outcome = scheduler(Keeps("lucky", (), lucky, Depends.CYCLE), handler=handler).schedule("s", seed=seed)
        assert outcome.explanations["b"].counts() == {"lucky": 3}


def test_sources_and_resolvers_are_handed_ask_and_cycle():
    class Source:
        name = "source"

        def candidates(self, ask, table, cycle):
            return Table(static={"zone": [0]}, state={"free": [ask]}, keys=[f"{cycle.subject}-{ask}-{table.size}"])

    class Resolver:
        name = "resolver"

        def resolve(self, ask, table, row, cycle):
            return Resolution((ask, table.keys[row], cycle.now), {})

    mine = Scheduler(
        [profile(freest(), candidates="source", resolver=Resolver())],
        SingleProfile(),
        table=table(),
        sources=[Source()],
    )

    assert mine.schedule("me", 7, now=2.5).picked[0].resolution.value == (7, "me-7-3", 2.5)
    with pytest.raises(HandlerError, match=r"there are: source, zones$"):
        Scheduler([profile()], Handles([run(candidates="x")]), table=table(), sources=[Source(), Zones()]).schedule("s")


def test_many_have_asks_of_their_own_and_ordinary_defaults():
    few = Keeps("few", ("free",), lambda ask, rows, cycle: rows.free <= ask)
    outcomes = scheduler(few, freest()).schedule_many([("a", 1), ("b", 2), ("c", 3)])

    assert [rows_of(outcome) for outcome in outcomes] == [[1], [2], [0]]
    assert [(outcome.seed, outcome.now, outcome.explanations) for outcome in outcomes] == [
        (n, 0.0, {}) for n in range(3)
    ]

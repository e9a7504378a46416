"""The first question of a class, asked of distinct rows: the same answers, and fewer rows shown."""

import numpy as np
import pytest

from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.definition import define
from bayplan.framework.plugins import Depends
from bayplan.framework.table import Table
from unit.framework.builders import Keeps, Makes, Scores, Spy, cycle, freest, roomy, scheduler

ROWS = 600


def fleet(**shared):
    static = {"zone": np.arange(ROWS) % 3, "name": np.arange(ROWS)}
    return Table(static=static, state={"free": np.arange(ROWS) % 5}, shared=shared)


def made(name="makes", **more):
    return Makes(
        name, ("zone",), lambda ask, rows, cycle: {"twice": np.stack([rows.zone, rows.zone * 2], 1)},
        produces=("twice",), **more,
    )  # fmt: skip


def doubled(**more):
    return Scores("doubled", ("twice", "free"), lambda ask, rows, cycle: (rows.twice.sum(1) + rows.free) / 100, **more)


def zoned():
    return Keeps("zoned", ("zone",), lambda ask, rows, cycle: rows.zone != ask)


def named(**more):
    return Keeps("named", ("name",), lambda ask, rows, cycle: np.ones(rows.size, np.bool_), **more)


def sums(mine, ask):
    return [level.tolist() for level in mine.evaluator("p").totals(ask, cycle()).levels]


def defined(mine, ask):
    evaluator = mine.evaluator("p")
    return [level.tolist() for level in define(evaluator.binding, mine.table, ask, cycle())]


def test_distinct_rows_are_shown_and_all_are_answered():
    plugins = (made(), zoned(), doubled(), roomy(least=1))
    mine = scheduler(*plugins, on=fleet())

    assert sums(mine, 1) == defined(mine, 1)
    assert [plugin.shown[0] for plugin in plugins] == [3, 3, 15, 15]


def test_written_rows_and_further_classes():
    mine = scheduler(made(), zoned(), doubled(), roomy(least=1), on=fleet())
    chance = np.random.default_rng(1)
    for number in range(60):
        mine.table.write(int(chance.integers(ROWS)), {"free": int(chance.integers(9))})
        if number % 20 == 19:
            mine.table.write(int(chance.integers(ROWS)), {"zone": int(chance.integers(3))})
        ask = int(chance.integers(4)) if number % 2 else number
        assert sums(mine, ask) == defined(mine, ask)


def test_a_fork_stands_on_what_was_folded():
    mine = scheduler(made(), zoned(), doubled(), on=fleet())
    fork = mine.table.fork()
    fork.write(7, {"free": 9})
    found = mine.evaluator("p", fork).totals(1, cycle()).levels[0].tolist()

    assert found == define(mine.evaluator("p").binding, fork, 1, cycle())[0].tolist()


def test_late_plugins_read_what_was_made_of_distinct_rows():
    late = Scores("late", ("twice",), lambda ask, rows, cycle: rows.twice[:, 1] / 9, depends=Depends.CYCLE)
    mine = scheduler(made(), zoned(), doubled(), late, on=fleet())

    assert sums(mine, 1) == defined(mine, 1)


def test_a_column_that_tells_all_rows_apart():
    static, row = zoned(), freest()
    mine = scheduler(static, named(), row, on=fleet())

    assert sums(mine, 1) == defined(mine, 1)
    assert (static.shown[0], row.shown[0]) == (ROWS, ROWS)


def test_unless_the_plugin_does_not_read_it_for_this_ask():
    static, row = zoned(), freest()
    mine = scheduler(static, named(unread=lambda ask: ("name",) if ask else ()), row, on=fleet())

    assert sums(mine, 1) == defined(mine, 1)
    assert (static.shown[0], row.shown[0]) == (3, 15)
    sums(mine, 0)
    assert static.shown[-1] == ROWS


def test_values_out_of_range_are_counted_by_row():
    spy = Spy()
    mine = scheduler(Scores("high", ("free",), lambda ask, rows, cycle: rows.free / 2), on=fleet(), observers=[spy])
    mine.schedule("who", 1)

    assert ("clamped", "high", ROWS * 2 // 5) in spy.told


def test_a_broken_plugin_is_told_with_all_rows():
    mine = scheduler(Scores("nan", ("free",), lambda ask, rows, cycle: np.full(rows.size, np.nan)), on=fleet())

    with pytest.raises(PluginError, match=f"{ROWS} of {ROWS} rows"):
        mine.schedule("who", 1)


def test_tables_apart_are_numbered_apart():
    mine = scheduler(made(), zoned(), doubled(), on=fleet())
    sums(mine, 1)
    other = mine.table.apart()
    other.write(3, {"free": 8})
    found = mine.evaluator("p", other).totals(1, cycle()).levels[0].tolist()

    assert found == define(mine.evaluator("p", other).binding, other, 1, cycle())[0].tolist()

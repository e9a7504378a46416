"""What is redone and when; that the sums are right is shown by tests/properties."""

from math import inf

import numpy as np
import pytest

from bayplan.framework.errors import InputError, PluginError
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Weighted
from bayplan.framework.table import Table
from unit.framework.builders import Keeps, Makes, Scores, cycle, freest, index, roomy, rows_of
from unit.framework.evaluation.evaluators import ROWS, setup, sums, wide, zoned


def test_the_first_sight_asks_about_all_rows_and_the_second_about_none():
    row, static = freest(), zoned()
    mine, _ = setup(row, static)

    first, second = sums(mine), sums(mine)

    assert first == second
    assert (row.shown, static.shown) == ([ROWS], [ROWS])


def test_written_rows_alone_are_asked_about_again():
    row, static = freest(), zoned()
    mine, table = setup(row, static)
    sums(mine)
    table.write(3, {"free": 7})
    table.write(5, {"free": 8})

    assert sums(mine)[3] == pytest.approx(0.7 + 0.5)
    assert (row.shown, static.shown) == ([ROWS, 2], [ROWS])


def test_a_written_static_column_redoes_its_rows_in_both_parts():
    row, static = freest(), zoned()
    mine, table = setup(row, static)
    sums(mine)
    table.write(4, {"zone": 1})

    assert sums(mine)[4] == 0.5 + 0.4
    assert (row.shown, static.shown) == ([ROWS, 1], [ROWS, 1])


def test_many_changes_redo_all_rows():
    row, static = freest(), zoned()
    mine, table = setup(row, static)
    sums(mine)
    table.write_many(np.arange(ROWS // 2 + 1), {"zone": np.zeros(ROWS // 2 + 1)})
    sums(mine)
    assert (row.shown, static.shown) == ([ROWS, ROWS], [ROWS, ROWS])

    table.write_many(np.arange(ROWS // 2), {"zone": np.ones(ROWS // 2)})
    sums(mine)
    assert (row.shown[2:], static.shown[2:]) == ([ROWS // 2], [ROWS // 2])


def test_a_small_table_is_redone_row_by_row_up_to_64_changes():
    row = freest()
    mine, table = setup(row, on=Table(state={"free": [1, 2]}))
    sums(mine)
    for turn in range(64):
        table.write(0, {"free": turn % 3})
    sums(mine)
    for turn in range(65):
        table.write(0, {"free": turn % 3})
    sums(mine)

    assert row.shown == [2, 64, 2]


def test_a_row_that_changed_twice_is_shown_twice_and_ends_as_it_is():
    row = freest()
    mine, table = setup(row)
    sums(mine)
    table.write(7, {"free": 1})
    table.write(7, {"free": 2})

    assert sums(mine)[7] == 0.2
    assert row.shown == [ROWS, 2]


def test_a_new_epoch_redoes_all_rows_of_those_who_read_it():
    rated = Scores("rated", ("free", "rate"), lambda ask, rows, cycle: rows.free * rows.rate)
    static = zoned()
    mine, table = setup(rated, static, on=wide(rate=0.1, other=1))
    sums(mine)
    table.refresh(other=2)
    sums(mine)
    assert rated.shown == [ROWS]
    table.refresh(rate=0.05)

    assert sums(mine)[9] == 0.5 + 9 * 0.05
    assert (rated.shown, static.shown) == ([ROWS, ROWS], [ROWS])


def test_rows_added_or_removed_begin_anew():
    row, static = freest(), zoned()
    mine, table = setup(row, static)
    sums(mine)
    table.remove(index(0))
    assert len(sums(mine)) == ROWS - 1
    table.add(["new"], {"free": [9], "zone": [1]})

    assert sums(mine)[-1] == 0.5 + 0.9
    assert static.shown == [ROWS, ROWS - 1, ROWS]


def test_equal_asks_are_one_class_and_others_are_not():
    row = Scores("s", ("free",), lambda ask, rows, cycle: rows.free * ask[0])
    mine, _ = setup(row)

    assert sums(mine, (0.1,))[3] == pytest.approx(0.3)
    assert sums(mine, (0.05,))[3] == pytest.approx(0.15)
    assert sums(mine, (0.1,))[3] == pytest.approx(0.3)
    assert len(row.shown) == 2


def test_classes_that_do_not_fit_the_budget_are_redone():
    row = freest()
    mine, _ = setup(row, budget_bytes=ROWS * 8 * 2 + 1)
    for ask in ("a", "b", "a", "a"):
        sums(mine, ask)

    assert row.shown == [ROWS] * 3


def test_an_ask_that_cannot_be_hashed_is_an_input_error():
    mine, _ = setup(freest())

    with pytest.raises(
        InputError, match=r"ask: list cannot be a class of asks: .*; hand over a frozen, hashable value"
    ):
        sums(mine, [])


def test_cycle_plugins_are_asked_every_time_about_all_rows_and_table_plugins_about_the_survivors():
    clock = Scores("clock", (), lambda ask, rows, cycle: np.full(rows.size, 0.5), Depends.CYCLE)
    crowd = Scores("crowd", ("free",), lambda ask, rows, cycle: rows.free / rows.free.max(), Depends.TABLE)
    first = Keeps("first", (), lambda ask, rows, cycle: np.arange(rows.size) < 10, Depends.TABLE)
    after = Keeps("after", ("free",), lambda ask, rows, cycle: rows.free != 8)
    row = roomy(least=8)
    mine, _ = setup(clock, crowd, row, first, after)
    sums(mine)
    got = sums(mine)

    assert (row.shown, clock.shown, first.shown) == ([ROWS], [ROWS] * 2, [40] * 2)
    assert (after.shown, crowd.shown) == ([10] * 2, [5] * 2)
    assert [row for row, total in enumerate(got) if total != -inf] == [9, 19, 29, 39, 49]
    assert got[9] == 1.5


def test_table_plugins_are_not_asked_where_nobody_is_left():
    crowd = Scores("crowd", ("free",), lambda ask, rows, cycle: rows.free / rows.free.max(), Depends.TABLE)
    some = Keeps("some", (), lambda ask, rows, cycle: np.zeros(rows.size, bool), Depends.TABLE)
    more = Keeps("more", (), lambda ask, rows, cycle: np.zeros(rows.size, bool), Depends.TABLE)
    mine, _ = setup(crowd, some, more)

    assert set(sums(mine)) == {-inf}
    assert (some.shown, more.shown, crowd.shown) == ([ROWS], [], [])


def test_kept_sums_are_not_changed_by_what_the_cycle_adds():
    clock = Scores("clock", (), lambda ask, rows, cycle: np.full(rows.size, cycle.now), Depends.CYCLE)
    mine, _ = setup(freest(), clock)
    evaluator = mine.evaluator("p")

    totals = [evaluator.totals("ask", cycle(now=now)).total(1)[0] for now in (0.0, 0.5, 0.0)]

    assert totals == [0.1, 0.6, 0.1]


def test_a_static_producers_column_is_kept_and_read_by_row_plugins():
    maker = Makes("maker", ("zone",), lambda ask, rows, cycle: {"made": rows.zone * 3}, produces=("made",))
    row = Scores("s", ("made", "free"), lambda ask, rows, cycle: (rows.made + rows.free) / 100)
    mine, table = setup(maker, row)
    sums(mine)
    table.write(1, {"free": 5})
    assert sums(mine)[1] == 0.08
    assert maker.shown == [ROWS]
    table.write(1, {"zone": 0})

    assert sums(mine)[1] == 0.05
    assert maker.shown == [ROWS, 1]


@pytest.mark.parametrize("depends", [Depends.CYCLE, Depends.TABLE])
def test_a_row_producers_column_is_kept_for_later_stages(depends):
    maker = Makes("maker", ("free",), lambda ask, rows, cycle: {"made": rows.free * 2}, produces=("made",))
    late = Scores("late", ("made",), lambda ask, rows, cycle: rows.made / 100, depends)
    mine, table = setup(maker, late)
    assert sums(mine)[3] == 0.06
    table.write(3, {"free": 9})

    assert sums(mine)[3] == 0.18
    assert maker.shown == [ROWS, 1]


def lifted(values):
    """As a lifted function would make it: the dtype follows from the rows shown."""
    return lambda ask, rows, cycle: {"made": np.array([values(int(free)) for free in rows.free])}


DTYPES = {
    "numbers that are no longer whole": (
        lambda free: free + 0.5 if free > 9 else free,
        "made",
        lambda made: made / 100,
    ),
    "longer words": (lambda free: "x" * (free + 1), "made", lambda made: np.char.str_len(made) / 100),
}


@pytest.mark.parametrize(("values", "reads", "formula"), DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize("depends", [None, Depends.CYCLE])
def test_what_is_made_of_some_rows_is_never_cut_to_the_form_of_all(values, reads, formula, depends):
    maker = Makes("maker", ("free",), lifted(values), produces=("made",))
    reader = Scores("s", (reads,), lambda ask, rows, cycle: formula(rows.made), depends)
    mine, table = setup(maker, reader)
    sums(mine)
    table.write(2, {"free": 30})

    assert sums(mine)[2] == formula(np.array([values(30)]))[0]


def test_static_columns_made_of_some_rows_are_not_cut_either():
    maker = Makes("maker", ("label",), lambda ask, rows, cycle: {"made": rows.label.astype(str)}, produces=("made",))
    reader = Scores("s", ("made", "free"), lambda ask, rows, cycle: np.char.str_len(rows.made) / 100 + rows.free * 0)
    mine, table = setup(maker, reader, on=Table(static={"label": ["a", "b"]}, state={"free": [0, 0]}))
    sums(mine)
    table.write(1, {"label": "much longer"})

    assert sums(mine) == [0.01, 0.11]


def test_a_producer_whose_columns_change_their_form_is_named():
    maker = Makes(
        "maker",
        ("free",),
        lambda ask, rows, cycle: {"made": np.zeros((rows.size, min(rows.size, 4)))},
        produces=("made",),
    )
    late = Scores("late", ("made",), lambda ask, rows, cycle: rows.made.sum(axis=1), Depends.CYCLE)
    mine, table = setup(maker, late)
    sums(mine)
    table.write(0, {"free": 1})

    with pytest.raises(
        PluginError, match=r"plugin maker: made 'made' \(1,\) a row where it was \(4,\) before; let the"
    ):
        sums(mine)


def cranky():
    """Broken on rows with 13 free."""

    def score(ask, rows, cycle):
        if (rows.free == 13).any():
            raise ValueError("unlucky")
        return rows.free / 10

    return Scores("cranky", ("free",), score)


def test_after_a_failure_nothing_half_done_is_kept():
    mine, table = setup(cranky())
    sums(mine)
    table.write(2, {"free": 13})
    table.write(3, {"free": 9})
    for _ in range(2):
        with pytest.raises(PluginError, match="plugin cranky: raised ValueError: unlucky"):
            sums(mine)
    table.write(2, {"free": 1})

    assert sums(mine)[2:4] == [0.1, 0.9]


def test_a_broken_plugin_is_left_out_for_all_rows_and_comes_back_when_it_can():
    mine, table = setup(cranky(), Weighted(freest("other"), 2), skip_broken=True)
    whole = sums(mine)
    table.write(2, {"free": 13})
    other = [2 * min(free, 10) / 10 for free in table.columns["free"]]
    outcome = mine.schedule("s", "ask")
    assert sums(mine) == other
    assert outcome.results["p"].skipped == {"cranky": "raised ValueError: unlucky"}
    table.write(2, {"free": 2})

    assert sums(mine) == whole
    assert mine.schedule("s", "ask").results["p"].skipped == {}


@pytest.mark.parametrize("broken_on", ["base", "fork"])
def test_a_plugin_broken_on_one_side_of_a_fork_alone_is_left_out_there_alone(broken_on):
    mine, table = setup(cranky(), skip_broken=True)
    if broken_on == "base":
        table.write(2, {"free": 13})
    sums(mine)
    fork = table.fork()
    fork.write(2, {"free": 13 if broken_on == "fork" else 2})

    there = mine.schedule("s", "ask", table=fork)
    here = mine.schedule("s", "ask", table=table)

    assert set(sums(mine, table=fork if broken_on == "fork" else table)) == {0.0}
    broken, sound = (there, here) if broken_on == "fork" else (here, there)
    assert broken.results["p"].skipped == {"cranky": "raised ValueError: unlucky"}
    assert sound.results["p"].skipped == {}
    assert sound.picked[0].total == 0.9


def test_a_broken_producer_read_by_table_plugins_is_left_out():
    def boom(ask, rows, cycle):
        raise ValueError("no")

    maker = Makes("maker", ("free",), boom, produces=("made",))
    late = Keeps("late", ("made",), lambda ask, rows, cycle: rows.made > 0, Depends.TABLE)
    score = Scores("score", ("made",), lambda ask, rows, cycle: rows.made, Depends.TABLE)
    mine, _ = setup(maker, late, score, freest(), skip_broken=True)

    outcome = mine.schedule("s")

    assert rows_of(outcome) == [9]
    assert set(outcome.results["p"].skipped) == {"maker", "late", "score"}
    with pytest.raises(PluginError, match="plugin maker"):
        setup(maker, late)[0].schedule("s")


def test_a_row_filter_behind_a_table_filter_may_not_look_at_the_cycle():
    first = Keeps("first", (), lambda ask, rows, cycle: np.ones(rows.size, bool), Depends.TABLE)
    nosy = Keeps("nosy", ("free",), lambda ask, rows, cycle: rows.free > cycle.now)

    with pytest.raises(PluginError, match=r"plugin nosy: looks at cycle\.now"):
        setup(first, nosy)[0].schedule("s")


def test_plugins_are_never_asked_about_no_rows():
    def picky(ask, rows, cycle):
        assert rows.size
        return rows.free > 0

    mine, _ = setup(Keeps("picky", ("free",), picky), on=Table(state={"free": np.zeros(0)}))

    outcome = mine.schedule("s")

    assert (outcome.ok, outcome.results["p"].status) == (False, "nothing-fits")
    assert outcome.explanations["p"].rejections() == {}

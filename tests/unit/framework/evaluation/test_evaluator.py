"""What is redone and when; that the sums are right is shown by tests/properties."""

from math import inf, nan

import numpy as np
import pytest

from bayplan.framework.errors import ConflictError, InputError, PluginError
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Weighted
from bayplan.framework.table import Table
from unit.framework.builders import Keeps, Makes, Scores, cycle, freest, index, roomy, rows_of, scheduler

ROWS = 200


def wide(**shared):
    return Table(static={"zone": np.arange(ROWS) % 2}, state={"free": np.arange(ROWS) % 10}, shared=shared)


def zoned(**more):
    return Scores("zoned", ("zone",), lambda ask, rows, cycle: rows.zone * 0.5, **more)


def sums(mine, ask="ask", table=None):
    return mine.evaluator("p", table).totals(ask, cycle()).levels[0].tolist()


def setup(*plugins, on=None, **more):
    mine = scheduler(*plugins, on=wide() if on is None else on, **more)
    return mine, mine.table


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


# --- hypothetical rows


def test_judge_gives_sums_of_rows_as_if_and_writes_nothing():
    row = freest()
    mine, table = setup(row, zoned(), roomy(least=3))
    version = table.version

    (level,) = mine.evaluator("p").judge("ask", index(5, 5, 4), {"free": np.array([1, 7, 3])})

    assert level.tolist() == [-inf, 0.5 + 0.7, 0.3]
    assert (table.version, row.shown) == (version, [ROWS, 3])


def test_judge_takes_what_is_not_supposed_from_the_table():
    both = Scores(
        "both", ("free", "used", "zone", "rate"), lambda ask, rows, cycle: rows.free / 10 + rows.used * rows.rate
    )
    table = Table(static={"zone": [0, 1]}, state={"free": [1, 2], "used": [0.1, 0.2]}, shared={"rate": 0.5})
    mine, _ = setup(both, on=table)

    (level,) = mine.evaluator("p").judge("ask", index(1), {"free": np.array([4])})

    assert level.tolist() == [0.4 + 0.2 * 0.5]
    assert [each.tolist() for each in mine.evaluator("p").judge("ask", index(), {})] == [[]]


BAD_SUPPOSITIONS = {
    "a static column": ({"zone": [1]}, "judge: only state can be supposed, not ['zone']; write other columns in"),
    "no such column": ({"fee": [1]}, "judge: only state can be supposed, not ['fee']"),
    "too many values": ({"free": [1, 2]}, "judge.free: 2 values for 1 rows; give one each"),
}


@pytest.mark.parametrize(("state", "message"), BAD_SUPPOSITIONS.values(), ids=BAD_SUPPOSITIONS)
def test_what_cannot_be_supposed(state, message):
    mine, _ = setup(freest())
    with pytest.raises(InputError) as caught:
        mine.evaluator("p").judge("ask", index(0), state)

    assert str(caught.value).startswith(message)


def test_what_looks_at_others_cannot_judge_hypothetical_rows():
    mine, _ = setup(Scores("clock", (), lambda ask, rows, cycle: np.ones(rows.size), Depends.CYCLE))

    with pytest.raises(InputError, match="profile p: looks at the cycle or at other rows; ask it on a fork"):
        mine.evaluator("p").judge("ask", index(0), {})


# --- forks


def test_a_fork_begins_with_what_the_base_knows():
    row, static = freest(), zoned()
    mine, table = setup(row, static)
    sums(mine)
    fork = table.fork()
    fork.write(3, {"free": 1})
    assert sums(mine, table=fork)[3] == 0.5 + 0.1
    fork.write(4, {"free": 2})

    assert sums(mine, table=fork)[4] == 0.2
    assert sums(mine)[3:5] == [0.5 + 0.3, 0.4]
    assert (row.shown, static.shown) == ([ROWS, 1, 1], [ROWS])


def test_an_untouched_fork_asks_nobody():
    row = freest()
    mine, table = setup(row)
    assert sums(mine, table=table.fork()) == sums(mine)
    assert row.shown == [ROWS]


def test_a_fork_whose_base_moved_is_a_conflict_also_at_first_sight():
    mine, table = setup(freest())
    known, fresh = table.fork(), table.fork()
    sums(mine, table=known)
    table.write(0, {"free": 1})

    for fork in (known, fresh):
        with pytest.raises(ConflictError):
            mine.schedule("s", "ask", table=fork)


def test_a_row_producers_column_on_a_fork_is_the_forks_own():
    maker = Makes("maker", ("free",), lambda ask, rows, cycle: {"made": rows.free * 2}, produces=("made",))
    late = Scores("late", ("made",), lambda ask, rows, cycle: rows.made / 100, Depends.CYCLE)
    mine, table = setup(maker, late)
    sums(mine)
    fork = table.fork()
    fork.write(3, {"free": 9})

    assert sums(mine, table=fork)[3] == 0.18
    assert sums(mine)[3] == 0.06


# --- a compiled row stage


def test_nan_on_rows_that_are_refused_does_no_harm():
    score = Scores("s", ("free",), lambda ask, rows, cycle: np.where(rows.free < 3, nan, rows.free / 10))
    mine, _ = setup(score, roomy(least=3))

    assert rows_of(mine.schedule("s")) == [9]


# --- the ask


def by_ask(name="by-ask", reads=("free",)):
    return Scores(name, reads, lambda ask, rows, cycle: getattr(rows, reads[0]) / ask)


def test_every_way_of_redoing_hands_over_the_ask():
    made = Makes("m", ("zone",), lambda ask, rows, cycle: {"made": rows.zone * ask}, produces=("made",))
    reads = Scores("r", ("made",), lambda ask, rows, cycle: rows.made / 1000)
    mine, table = setup(by_ask(), by_ask("static", ("zone",)), made, reads)
    evaluator = mine.evaluator("p")

    def total(row, ask=100, on=None):
        return sums(mine, ask, on)[row]

    assert total(3) == pytest.approx(0.01 + 0.1 + 0.03)
    table.write(3, {"free": 7})
    assert total(3) == pytest.approx(0.01 + 0.1 + 0.07)
    table.write(3, {"zone": 5})
    assert total(3) == pytest.approx(0.05 + 0.5 + 0.07)
    assert evaluator.judge(50, index(3), {"free": np.array([5])})[0][0] == pytest.approx(0.1 + 0.25 + 0.1)
    fork = table.fork()
    fork.write(3, {"free": 1})
    assert total(3, on=fork) == pytest.approx(0.05 + 0.5 + 0.01)
    assert total(3, 50, on=fork) == pytest.approx(0.1 + 0.25 + 0.02)


def nosy_later():
    """Looks at the cycle only when it is shown few rows: when rows are redone, judged or recorded."""

    def score(ask, rows, cycle):
        return rows.free / 10 if rows.size == ROWS else rows.free / cycle.now

    return Scores("nosy", ("free",), score)


LATER = {
    "redone": lambda mine: (mine.table.write(0, {"free": 1}), sums(mine)),
    "judged": lambda mine: mine.evaluator("p").judge("ask", index(0), {}),
    "recorded": lambda mine: mine.schedule("s", "ask").picked[0].terms,
    "forked": lambda mine: (fork := mine.table.fork(), fork.write(0, {"free": 1}), sums(mine, table=fork)),
}


@pytest.mark.parametrize("later", LATER.values(), ids=LATER)
def test_the_cycle_is_closed_whenever_an_answer_is_kept(later):
    mine, _ = setup(nosy_later())
    sums(mine)

    with pytest.raises(PluginError, match=r"plugin nosy: looks at cycle\.now"):
        later(mine)


def test_columns_of_several_numbers_a_row_are_kept_and_redone():
    pairs = Makes(
        "m", ("zone",), lambda ask, rows, cycle: {"pairs": np.stack([rows.zone, rows.zone * 2], 1)}, produces=("pairs",)
    )
    moving = Makes(
        "n",
        ("free", "pairs"),
        lambda a, rows, c: {"sum": rows.pairs.sum(axis=1) + rows.free, "one": rows.free},
        produces=("one", "sum"),
    )
    reads = Scores("r", ("sum",), lambda ask, rows, cycle: rows.sum / 100, Depends.CYCLE)
    crowd = Scores("t", ("sum", "rate"), lambda ask, rows, cycle: rows.sum / rows.rate, Depends.TABLE)
    mine, table = setup(pairs, moving, reads, crowd, on=wide(rate=1000))
    assert sums(mine)[3] == pytest.approx(0.06 + 0.006)
    table.write(3, {"free": 9})
    assert sums(mine)[3] == pytest.approx(0.12 + 0.012)
    table.write(3, {"zone": 4})
    assert sums(mine)[3] == pytest.approx(0.21 + 0.021)


def test_a_broken_static_plugin_is_left_out_after_a_static_write():
    def cranky_zone(ask, rows, cycle):
        if (rows.zone == 13).any():
            raise ValueError("unlucky")
        return rows.zone / 10

    mine, table = setup(Scores("cranky", ("zone",), cranky_zone), freest(), skip_broken=True)
    sums(mine)
    table.write(5, {"zone": 13})

    assert sums(mine) == [free / 10 for free in table.columns["free"]]

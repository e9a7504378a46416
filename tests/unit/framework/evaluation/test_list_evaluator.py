import pytest

from bayplan.framework import scheduler as module
from bayplan.framework.errors import PluginError
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Weighted
from unit.framework.builders import Keeps, Makes, Scores, cycle, rows_of, scheduler, table


def roomy(least=2, name="roomy", **more):
    return Keeps(name, ("free",), lambda ask, rows, cycle: [free >= least for free in rows.free], **more)


def freest(name="freest", **more):
    return Scores(name, ("free",), lambda ask, rows, cycle: [free / 10 for free in rows.free], **more)


def totals(*plugins, free=(3, 1, 2), now=0.0, **more):
    shared = more.pop("shared", {})
    mine = scheduler(*plugins, on=table(free, [0] * len(free), ListTable, **shared), **more)
    got = mine.evaluator("p").totals("ask", cycle(now=now))
    return {row: got.total(row) for row in got.survivors()}


def test_scorers_see_the_survivors_only_and_filters_everybody():
    first, second, score = roomy(), roomy(3, "second"), freest()

    assert totals(first, second, score) == {0: (0.3,)}
    assert (first.shown, second.shown, score.shown) == ([3], [3], [1])


def test_nobody_is_scored_where_nobody_is_left():
    score = freest()

    assert totals(roomy(9), score) == {}
    assert score.shown == []


def test_no_rows():
    assert totals(roomy(), Makes("m", ("free",), lambda *_: 1 / 0, produces=("x",)), free=()) == {}


def test_without_plugins_everybody_is_equal():
    assert totals() == {0: (0.0,), 1: (0.0,), 2: (0.0,)}


def test_levels_and_weights():
    got = totals(Weighted(freest("a"), 2, 3), Weighted(freest("b"), -1), Weighted(freest("c"), 0.5, 3))

    assert got == {row: (-free / 10, free / 10 * 2 + free / 10 * 0.5) for row, free in enumerate((3, 1, 2))}


def test_table_filters_see_what_is_left_and_later_filters_what_they_leave():
    first = Keeps("first", (), lambda ask, rows, cycle: [place < 1 for place in range(rows.size)], Depends.TABLE)
    last = roomy(3, "last")

    assert totals(roomy(), first, last) == {0: (0.0,)}
    assert (first.shown, last.shown) == ([2], [1])
    assert totals(roomy(9), first, last) == {}
    assert (first.shown, last.shown) == ([2], [1])


def test_table_scorers_see_the_survivors():
    crowd = Scores(
        "c", ("free",), lambda ask, rows, cycle: [free / max(rows.free) for free in rows.free], Depends.TABLE
    )
    small = Keeps("small", ("free",), lambda ask, rows, cycle: [free < 3 for free in rows.free])

    assert totals(small, crowd) == {1: (0.5,), 2: (1.0,)}


def test_shared_values_and_produced_columns_reach_everybody():
    maker = Makes(
        "m", ("free", "rate"), lambda ask, rows, cycle: {"made": [f * rows.rate for f in rows.free]}, produces=("made",)
    )
    keeps = Keeps("k", ("made", "rate"), lambda ask, rows, cycle: [made > rows.rate for made in rows.made])
    table_keeps = Keeps(
        "t", ("made", "rate"), lambda ask, rows, cycle: [m > rows.rate for m in rows.made], Depends.TABLE
    )
    scores = Scores("s", ("made", "rate"), lambda ask, rows, cycle: [made / rows.rate / 10 for made in rows.made])

    assert totals(maker, keeps, table_keeps, scores, shared={"rate": 2}) == {0: (0.3,), 2: (0.2,)}
    assert totals(maker, scores, shared={"rate": 2}) == {0: (0.3,), 1: (0.1,), 2: (0.2,)}


def test_the_table_itself_is_not_given_produced_columns():
    maker = Makes("m", ("free",), lambda ask, rows, cycle: {"made": list(rows.free)}, produces=("made",))
    mine = scheduler(
        maker, Scores("s", ("made",), lambda ask, rows, cycle: [0.0] * rows.size), on=table(kind=ListTable)
    )
    mine.schedule("s")

    assert set(mine.table.columns) == {"zone", "free"}


NOSY = {
    "a filter": [Keeps("nosy", ("free",), lambda ask, rows, cycle: [free > cycle.now for free in rows.free])],
    "a scorer": [Scores("nosy", ("free",), lambda ask, rows, cycle: [free * cycle.now for free in rows.free])],
    "a filter behind a table filter": [
        Keeps("t", (), lambda ask, rows, cycle: [True] * rows.size, Depends.TABLE),
        Keeps("nosy", ("free",), lambda ask, rows, cycle: [free > cycle.now for free in rows.free]),
    ],
    "a producer": [
        Makes("nosy", ("free",), lambda ask, rows, cycle: {"made": [cycle.now] * rows.size}, produces=("made",)),
        Scores("s", ("made",), lambda ask, rows, cycle: rows.made),
    ],
}


@pytest.mark.parametrize("plugins", NOSY.values(), ids=NOSY)
def test_what_is_judged_row_by_row_may_not_look_at_the_cycle(plugins):
    with pytest.raises(PluginError, match=r"plugin nosy: looks at cycle\.now"):
        totals(*plugins)


OPEN = {
    "a filter": [Keeps("c", ("free",), lambda ask, rows, cycle: [f > cycle.now for f in rows.free], Depends.CYCLE)],
    "a table filter": [
        Keeps("c", ("free",), lambda ask, rows, cycle: [f > cycle.now for f in rows.free], Depends.TABLE)
    ],
    "a producer": [
        Makes(
            "m",
            ("free",),
            lambda ask, rows, cycle: {"made": [cycle.now] * rows.size},
            Depends.CYCLE,
            produces=("made",),
        ),
        Keeps(
            "k", ("made", "free"), lambda ask, rows, cycle: [f > m for f, m in zip(rows.free, rows.made, strict=True)]
        ),
    ],
}


@pytest.mark.parametrize("plugins", OPEN.values(), ids=OPEN)
def test_what_declares_it_may(plugins):
    assert list(totals(*plugins, now=1.5)) == [0, 2]
    timed = Scores("c", ("free",), lambda ask, rows, cycle: [f / 10 * cycle.now for f in rows.free], Depends.CYCLE)
    assert totals(timed, now=0.5) == {0: (0.15,), 1: (0.05,), 2: (0.1,)}


def boom(ask, rows, cycle):
    raise ValueError("no")


BROKEN = {
    "a filter": [Keeps("bad", ("free",), boom)],
    "a table filter": [Keeps("bad", ("free",), boom, Depends.TABLE)],
    "a scorer": [Scores("bad", ("free",), boom)],
    "a scorer with NaN": [Scores("bad", ("free",), lambda ask, rows, cycle: [float("nan")] * rows.size)],
    "a producer": [Makes("bad", ("free",), boom, produces=("made",)), Scores("s", ("made",), lambda *_: [])],
    "a producer for a table filter": [
        Makes("bad", ("free",), boom, produces=("made",)),
        Keeps("s", ("made",), lambda ask, rows, cycle: rows.made, Depends.TABLE),
    ],
}


@pytest.mark.parametrize("plugins", BROKEN.values(), ids=BROKEN)
def test_broken_plugins_are_left_out_or_end_the_cycle(plugins):
    with pytest.raises(PluginError, match="plugin bad: "):
        totals(*plugins, freest())

    assert totals(*plugins, roomy(), freest(), skip_broken=True) == {0: (0.3,), 2: (0.2,)}


# --- tables that are new with each request


def lists_of(*free):
    return table(free, [0] * len(free), ListTable)


def test_a_new_table_of_a_known_schema_binds_nothing():
    mine = scheduler(freest(), on=lists_of(1, 2))
    first = mine.evaluator("p")
    found = mine.schedule("s", table=lists_of(5, 9, 3))
    other = mine.evaluator("p", lists_of(0, 7))

    assert rows_of(found) == [1]
    assert found.results["p"].binding is first.binding is other.binding
    assert first.program is other.program
    assert (first.table, rows_of(mine.schedule("s"))) == (mine.table, [1])


def test_tables_of_two_schemas_take_turns_without_binding():
    mine = scheduler(freest(), on=lists_of(1, 2))
    wider = [ListTable(state={"free": [4, 3], "more": [0, 0]}) for _ in range(2)]
    bindings = [mine.schedule("s", table=each).results["p"].binding for each in (None, wider[0], None, wider[1])]

    assert bindings[0] is bindings[2]
    assert bindings[1] is bindings[3]
    assert bindings[0] is not bindings[1]


def test_evaluators_of_two_tables_do_not_disturb_each_other():
    mine = scheduler(freest(), on=lists_of(1, 2))
    one, two = mine.evaluator("p"), mine.evaluator("p", lists_of(9, 8, 7))

    assert [each.totals("ask", cycle()).best() for each in (one, two, one)] == [1, 0, 1]
    assert one.table is mine.table


def test_programs_of_schemas_that_are_not_used_are_forgotten(monkeypatch):
    monkeypatch.setattr(module, "MOST_PROGRAMS", 2)
    mine = scheduler(freest(), on=lists_of(1, 2))
    first = mine.evaluator("p").program
    for name in ("a", "b"):
        mine.schedule("s", table=ListTable(state={"free": [4, 3], name: [0, 0]}))

    assert mine.evaluator("p").program is not first
    assert rows_of(mine.schedule("s")) == [1]

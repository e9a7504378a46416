"""Rows as if, forks, and every way of redoing rows."""

from math import inf, nan

import numpy as np
import pytest

from bayplan.framework.errors import ConflictError, InputError, PluginError
from bayplan.framework.plugins import Depends
from bayplan.framework.table import Table
from unit.framework.builders import Makes, Scores, freest, index, roomy, rows_of
from unit.framework.evaluation.evaluators import ROWS, setup, sums, wide, zoned


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


def test_nan_on_rows_that_are_refused_does_no_harm():
    score = Scores("s", ("free",), lambda ask, rows, cycle: np.where(rows.free < 3, nan, rows.free / 10))
    mine, _ = setup(score, roomy(least=3))

    assert rows_of(mine.schedule("s")) == [9]


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

"""Arrays among the constants of twins, and columns that producers made."""

import numpy as np
import pytest

from bayplan.framework.evaluation import row_loop
from bayplan.framework.evaluation.row_loop import MOST_PLAIN_ROWS
from bayplan.framework.table import Table
from bayplan.framework.twins import Twin
from unit.framework.builders import Makes, Scores
from unit.framework.evaluation.row_loops import ROWS, Counted, freest, rated, setup, sums, tenth, twinned


@pytest.fixture(autouse=True)
def _from_the_first_redo_on(monkeypatch):
    monkeypatch.setattr(row_loop, "REDOS_BEFORE_LOOP", 0)


def priced(prices, free):
    return prices[free] / 10


class Turned(np.ndarray):
    """An array that counts how often it is turned into a list."""

    times = 0

    def tolist(self):
        Turned.times += 1
        return super().tolist()


def prices_of(prices):
    return Scores(
        "p", ("free",), lambda ask, rows, cycle: np.asarray(prices)[rows.free] / 10, twin=twinned(priced, prices)
    )


def test_an_array_among_constants_is_turned_into_a_list_once_for_all_classes(monkeypatch):
    monkeypatch.setattr(Turned, "times", 0)
    prices = np.arange(10)[::-1].copy().view(Turned)
    score, other = prices_of(prices), Scores("o", ("free",), lambda ask, rows, cycle: rows.free / 10)
    other.twin = twinned(priced, np.arange(10))
    mine, table = setup(score, other)
    for ask in (2, 3):
        sums(mine, ask)
    table.write(3, {"free": 9})

    assert [sums(mine, ask)[3] for ask in (2, 3)] == [0.9, 0.9]
    assert (Turned.times, score.shown) == (1, [ROWS, ROWS])


@pytest.mark.parametrize(("kind", "is_compiled"), [("i8", True), ("f8", True), ("f4", False), ("u8", False)])
def test_arrays_among_constants_are_compiled_where_their_numbers_mean_the_same(kind, is_compiled):
    compiler = Counted()
    mine, _ = setup(prices_of(np.arange(10).astype(kind)), compiler=compiler)

    assert sums(mine)[3] == np.array(3, kind) / 10
    assert compiler.sizes == ([ROWS] if is_compiled else [])


def priced_here(cost, free):
    return (cost + free) / 100


def costly(problem=None, **more):
    def produce(ask, rows, cycle):
        if problem:
            raise problem
        return {"cost": (rows.zone * 10).astype(np.int64)}

    return Makes("costly", ("zone",), produce, produces=("cost",), **more)


def by_cost():
    return Scores(
        "by_cost", ("cost", "free"), lambda ask, rows, cycle: (rows.cost + rows.free) / 100, twin=twinned(priced_here)
    )


@pytest.mark.parametrize("size", [ROWS, 600], ids=["row by row", "folded"])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_columns_that_static_producers_made_are_read_where_they_are_held(size, is_compiled):
    compiler, make, score = Counted() if is_compiled else None, costly(), by_cost()
    table = Table(static={"zone": np.arange(size) % 3}, state={"free": np.arange(size) % 5})
    mine, _ = setup(make, score, table=table, compiler=compiler)
    sums(mine)
    for row in (4, 5, 597 % size):
        table.write(row, {"free": 9})

        assert sums(mine)[row] == (row % 3 * 10 + 9) / 100
    assert len(make.shown) == 1
    assert len(score.shown) == (0 if is_compiled else 1)
    assert sums(mine)[:4] == [0.0, 0.11, 0.22, 0.03]


def test_a_column_that_a_broken_producer_did_not_make_is_no_error_of_the_loop():
    mine, table = setup(costly(problem=ValueError("no")), by_cost(), freest(), skip_broken=True, compiler=Counted())
    for free in (8, 9):
        table.write(3, {"free": free})
        assert sums(mine)[3] == free / 10


def test_just_as_many_rows_as_pay_are_redone_in_plain_python():
    score = freest()
    mine, table = setup(score)
    sums(mine)
    table.write_many(np.arange(MOST_PLAIN_ROWS), {"free": np.full(MOST_PLAIN_ROWS, 7)})

    assert sums(mine)[:MOST_PLAIN_ROWS] == [0.7] * MOST_PLAIN_ROWS
    assert score.shown == [ROWS]


def test_asks_whose_twins_have_other_functions_have_loops_of_their_own():
    def score(ask, rows, cycle):
        return rows.free / 10 if ask == 1 else 0.5 * rows.free / 10

    mine, table = setup(
        Scores("s", ("free",), score, twin=lambda ask, shared: Twin(tenth) if ask == 1 else Twin(rated, (0.5,)))
    )
    for ask in (1, 2):
        sums(mine, ask)
    table.write(3, {"free": 8})

    assert [sums(mine, ask)[3] for ask in (1, 2)] == [0.8, 0.4]


def test_made_columns_of_two_dimensions_are_read_row_by_row():
    make = Makes(
        "cards", ("zone",), lambda ask, rows, cycle: {"cards": np.stack([rows.zone, rows.zone * 2], 1)},
        produces=("cards",),
    )  # fmt: skip
    score = Scores(
        "s", ("cards", "free"), lambda ask, rows, cycle: (rows.cards[:, 1] + rows.free) / 100, twin=twinned(second)
    )
    mine, table = setup(make, score)
    sums(mine)
    table.write(3, {"free": 8})

    assert sums(mine)[3] == 0.1
    assert score.shown == [ROWS]


def second(cards, free):
    return (cards[1] + free) / 100


def test_the_loop_of_a_class_is_bound_once(monkeypatch):
    bound = []
    monkeypatch.setattr(row_loop.RowLoop, "_bind", _counted(row_loop.RowLoop._bind, bound))
    mine, table = setup(freest())
    sums(mine)
    for free in (7, 8, 9):
        table.write(3, {"free": free})
        assert sums(mine)[3] == free / 10

    assert len(bound) == 1


def _counted(method, calls):
    def counted(*arguments):
        calls.append(arguments)
        return method(*arguments)

    return counted

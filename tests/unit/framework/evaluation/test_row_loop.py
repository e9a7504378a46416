"""When changed rows are redone in a loop, and when over arrays; tests/properties show that the sums are right."""

import numpy as np
import pytest

from bayplan.framework.evaluation import row_loop
from bayplan.framework.evaluation.row_loop import MOST_PLAIN_ROWS
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.plugins import Depends, Watch
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table
from bayplan.framework.twins import Twin
from unit.framework.builders import Keeps, Makes, Scores, Spy, cycle, profile

ROWS = 100


def tenth(free):
    return free / 10


def enough(least, free):
    return free >= least


def rated(rate, free):
    return rate * free / 10


def spare(free):
    return free - 1


def outside(free):
    return free / 1


def twinned(function, *constants, reads=None):
    return lambda ask, shared: Twin(function, constants, reads)


def freest(twin=lambda ask, shared: Twin(tenth), **more):
    return Scores("freest", ("free",), lambda ask, rows, cycle: rows.free / 10, twin=twin, **more)


def roomy(twin=None):
    twin = twin or (lambda ask, shared: Twin(enough, (ask,)))
    return Keeps("roomy", ("free",), lambda ask, rows, cycle: rows.free >= ask, twin=twin)


def wide(free=None, **shared):
    return Table(
        static={"zone": np.arange(ROWS) % 2},
        state={"free": np.arange(ROWS) % 10 if free is None else free},
        shared=shared,
    )


class Counted:
    """A compiler that runs the text as it is, and counts."""

    def __init__(self, after=0, fails=0):
        """The first so many functions that it makes fail."""
        self.after, self.texts, self.sizes, self._fails, self.afresh = after, [], [], fails, []

    def compile(self, text, *, afresh=False):
        self.texts.append(text)
        self.afresh.append(afresh)
        fails = len(self.texts) <= self._fails
        names = {"compiled": lambda function: function, "inf": np.inf, "nan": np.nan}
        exec(text, names)  # noqa: S102 (the framework's own text)

        def redo(places, rows, *others):
            self.sizes.append(len(rows))
            if fails:
                raise TypeError("cannot be compiled")
            return names["redo"](places, rows, *others)

        return redo


@pytest.fixture(autouse=True)
def _from_the_first_redo_on(monkeypatch):
    monkeypatch.setattr(row_loop, "REDOS_BEFORE_LOOP", 0)


def setup(*plugins, table=None, **more):
    table = wide() if table is None else table
    return Scheduler([profile(*plugins)], SingleProfile(), table=table, **more), table


def sums(mine, ask=2, table=None):
    return mine.evaluator("p", table).totals(ask, cycle(ask)).levels[0].tolist()


def test_few_changed_rows_are_redone_without_asking_the_plugins():
    score, keep = freest(), roomy()
    mine, table = setup(score, keep)
    sums(mine)
    table.write(3, {"free": 9})
    table.write(4, {"free": 1})

    assert sums(mine)[3:5] == [0.9, -np.inf]
    assert (score.shown, keep.shown) == ([ROWS], [ROWS])


def test_many_changed_rows_are_asked_over_arrays():
    score = freest()
    mine, table = setup(score)
    sums(mine)
    table.write_many(np.arange(MOST_PLAIN_ROWS + 1), {"free": np.full(MOST_PLAIN_ROWS + 1, 7)})

    assert sums(mine)[0] == 0.7
    assert score.shown == [ROWS, MOST_PLAIN_ROWS + 1]


def test_a_profile_that_is_seldom_asked_pays_for_no_loop(monkeypatch):
    monkeypatch.setattr(row_loop, "REDOS_BEFORE_LOOP", 3)
    score = freest()
    mine, table = setup(score)
    for free in range(5):
        sums(mine)
        table.write(0, {"free": free})
    sums(mine)

    assert score.shown == [ROWS, 1, 1]


def test_rows_of_a_fork_are_redone_as_they_are_there():
    score = freest()
    mine, table = setup(score, roomy())
    sums(mine)
    fork = table.fork()
    fork.write(3, {"free": 5})

    assert sums(mine, table=fork)[3] == 0.5
    assert sums(mine)[3] == 0.3
    assert score.shown == [ROWS]


NO_LOOP = {
    "no twin": lambda: freest(twin=lambda ask, shared: None),
    "a twin that raises": lambda: freest(twin=lambda ask, shared: 1 / 0),
    "a twin that cannot be written": lambda: freest(twin=twinned(lambda free: free / 10)),
    "a twin that raises for a row": lambda: freest(twin=twinned(rated, "x")),
    "a score out of range": lambda: Scores(
        "s", ("free",), lambda ask, rows, cycle: rows.free / 10, twin=twinned(outside)
    ),
}


@pytest.mark.parametrize("score", NO_LOOP.values(), ids=NO_LOOP)
def test_what_is_out_of_the_ordinary_is_asked_over_arrays(score):
    score = score()
    mine, table = setup(score)
    sums(mine)
    table.write(3, {"free": 9})

    assert sums(mine)[3] == 0.9
    assert score.shown == [ROWS, 1]


def test_floats_of_32_bits_are_asked_over_arrays():
    score = freest()
    mine, table = setup(score, table=wide(np.zeros(ROWS, np.float32)))
    sums(mine)
    table.write(3, {"free": 0.3})

    assert sums(mine)[3] == np.float32(0.3) / np.float32(10)
    assert score.shown[1:2] == [1]


def test_observers_of_calls_see_every_call_and_others_cost_no_loop():
    class Decided(Watch):
        pass

    for observer, shown in ((Spy(), [ROWS, 1]), (Decided(), [ROWS])):
        score = freest()
        mine, table = setup(score, observers=[observer])
        sums(mine)
        table.write(3, {"free": 9})
        sums(mine)
        assert score.shown == shown


def test_a_new_epoch_makes_new_constants():
    score = Scores(
        "rated", ("free", "rate"), lambda ask, rows, cycle: rows.rate * rows.free / 10,
        twin=lambda ask, shared: Twin(rated, (shared["rate"],), ("free",)),
    )  # fmt: skip
    mine, table = setup(score, table=wide(rate=1.0))
    for rate in (0.5, 0.25):
        sums(mine)
        table.write(3, {"free": 4})
        sums(mine)
        table.refresh(rate=rate)
        sums(mine)
        table.write(3, {"free": 8})
        assert sums(mine)[3] == rate * 8 / 10


def test_columns_that_later_stages_read_are_made_over_arrays():
    make = Makes("make", ("free",), lambda ask, rows, cycle: {"spare": rows.free - 1}, twin=twinned(spare))
    make.produces = ("spare",)
    late = Scores("late", ("spare",), lambda ask, rows, cycle: rows.spare / 10, depends=Depends.CYCLE)
    mine, table = setup(make, late, freest())
    sums(mine)
    table.write(3, {"free": 9})

    assert sums(mine)[3] == 0.9 + 0.8
    assert make.shown == [ROWS, 1]


def test_a_compiler_is_used_from_its_time_on_for_changed_rows_and_for_all():
    compiler, score = Counted(after=2), freest()
    mine, table = setup(score, roomy(), compiler=compiler)
    sums(mine)
    for free in (4, 5, 6):
        table.write_many(np.arange(40), {"free": np.full(40, free)})
        assert sums(mine)[0] == free / 10
    assert sums(mine, ask=5)[49] == 0.9

    assert compiler.sizes == [40, 40, ROWS]
    assert score.shown == [ROWS, 40]
    assert len(compiler.texts) == 1


def first_two(cards, more):
    return (cards[0] + more[0]) / 100


def test_columns_of_two_dimensions_make_plain_python_worth_fewer_rows():
    cards = np.arange(3 * ROWS).reshape(ROWS, 3) % 10
    score = Scores(
        "two", ("cards", "more"), lambda ask, rows, cycle: (rows.cards[:, 0] + rows.more[:, 0]) / 100,
        twin=twinned(first_two),
    )  # fmt: skip
    mine, table = setup(score, table=Table(state={"cards": cards, "more": cards}))
    for size in (MOST_PLAIN_ROWS // 2, MOST_PLAIN_ROWS // 2 + 1):
        sums(mine)
        table.write_many(np.arange(size), {"cards": cards[:size]})
    sums(mine)

    assert score.shown == [ROWS, MOST_PLAIN_ROWS // 2 + 1]


def test_what_cannot_be_compiled_is_not_tried_again():
    compiler, score = Counted(fails=2), freest()
    mine, table = setup(score, compiler=compiler)
    sums(mine)
    table.write_many(np.arange(40), {"free": np.full(40, 3)})

    assert sums(mine)[0] == 0.3
    assert compiler.sizes == [ROWS, ROWS]
    assert score.shown == [ROWS, 40]


def test_what_fails_once_is_compiled_afresh():
    compiler, score = Counted(fails=1), freest()
    mine, table = setup(score, compiler=compiler)
    sums(mine)
    table.write(0, {"free": 3})

    assert sums(mine)[0] == 0.3
    assert (compiler.afresh, compiler.sizes, score.shown) == ([False, True], [ROWS, ROWS, 1], [])


def test_numbers_beyond_64_bits_are_not_compiled():
    compiler, keep = Counted(), roomy()
    mine, table = setup(freest(), keep, compiler=compiler)
    sums(mine, ask=1 << 70)
    table.write(3, {"free": 9})
    table.write(4, {"free": 9})

    assert sums(mine, ask=1 << 70)[3] == -np.inf
    assert compiler.sizes == []


def test_rows_of_a_fork_are_redone_by_compiled_code():
    compiler, score = Counted(), freest()
    mine, table = setup(score, compiler=compiler)
    sums(mine)
    table.write(9, {"free": 1})
    fork = table.fork()
    fork.write(3, {"free": 5})
    fork.write(7, {"free": 2})

    found = sums(mine, table=fork)
    assert [found[row] for row in (3, 7, 9)] == [0.5, 0.2, 0.1]
    assert (compiler.sizes, score.shown) == ([ROWS, 1, 2], [])


def test_all_rows_of_a_fork_are_asked_over_arrays():
    compiler, score = Counted(), freest()
    mine, table = setup(score, compiler=compiler)
    sums(mine)
    fork = table.fork()
    mine_there = mine.evaluator("p", fork)
    mine_there.totals(2, cycle(2))
    fork.write_many(np.arange(65), {"free": np.full(65, 3)})

    assert mine_there.totals(2, cycle(2)).levels[0][:66].tolist() == [0.3] * 65 + [0.5]
    assert (compiler.sizes, score.shown) == ([ROWS], [ROWS])


def test_rows_that_are_written_one_after_the_other_are_redone_one_after_the_other():
    for compiler in (None, Counted()):
        mine, table = setup(freest(), compiler=compiler)
        sums(mine)
        for row in (50, 3, 97):
            table.write(row, {"free": 8})
            assert sums(mine)[row] == 0.8
        assert [row for row, each in enumerate(sums(mine)) if each == 0.8 and row % 10 != 8] == [3, 50, 97]


NUMBERS = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "f8")


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_that_mean_the_same_everywhere_are_redone_in_the_loop(kind):
    for compiler in (None, Counted()):
        score = freest()
        mine, table = setup(score, table=wide(np.zeros(ROWS, kind)), compiler=compiler)
        sums(mine)
        table.write(3, {"free": 1})

        assert sums(mine)[3] == 0.1
        assert score.shown == ([ROWS] if compiler is None else [])


@pytest.mark.parametrize("kind", ["u8", "f4", "f2", ">f8", ">i8"])
def test_numbers_that_would_be_rounded_or_read_otherwise_are_asked_over_arrays(kind):
    for compiler in (None, Counted()):
        score = freest()
        mine, table = setup(score, table=wide(np.zeros(ROWS, kind)), compiler=compiler)
        sums(mine)
        table.write(3, {"free": 1})

        assert sums(mine)[3] == (np.ones(1, kind) / 10)[0]
        assert score.shown[:2] == [ROWS, 1]


LARGE = {"the least": (-(1 << 63), True), "the most": ((1 << 63) - 1, True), "one more": (1 << 63, False)}
LARGE["one less"] = (-(1 << 63) - 1, False)


@pytest.mark.parametrize(("ask", "is_compiled"), LARGE.values(), ids=LARGE)
def test_compiled_code_counts_in_64_bits(ask, is_compiled):
    compiler = Counted()
    keep = Keeps("k", ("free",), lambda ask, rows, cycle: np.full(rows.size, ask < 0), twin=twinned_by_ask)
    mine, _ = setup(freest(), keep, compiler=compiler)

    assert sums(mine, ask=ask)[3] == (0.3 if ask < 0 else -np.inf)
    assert compiler.sizes == ([ROWS] if is_compiled else [])


def twinned_by_ask(ask, shared):
    return Twin(enough, (ask,))


def test_with_numbers_beyond_64_bits_many_rows_are_asked_over_arrays():
    keep = roomy()
    mine, table = setup(freest(), keep, compiler=Counted())
    sums(mine, ask=1 << 70)
    table.write_many(np.arange(MOST_PLAIN_ROWS + 1), {"free": np.full(MOST_PLAIN_ROWS + 1, 7)})
    sums(mine, ask=1 << 70)
    table.write_many(np.arange(MOST_PLAIN_ROWS), {"free": np.full(MOST_PLAIN_ROWS, 8)})
    sums(mine, ask=1 << 70)

    assert keep.shown == [ROWS, MOST_PLAIN_ROWS + 1]


class Unable(Counted):
    """A compiler that cannot compile anything."""

    def compile(self, text, *, afresh=False):
        super().compile(text, afresh=afresh)


def test_without_compiled_code_all_rows_are_asked_over_arrays():
    compiler, score = Unable(), freest()
    mine, table = setup(score, compiler=compiler)

    assert sums(mine)[3] == 0.3
    table.write(3, {"free": 9})
    assert sums(mine)[3] == 0.9
    assert (score.shown, len(compiler.texts)) == ([ROWS], 1)


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

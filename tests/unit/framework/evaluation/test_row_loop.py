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
    mine, table = setup(freest(), roomy())
    sums(mine)
    fork = table.fork()
    fork.write(3, {"free": 5})

    assert sums(mine, table=fork)[3] == 0.5
    assert sums(mine)[3] == 0.3


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

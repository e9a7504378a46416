"""When changed rows are redone in a loop, and when over arrays; tests/properties show that the sums are right."""

import numpy as np
import pytest

from bayplan.framework.evaluation import row_loop
from bayplan.framework.evaluation.row_loop import MOST_PLAIN_ROWS
from bayplan.framework.plugins import Depends, Watch
from bayplan.framework.table import Table
from bayplan.framework.twins import Twin
from unit.framework.builders import Keeps, Makes, Scores, Spy, cycle
from unit.framework.evaluation.row_loops import ROWS, Counted, freest, rated, setup, sums, twinned, wide


def enough(least, free):
    return free >= least


def spare(free):
    return free - 1


def outside(free):
    return free / 1


def roomy(twin=None):
    twin = twin or (lambda ask, shared: Twin(enough, (ask,)))
    return Keeps("roomy", ("free",), lambda ask, rows, cycle: rows.free >= ask, twin=twin)


@pytest.fixture(autouse=True)
def _from_the_first_redo_on(monkeypatch):
    monkeypatch.setattr(row_loop, "REDOS_BEFORE_LOOP", 0)


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


def test_one_that_samples_costs_the_loop_only_where_it_is_attentive():
    sampler, score = Spy(), freest()
    mine, table = setup(score, observers=[sampler])
    for attentive, number in ((False, 1), (True, 2), (False, 3)):
        sampler.attentive = attentive
        sums(mine)
        table.write(3, {"free": number})
        assert sums(mine)[3] == number / 10

    assert score.shown == [ROWS, 1]


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

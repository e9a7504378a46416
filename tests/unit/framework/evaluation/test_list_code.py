import linecache
import traceback

import numpy as np
import pytest

from bayplan.framework.cycle import Cycle
from bayplan.framework.evaluation.binding import bind
from bayplan.framework.evaluation.list_code import write_lists
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Weighted
from unit.framework.builders import Keeps, Makes, Scores, profile, table
from unit.framework.evaluation.list_codes import boom, most

ones, trues = np.ones(3), np.ones(3, np.bool_)


def told(answer):
    """What a plugin answers, whatever it is asked."""
    return lambda ask, rows, cycle: answer


def sums_of(*plugins, free=(3, 1, 2)):
    whole = table(free, kind=ListTable, price=0.5)
    binding = bind(profile(*plugins), whole.schema)
    code = write_lists(binding)
    return code and code.asked("ask", {**whole.columns, **whole.shared}, whole.size, Cycle("s", "ask"))


def tenth(name="tenth", **more):
    return Scores(name, ("free",), lambda ask, rows, cycle: [each / 10 for each in rows.free], **more)


LISTS = {
    "nothing asked": ((), ([0, 1, 2], [], [[0.0] * 3])),
    "a filter": ((most(),), ([0, 2], [], [[0.0] * 2])),
    "filters": ((most(), most("other", least=3)), ([0], [], [[0.0]])),
    "nobody passes": ((most(least=9), tenth()), ([], [], [[]])),
    "a scorer": ((tenth(),), ([0, 1, 2], [[0.3, 0.1, 0.2]], [[0.3, 0.1, 0.2]])),
    "both": ((most(), tenth(), Weighted(tenth("second"), 2.0)), ([0, 2], [[0.3, 0.2]] * 2, [[0.3 + 0.6, 0.2 + 0.4]])),
    "levels": (
        (Weighted(tenth(), 1.0, level=2), Weighted(tenth("second"), -1.0)),
        ([0, 1, 2], [[0.3, 0.1, 0.2]] * 2, [[-0.3, -0.1, -0.2], [0.3, 0.1, 0.2]]),
    ),
    "another scale": (
        (Scores("percent", ("free",), lambda a, r, c: [each * 10 for each in r.free], scale=100),),
        ([0, 1, 2], [[0.3, 0.1, 0.2]], [[0.3, 0.1, 0.2]]),
    ),
    "a shared value": (
        (most(), Scores("dear", ("free", "price"), lambda a, r, c: [each * r.price / 10 for each in r.free])),
        ([0, 2], [[0.15, 0.1]], [[0.15, 0.1]]),
    ),
    "a producer": (
        (
            most(),
            Makes("half", ("free",), lambda a, r, c: {"half": [each / 2 for each in r.free]}, produces=("half",)),
            Scores("halved", ("half",), lambda a, r, c: [each / 10 for each in r.half]),
        ),
        ([0, 2], [[0.15, 0.1]], [[0.15, 0.1]]),
    ),
    "it may look at the cycle": (
        (Scores("self", (), lambda a, r, c: [len(c.subject) / 2] * r.size, depends=Depends.CYCLE),),
        ([0, 1, 2], [[0.5] * 3], [[0.5] * 3]),
    ),
    "it may look at the others": (
        (most(), Scores("rank", ("free",), lambda a, r, c: [x / max(r.free) for x in r.free], depends=Depends.TABLE)),
        ([0, 2], [[1.0, 2 / 3]], [[1.0, 2 / 3]]),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("plugins", "expected"), LISTS.values(), ids=LISTS)
def test_rows_scores_and_sums_where_plugins_are_called(plugins, expected):
    rows, said, levels = sums_of(*plugins)

    assert (list(rows), list(said), levels) == expected


UNUSUAL_LISTS = {
    "a filter that raises": Keeps("f", ("free",), boom),
    "a scorer that raises": Scores("s", ("free",), boom),
    "a mask of numbers": Keeps("f", ("free",), told([1, 1, 1])),
    "one number in a mask": Keeps("f", ("free",), told([True, True, 1])),
    "a short mask": Keeps("f", ("free",), told([True])),
    "a mask that is an array": Keeps("f", ("free",), told(trues)),
    "scores that are an array": Scores("s", ("free",), told(ones)),
    "too few scores": Scores("s", ("free",), told([1.0])),
    "above one": Scores("s", ("free",), told([0.0, 1.0, 1.5])),
    "below zero": Scores("s", ("free",), told([0.0, 1.0, -0.5])),
    "not a number": Scores("s", ("free",), told([0.0, float("nan"), 1.0])),
    "no number": Scores("s", ("free",), told([0.0, "1", 1.0])),
    "a column that is none": Makes("m", ("free",), told({"made": 3}), produces=("made",)),
}  # fmt: skip


@pytest.mark.parametrize("plugin", UNUSUAL_LISTS.values(), ids=UNUSUAL_LISTS)
def test_what_is_unusual_in_lists_is_left_to_care(plugin):
    reader = Scores("reads", ("made",) if plugin.name == "m" else ("free",), told([0.5] * 3))

    assert sums_of(plugin, most("all", least=0), tenth(), reader) is None


def best(name="best", **more):
    """Keeps the rows with the most that is free of those that are left."""

    def mask(ask, rows, cycle):
        return [each == max(rows.free) for each in rows.free]

    return Keeps(name, ("free",), mask, depends=Depends.TABLE, **more)


def others(name="others", **more):
    """Refuses the rows with the most that is free of those that are left."""

    def mask(ask, rows, cycle):
        return [each != max(rows.free) for each in rows.free]

    return Keeps(name, ("free",), mask, depends=Depends.TABLE, **more)


def same_for_all(answer):
    return Keeps("same", ("free",), told([answer] * 3), depends=Depends.TABLE)


TAILS = {
    "alone": ((best(),), ([0], [[0.3]])),
    "behind a filter": ((most(), others(), tenth("second")), ([2], [[0.2], [0.2]])),
    "before a filter": ((others(), most(least=2)), ([2], [[0.2]])),
    "two of them": ((others(), others("again")), ([1], [[0.1]])),
    "nobody is refused": ((same_for_all(True),), ([0, 1, 2], [[0.3, 0.1, 0.2]])),
    "nobody is left": ((same_for_all(False),), ([], [])),
}  # fmt: skip


@pytest.mark.parametrize(("plugins", "expected"), TAILS.values(), ids=TAILS)
def test_filters_that_look_at_others_are_asked_about_what_is_left(plugins, expected):
    rows, said, _ = sums_of(*plugins, tenth())

    assert (list(rows), list(said)) == expected


def test_what_is_unusual_in_such_a_filter_is_left_to_care():
    for answer in ([True], [1, 1, 1], trues):
        assert sums_of(Keeps("f", ("free",), told(answer), depends=Depends.TABLE)) is None


def test_tracebacks_show_the_lines_of_written_out_code():
    def interrupt(ask, rows, cycle):
        raise KeyboardInterrupt  # is no Exception: it leaves the written-out code with a traceback

    with pytest.raises(KeyboardInterrupt) as caught:
        sums_of(Scores("s", ("free",), interrupt))
    linecache.checkcache()

    frames = [frame for frame in traceback.extract_tb(caught.tb) if frame.filename.startswith("<written out ")]
    assert [frame.line.startswith("said0 = constant") for frame in frames] == [True]

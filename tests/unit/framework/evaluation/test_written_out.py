import linecache
import traceback

import numpy as np
import pytest

from bayplan.framework.cycle import CLOSED
from bayplan.framework.evaluation.binding import bind
from bayplan.framework.evaluation.list_code import write_lists
from bayplan.framework.evaluation.stages import Tally, apply
from bayplan.framework.evaluation.written_out import write_rows
from bayplan.framework.profile import Weighted
from unit.framework.builders import Keeps, Makes, Scores, freest, profile, roomy, table

INDEX = np.array([2, 0, 0])


def told(answer):
    """What a plugin answers, whatever it is asked."""
    return lambda ask, rows, cycle: answer


def boom(ask, rows, cycle):
    raise ZeroDivisionError


def rows_of(*plugins):
    """The sums of rows 2, 0 and 0 of a table with 3, 1 and 2 free, and the same asked plugin by plugin."""
    whole = table(price=0.5)
    binding = bind(profile(*plugins), whole.schema)
    names = binding.row.columns
    columns = {**whole.gather(names, INDEX), **whole.shared}
    bases = [np.array([0.25, 9.0, -np.inf]) for _ in binding.levels]
    written = write_rows(binding)("ask", dict(columns), bases, INDEX)
    careful = [base[INDEX] for base in bases]
    apply(binding.row, "ask", CLOSED, columns, len(INDEX), careful, Tally())
    return written, careful


ORDINARY = {
    "a filter": (roomy(),),
    "two filters": (roomy(least=3), roomy("other", least=1)),
    "scorers": (freest(), Weighted(freest("second"), 0.1)),
    "both": (roomy(least=3), freest(), Weighted(freest("second"), -2.0)),
    "another scale": (Scores("percent", ("free",), lambda a, r, c: r.free * 33.3, scale=100),),
    "levels": (Weighted(freest(), 1.0, level=3), Weighted(freest("second"), 1.0, level=1), roomy(least=3)),
    "a shared value": (Scores("dear", ("free", "price"), lambda a, r, c: r.free * r.price / 10),),
    "a producer": (
        Makes("half", ("free",), lambda a, r, c: {"half": r.free / 2}, produces=("half",)),
        Scores("halved", ("half",), lambda a, r, c: r.half / 10),
    ),
}  # fmt: skip


@pytest.mark.parametrize("plugins", ORDINARY.values(), ids=ORDINARY)
def test_written_out_rows_are_what_asking_one_by_one_gives(plugins):
    written, careful = rows_of(*plugins)

    assert [level.tolist() for level in written] == [level.tolist() for level in careful]


ones, trues = np.ones(3), np.ones(3, np.bool_)
UNUSUAL = {
    "a filter that raises": Keeps("f", ("free",), boom),
    "a scorer that raises": Scores("s", ("free",), boom),
    "a mask of numbers": Keeps("f", ("free",), told(ones)),
    "a mask that is a list": Keeps("f", ("free",), told([True] * 3)),
    "a short mask": Keeps("f", ("free",), told(trues[:2])),
    "a square mask": Keeps("f", ("free",), told(trues[:, None])),
    "whole numbers": Scores("s", ("free",), told(np.ones(3, np.int64))),
    "half precision": Scores("s", ("free",), told(ones.astype(np.float32))),
    "a list of scores": Scores("s", ("free",), told([1.0] * 3)),
    "too few scores": Scores("s", ("free",), told(ones[:2])),
    "above one": Scores("s", ("free",), told(ones * 1.5)),
    "below zero": Scores("s", ("free",), told(-ones)),
    "minus nothing": Scores("s", ("free",), told(ones * -0.0)),
    "not a number": Scores("s", ("free",), told(ones * np.nan)),
}  # fmt: skip


@pytest.mark.parametrize("place", ["first", "second"])
@pytest.mark.parametrize("plugin", UNUSUAL.values(), ids=UNUSUAL)
def test_what_is_unusual_in_rows_is_left_to_care(plugin, place):
    whole = table()
    ordinary = (roomy(), freest())
    binding = bind(profile(*((plugin, *ordinary) if place == "first" else (*ordinary, plugin))), whole.schema)
    columns = whole.gather(binding.row.columns, INDEX)

    assert write_rows(binding)("ask", columns, [np.zeros(3)], INDEX) is None


BAD_COLUMNS = {"a list": [1, 2, 3], "too short": ones[:2], "absent": None}


@pytest.mark.parametrize("column", BAD_COLUMNS.values(), ids=BAD_COLUMNS)
def test_a_producer_that_breaks_its_promise_is_left_to_care(column):
    made = {} if column is None else {"made": column}
    plugins = Makes("m", ("free",), told(made), produces=("made",)), Scores("s", ("made",), told(ones))
    whole = table()
    binding = bind(profile(*plugins), whole.schema)

    assert write_rows(binding)("ask", whole.gather(binding.row.columns, INDEX), [np.zeros(3)], INDEX) is None


def interrupt(ask, rows, cycle):
    """An interrupt is no Exception: it leaves the written-out code with a traceback."""
    raise KeyboardInterrupt


def test_tracebacks_show_the_lines_of_written_out_code():
    with pytest.raises(KeyboardInterrupt) as caught:
        rows_of(Keeps("f", ("free",), interrupt))
    linecache.checkcache()  # as `traceback` and debuggers do: lines without a file must survive it

    frames = [frame for frame in traceback.extract_tb(caught.tb) if frame.filename.startswith("<written out ")]

    assert [frame.line.startswith("mask = constant") for frame in frames] == [True]
    assert frames[0].line.endswith("(ask, rows, closed)")


def test_each_code_has_its_own_lines():
    rows, lists = bind(profile(roomy()), table().schema), bind(profile(freest()), table().schema)
    names = [code.__code__.co_filename for code in (write_rows(rows), write_lists(lists).asked)]

    first_lines = [linecache.getline(name, 1) for name in names]

    assert first_lines == ["def asked(ask, columns, bases, index):\n", "def asked(ask, columns, size, cycle):\n"]

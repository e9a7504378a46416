from math import inf, nan

import numpy as np
import pytest

from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.definition import define
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Weighted
from unit.framework.builders import Keeps, Makes, Scores, bound, cycle, freest, roomy, table


def levels(*plugins, on=None, **shared):
    held = table(**shared) if on is None else on
    return [level.tolist() for level in define(bound(*plugins, shared=tuple(shared)), held, "ask", cycle(now=2.0))]


def crowd(name="crowd"):
    return Scores(name, ("free",), lambda ask, rows, cycle: rows.free / rows.free.max(), Depends.TABLE)


CASES = {
    "nothing": ([], [[0.0, 0.0, 0.0]]),
    "a scorer": ([freest()], [[0.3, 0.1, 0.2]]),
    "a filter": ([roomy()], [[0.0, -inf, 0.0]]),
    "a weight and a level": ([Weighted(freest(), -2, 1), freest("b")], [[0.3, 0.1, 0.2], [-0.6, -0.2, -0.4]]),
    "a scale": ([Scores("s", ("free",), lambda ask, rows, cycle: rows.free * 40, scale=100)], [[1.0, 0.4, 0.8]]),
    "float32": (
        [Weighted(Scores("s", ("free",), lambda ask, rows, cycle: (rows.free / 10).astype("f4")), 3)],
        [[float(np.float32(free / 10)) * 3 for free in (3, 1, 2)]],
    ),
    "the cycle": (
        [Scores("s", ("free",), lambda ask, rows, cycle: rows.free / 10 / cycle.now, Depends.CYCLE)],
        [[0.15, 0.05, 0.1]],
    ),
    "others: the survivors only": (
        [Keeps("f", ("free",), lambda ask, rows, cycle: rows.free < 3), crowd()],
        [[-inf, 0.5, 1.0]],
    ),
    "a producer": (
        [
            Makes("m", ("free",), lambda ask, rows, cycle: {"made": rows.free * 2}, produces=("made",)),
            Scores("s", ("made",), lambda ask, rows, cycle: rows.made / 10),
        ],
        [[0.6, 0.2, 0.4]],
    ),
    "nobody is left": ([roomy(least=9), crowd()], [[-inf, -inf, -inf]]),
}


@pytest.mark.parametrize(("plugins", "wanted"), CASES.values(), ids=CASES)
def test_define(plugins, wanted):
    assert levels(*plugins) == wanted


def test_a_shared_value_is_shown_whole():
    assert levels(Scores("s", ("free", "rate"), lambda ask, rows, cycle: rows.free * rows.rate), rate=0.1) == [
        [3 * 0.1, 0.1, 0.2]
    ]


def test_filters_run_in_profile_order_on_what_is_left():
    first, second = roomy("first"), roomy("second", least=3)
    first_few = Keeps("few", (), lambda ask, rows, cycle: np.arange(rows.size) < 1, Depends.TABLE)

    assert levels(first, first_few, second) == [[0.0, -inf, -inf]]
    assert (first.shown, first_few.shown, second.shown) == ([3], [2], [1])


def test_no_rows():
    picky = Makes("m", ("free",), lambda ask, rows, cycle: 1 / 0, produces=("made",))

    assert levels(picky, Scores("s", ("made",), None), on=table((), ())) == [[]]


def test_nan_is_an_error_here_too():
    with pytest.raises(PluginError, match="plugin s: answered NaN for 1 of 3 rows"):
        levels(Scores("s", (), lambda ask, rows, cycle: np.array([0.5, nan, 0.5])))


@pytest.mark.parametrize("plugin", [
    Keeps("nosy", ("free",), lambda ask, rows, cycle: rows.free > cycle.now),
    Scores("nosy", ("free",), lambda ask, rows, cycle: rows.free * cycle.now),
])  # fmt: skip
def test_what_is_judged_row_by_row_may_not_look_at_the_cycle(plugin):
    with pytest.raises(PluginError, match=r"plugin nosy: looks at cycle\.now"):
        levels(plugin)


def test_the_ask_reaches_every_plugin_and_the_cycle_those_who_declare_it():
    seen = []

    def note(answer):
        def noted(ask, rows, cycle):
            seen.append((ask, getattr(cycle, "now", None) if rows.reads == () else None))
            return answer(rows)

        return noted

    maker = Makes("m", (), note(lambda rows: {"made": np.ones(rows.size)}), Depends.CYCLE, produces=("made",))
    keeps = Keeps("k", (), note(lambda rows: np.ones(rows.size, bool)), Depends.CYCLE)
    score = Scores("s", (), note(lambda rows: np.full(rows.size, 0.25)), Depends.CYCLE)
    reads = Scores("r", ("made",), note(lambda rows: -rows.made))

    assert levels(maker, keeps, score, reads) == [[0.25, 0.25, 0.25]]
    assert seen == [("ask", 2.0), ("ask", 2.0), ("ask", 2.0), ("ask", None)]


def test_scores_of_one_level_are_added_up():
    assert levels(freest("a"), Weighted(freest("b"), 2)) == [[0.3 + 0.6, 0.1 + 0.2, 0.2 + 0.4]]

"""The loop that is written from twins: what stands in it, in which order, and what it answers for a row."""

from textwrap import indent

import numpy as np
import pytest

from bayplan.framework.evaluation.function_text import TextError
from bayplan.framework.evaluation.loop_text import LoopText, plain_function
from bayplan.framework.profile import Weighted
from bayplan.framework.twins import Twin, twin_of
from unit.framework.builders import Keeps, Makes, Scores, bound

MISSING = float("nan")


def enough(least, free):
    return free >= least


def cheap(most, rate, cost):
    return cost * rate <= most


def split(step, free):
    return free - step, free + step


def halved(free):
    half = free / 2
    return half, half / 2


def lone(free):
    return free - 1


def rated(low, high, cards):
    return (low * cards[0] + high * cards[1]) / 100


def below(free):
    return free * 4


def unknown(free):
    return MISSING if free == 7 else 0.5


def nothing(ask, rows, cycle):
    raise AssertionError("arrays are not asked here")


def twinned(function, *constants, reads=None):
    return lambda ask, shared: Twin(function, constants, reads)


def text(*plugins, wide=(), **more):
    """The loop of these plugins, all of which read rows."""
    binding = bound(*plugins, **more)
    stage = binding.row
    uses = (*stage.producers, *stage.filters, *stage.scorers)
    return LoopText(binding, {use: twin_of(use.plugin, "ask", {}) for use in uses}, frozenset(wide))


def everything():
    zoned = Makes("zoned", ("zone",), nothing, produces=("cost",))
    splits = Makes("splits", ("free",), nothing, produces=("less", "more"), twin=twinned(split, 1))
    late = Keeps("late", ("less",), nothing, twin=twinned(enough, 2))
    early = Keeps("early", ("rate", "cost"), nothing, twin=twinned(cheap, 3))
    cards = Scores("cards", ("cards",), nothing, twin=twinned(rated, 4, 5))
    more = Scores("more", ("more",), nothing, twin=twinned(below), scale=100)
    return text(
        zoned, splits, late, early, Weighted(cards, 2), Weighted(more, 3, level=1),
        state=("free", "cards"), shared=("rate",), wide=("cards",),
    )  # fmt: skip


BODY = """\
    if total0 == -inf:
        level0[row] = -inf
        level1[row] = -inf
        continue
    {cost}
    if not (value1 * shared0 <= constant2):
        level0[row] = -inf
        level1[row] = -inf
        continue
    {free}
    value3, value4 = (value2 - constant0), (value2 + constant0)
    if not (value3 >= constant1):
        level0[row] = -inf
        level1[row] = -inf
        continue
    {cards}
    score = ((constant3 * value5[0] + constant4 * value5[1]) / 100)
    if not 0.0 <= score <= 1.0:
        return False
    total0 += score * weight0
    score = (value4 * 4) / 100.0
    if not 0.0 <= score <= 1.0:
        return False
    total1 += score * weight1
    level0[row] = total0
    level1[row] = total1
return True
"""
NAMES = (
    "places, rows, ground, column0, column1, made0, shared0, base0, base1, level0, level1, weight0, weight1, "
    "constant0, constant1, constant2, constant3, constant4"
)
PLAIN = """\
for place, row in zip(places, rows):
    under = ground(row)
    total0 = base0(under)
    total1 = base1(under)
"""
KERNEL = """\
for step in range(len(rows)):
    place, row = places[step], rows[step]
    under = ground[row]
    total0 = base0[under]
    total1 = base1[under]
"""


def test_plain_python_reads_a_value_when_it_is_first_needed_and_asks_cheap_filters_first():
    body = BODY.format(
        cost="value1 = made0(under)", free="value2 = column0(place)", cards="value5 = column1[place].tolist()"
    )

    assert everything().plain() == f"def redo({NAMES}):\n{indent(PLAIN + body, '    ')}"


def test_a_kernel_does_the_same_over_arrays_below_its_decorator():
    body = BODY.format(cost="value1 = made0[under]", free="value2 = column0[place]", cards="value5 = column1[place]")

    assert everything().kernel() == f"@compiled\ndef redo({NAMES}):\n{indent(KERNEL + body, '    ')}"


def test_what_the_loop_reads_is_told_in_its_order():
    loop = everything()

    assert (loop.columns, loop.made, loop.shared) == (("free", "cards"), ("cost",), ("rate",))
    assert (loop.wide, loop.constants) == (1, 5)


def test_columns_of_two_dimensions_count_where_the_loop_reads_them():
    plugin = Scores("freest", ("free",), nothing, twin=twinned(below))

    assert text(plugin, wide=("zone",)).wide == 0
    assert text(plugin, wide=("free", "zone")).wide == 1


def test_a_function_of_several_lines_stands_once_above_the_loop():
    halves = Makes("halves", ("free",), nothing, produces=("half", "quarter"), twin=twinned(halved))
    scores = Scores("quarter", ("quarter", "half"), nothing, twin=twinned(lone, reads=("quarter",)))
    loop = text(halves, scores)
    above = "def function0(free):\n    half = free / 2\n    return (half, half / 2)\n"

    assert loop.plain().startswith(f"{above}\n\ndef redo(")
    assert loop.kernel().startswith(f"@compiled\n{above}\n\n@compiled\ndef redo(")
    assert "        value1, value2 = function0(value0)\n        score = (value2 - 1)\n" in loop.plain()


def test_a_producer_of_one_column_returns_it_bare():
    spare = Makes("spare", ("free",), nothing, produces=("spare",), twin=twinned(lone))

    assert (
        "        value1 = (value0 - 1)\n" in text(spare, Keeps("k", ("spare",), nothing, twin=twinned(below))).plain()
    )


def test_a_producer_whose_twin_makes_another_number_of_columns_is_refused():
    three = Makes("three", ("free",), nothing, produces=("a", "b", "c"), twin=twinned(split, 1))
    keep = Keeps("keep", ("a",), nothing, twin=twinned(below))

    with pytest.raises(TextError, match=r"^three makes 3 columns, and its twin 2$"):
        text(three, keep)


def redone(plugin, free, base=0.0):
    """The loop's answer for one row, and its sum."""
    level = np.array([np.nan])
    loop = plain_function(text(plugin))
    is_done = loop([0], [0], np.arange(1).item, np.array([free]).item, np.array([base]).item, level, 2.0)
    return is_done, level[0]


def test_sums_begin_with_the_static_ones_and_add_the_weighted_score():
    quarters = Scores("quarters", ("free",), nothing, twin=twinned(below), scale=100)

    assert redone(quarters, 5, base=0.25) == (True, 0.25 + 0.2 * 2.0)
    assert redone(quarters, 25) == (True, 2.0)
    assert redone(quarters, 0) == (True, 0.0)


def test_a_row_that_a_static_filter_refused_stays_refused():
    assert redone(Scores("freest", ("free",), nothing, twin=twinned(below)), 99, base=-np.inf) == (True, -np.inf)


@pytest.mark.parametrize("free", [26, -1])
def test_a_score_out_of_range_ends_the_loop(free):
    is_done, level = redone(Scores("quarters", ("free",), nothing, twin=twinned(below), scale=100), free)

    assert (is_done, np.isnan(level)) == (False, True)


def test_a_score_that_is_not_a_number_ends_the_loop():
    plugin = Scores("unknown", ("free",), nothing, twin=twinned(unknown))

    assert redone(plugin, 6) == (True, 1.0)
    assert redone(plugin, 7)[0] is False

from math import inf, nan

import numpy as np
import pytest

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.stages import Tally, apply, ask_mask, ask_scores, produce, refused_rows, take
from bayplan.framework.profile import Weighted
from unit.framework.builders import Keeps, Makes, Scores, bound, index

COLUMNS = {"free": np.array([1, 2, 3]), "zone": np.array([0, 0, 1])}


def filter_of(answer):
    return bound(Keeps("mine", ("free",), _calling(answer))).filters[0]


def scorer_of(answer, **more):
    return bound(Scores("mine", ("free",), _calling(answer), **more)).scorers[0]


def _calling(answer):
    return answer if callable(answer) else lambda ask, rows, cycle: answer


def boom(ask, rows, cycle):
    raise ZeroDivisionError("by three")


MASKS = {
    "no answer": (None, "answered nothing where a mask of 3 booleans was asked for"),
    "a list of numbers": ([1, 0, 1], "answered an array of int64 (3,) where a mask of 3 booleans was asked for"),
    "a short list": ([True] * 2, "answered an array of bool (2,) where a mask of 3 booleans was asked for"),
    "a list of lists": (
        [[True], [True, False]],
        "answered a list of 2 (list) where a mask of 3 booleans was asked for",
    ),
    "a text": ("yes", "answered a str where a mask of 3 booleans was asked for"),
    "numbers": (np.ones(3), "answered an array of float64 (3,) where a mask of 3 booleans was asked for"),
    "too short": (np.ones(2, bool), "answered an array of bool (2,) where a mask of 3 booleans was asked for"),
    "two dimensions": (
        np.ones((3, 1), bool),
        "answered an array of bool (3, 1) where a mask of 3 booleans was asked for",
    ),
    "one value": (np.bool_(True), "answered a bool where a mask of 3 booleans was asked for"),
    "an error": (boom, "raised ZeroDivisionError: by three"),
    "an undeclared read": (lambda ask, rows, cycle: rows.zone, "reads column 'zone', which it did not declare"),
    "a look at the cycle": (
        lambda ask, rows, cycle: cycle.now > rows.free,
        "looks at cycle.now, but its answers are kept from cycle to cycle",
    ),
}


@pytest.mark.parametrize(("answer", "message"), MASKS.values(), ids=MASKS)
def test_a_mask_that_cannot_be_used(answer, message):
    with pytest.raises(PluginError) as caught:
        ask_mask(filter_of(answer), "ask", COLUMNS, 3, CLOSED)

    assert (caught.value.plugin, caught.value.message) == ("mine", message)


def test_a_mask():
    got = ask_mask(filter_of(lambda ask, rows, cycle: rows.free > 1), "ask", COLUMNS, 3, CLOSED)

    assert got.tolist() == [False, True, True]
    assert refused_rows(got).tolist() == [0]


def test_the_next_step_of_an_undeclared_read_survives():
    with pytest.raises(PluginError, match=r"add 'zone' to its `reads`, now \('free',\)"):
        ask_mask(filter_of(lambda ask, rows, cycle: rows.zone), "ask", COLUMNS, 3, CLOSED)


SCORES = {
    "no answer": (None, "answered nothing where 3 numbers were asked for"),
    "a list of text": (["a"] * 3, "answered an array of <U1 (3,) where 3 numbers were asked for"),
    "one number": (0.5, "answered a float where 3 numbers were asked for"),
    "booleans": (np.ones(3, bool), "answered an array of bool (3,) where 3 numbers were asked for"),
    "text": (np.array(["a", "b", "c"]), "answered an array of <U1 (3,) where 3 numbers were asked for"),
    "objects": (np.array([1, 2, 3], object), "answered an array of object (3,) where 3 numbers were asked for"),
    "complex": (np.ones(3, complex), "answered an array of complex128 (3,) where 3 numbers were asked for"),
    "too long": (np.ones(4), "answered an array of float64 (4,) where 3 numbers were asked for"),
    "two dimensions": (np.ones((3, 1)), "answered an array of float64 (3, 1) where 3 numbers were asked for"),
    "an error": (boom, "raised ZeroDivisionError: by three"),
}


@pytest.mark.parametrize(("answer", "message"), SCORES.values(), ids=SCORES)
def test_scores_that_cannot_be_used(answer, message):
    with pytest.raises(PluginError) as caught:
        ask_scores(scorer_of(answer), "ask", COLUMNS, 3, CLOSED)

    assert (caught.value.plugin, caught.value.message) == ("mine", message)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u2", "f2"])
def test_any_numbers_will_do(dtype):
    answer = np.array([0, 1, 1], dtype)

    assert ask_scores(scorer_of(answer), "ask", COLUMNS, 3, CLOSED) is answer
    assert summed(Scores("s", (), _calling(answer))) == [0.0, 1.0, 1.0]


LISTED = {
    "a mask": (ask_mask, Keeps, [True, False, True], [True, False, True]),
    "a tuple": (ask_mask, Keeps, (True, False, True), [True, False, True]),
    "booleans of NumPy": (ask_mask, Keeps, list(np.array([True, False, True])), [True, False, True]),
    "scores": (ask_scores, Scores, [0.5, 1, 0.0], [0.5, 1.0, 0.0]),
    "whole numbers": (ask_scores, Scores, [0, 1, 1], [0, 1, 1]),
}


@pytest.mark.parametrize(("ask", "kind", "answer", "wanted"), LISTED.values(), ids=LISTED)
def test_lists_will_do_over_arrays(ask, kind, answer, wanted):
    binding = bound(kind("mine", ("free",), _calling(answer)))

    got = ask((*binding.filters, *binding.scorers)[0], "ask", COLUMNS, 3, CLOSED)

    assert (type(got), got.tolist()) == (np.ndarray, wanted)


@pytest.mark.parametrize(("ask", "kind"), [(ask_mask, Keeps), (ask_scores, Scores)])
def test_an_empty_list_will_do_for_no_rows(ask, kind):
    binding = bound(kind("mine", ("free",), _calling([])))

    assert ask((*binding.filters, *binding.scorers)[0], "ask", {"free": np.ones(0)}, 0, CLOSED).tolist() == []


def test_produced_lists_become_columns():
    made = {"one": [1, 2, 3], "sets": [frozenset("a"), frozenset(), frozenset("b")], "pairs": [[1, 2], [3, 4], [5, 6]]}
    use = bound(
        Keeps("f", tuple(made), lambda ask, rows, cycle: None), Makes("mine", (), _calling(made), produces=tuple(made))
    ).producers[0]
    columns = {}

    produce(use, "ask", columns, 3, CLOSED)

    assert {name: (column.shape, column.dtype.kind) for name, column in columns.items()} == {
        "one": ((3,), "i"), "sets": ((3,), "O"), "pairs": ((3, 2), "i"),
    }  # fmt: skip


NEXT_STEPS = {  # a method and its wrong answer, what helps
    "no answer": (ask_mask, Keeps, None, "end the method with `return`"),
    "one boolean": (ask_mask, Keeps, True, "return one value a row: `numpy.full(rows.size, True)`, or a list"),
    "an array of one boolean": (ask_mask, Keeps, np.array(True), "return one value a row"),
    "one number": (ask_scores, Scores, 0.5, "return one value a row: `numpy.full(rows.size, 0.5)`"),
    "too few": (ask_mask, Keeps, [True], "return one value for each row that is shown, `rows.size` of them"),
    "too many": (ask_scores, Scores, np.ones(4), "return one value for each row that is shown"),
    "numbers for a mask": (ask_mask, Keeps, np.ones(3), "return booleans, as a comparison gives them"),
    "booleans for scores": (ask_scores, Scores, np.ones(3, bool), "return numbers between 0 and 1, or declare another"),
    "`and` between columns": (
        ask_mask, Keeps, lambda a, r, c: r.free > 1 and r.free < 3, "use `&`, `|` and `numpy.where`, or lift",
    ),
    "anything else": (ask_mask, Keeps, boom, ""),
}  # fmt: skip


@pytest.mark.parametrize(("ask", "kind", "answer", "step"), NEXT_STEPS.values(), ids=NEXT_STEPS)
def test_the_error_says_what_to_do_instead(ask, kind, answer, step):
    binding = bound(kind("mine", ("free",), _calling(answer)))

    with pytest.raises(PluginError) as caught:
        ask((*binding.filters, *binding.scorers)[0], "ask", COLUMNS, 3, CLOSED)

    assert step in caught.value.next
    assert bool(step) == bool(caught.value.next)


@pytest.mark.parametrize(
    ("answer", "step"),
    [(None, "return a dict, as in {'made': ...}"), ({"made": [1]}, "return one value for each row"), ({}, "`return`")],
)
def test_the_error_says_what_to_produce_instead(answer, step):
    reader = Keeps("f", ("made",), lambda ask, rows, cycle: None)
    use = bound(reader, Makes("mine", (), _calling(answer), produces=("made",))).producers[0]

    with pytest.raises(PluginError) as caught:
        produce(use, "ask", {}, 3, CLOSED)

    assert step in caught.value.next


MADE = {
    "no mapping": (None, "answered nothing where a dict of columns was asked for"),
    "a bare array": (np.ones(3), "answered an array of float64 (3,) where a dict of columns was asked for"),
    "another column": ({"other": np.ones(3)}, "answered nothing for 'made' where 3 rows were asked for"),
    "a short list": ({"made": [1, 2]}, "answered an array of int64 (2,) for 'made' where 3 rows were asked for"),
    "too short": ({"made": np.ones(2)}, "answered an array of float64 (2,) for 'made' where 3 rows were asked for"),
    "one value": ({"made": np.array(2.0)}, "answered an array of float64 () for 'made' where 3 rows were asked for"),
    "an error": (boom, "raised ZeroDivisionError: by three"),
}


@pytest.mark.parametrize(("answer", "message"), MADE.values(), ids=MADE)
def test_columns_that_cannot_be_used(answer, message):
    reader = Keeps("f", ("made",), lambda ask, rows, cycle: None)
    use = bound(reader, Makes("mine", (), _calling(answer), produces=("made",))).producers[0]
    with pytest.raises(PluginError) as caught:
        produce(use, "ask", {}, 3, CLOSED)

    assert (caught.value.plugin, caught.value.message) == ("mine", message)


def summed(*plugins, tally=None, size=3, base=None):
    """The first level after a stage of these plugins, on a base of zeros."""
    binding = bound(*plugins)
    levels = [np.zeros(size) if base is None else np.array(base, float) for _ in binding.levels]
    apply(binding.static, "ask", CLOSED, {}, size, levels, tally or Tally())
    return levels[0].tolist() if len(levels) == 1 else [level.tolist() for level in levels]


def says(*numbers, name="s", **more):
    return Scores(name, (), _calling(np.array(numbers, float)), **more)


def passes(*answers, name="f", **more):
    return Keeps(name, (), _calling(np.array(answers, bool)), **more)


SUMS = {
    "one scorer": ([says(0.1, 0.5, 1.0)], [0.1, 0.5, 1.0]),
    "weights": ([Weighted(says(0.1, 0.5, 1.0), -2)], [-0.2, -1.0, -2.0]),
    "one by one": (
        [says(0.1, 0, 0, name="a"), says(0.2, 0, 0, name="b"), says(0.3, 0, 0, name="c")],
        [0.1 + 0.2 + 0.3, 0.0, 0.0],
    ),
    "clamped": ([says(-0.5, 1.5, inf)], [0.0, 1.0, 1.0]),
    "minus zero": ([says(-0.0, -inf, 0.5)], [0.0, 0.0, 0.5]),
    "a scale of 100": ([says(50, 101, -1, scale=100)], [0.5, 1.0, 0.0]),
    "levels": (
        [Weighted(says(0.1, 0.2, 0.3), 2, 0), Weighted(says(1, 0, 1, name="t"), 3, 1)],
        [[0.2, 0.4, 0.6], [3, 0, 3]],
    ),
    "refused": ([passes(1, 0, 1), says(0.1, 0.5, 1.0)], [0.1, -inf, 1.0]),
    "refused by either": ([passes(1, 0, 1), passes(0, 1, 1, name="g"), says(1, 1, 1)], [-inf, -inf, 1.0]),
    "refused on every level": (
        [passes(1, 0, 1), says(1, 1, 1), Weighted(says(1, 1, 1, name="t"), level=1)],
        [[1, -inf, 1], [1, -inf, 1]],
    ),
    "no number on a refused row": ([passes(1, 0, 1), says(0.1, nan, 1.0)], [0.1, -inf, 1.0]),
    "filters alone": ([passes(1, 0, 1)], [0.0, -inf, 0.0]),
}  # fmt: skip


@pytest.mark.parametrize(("plugins", "wanted"), SUMS.values(), ids=SUMS)
def test_sums_of_a_stage(plugins, wanted):
    assert summed(*plugins) == wanted


def test_what_was_refused_before_stays_refused():
    assert summed(says(0.5, nan, 0.5), base=[1, -inf, 2]) == [1.5, -inf, 2.5]


def test_what_is_out_of_range_is_counted_on_rows_that_are_left():
    tally = Tally()
    summed(passes(1, 1, 0), says(-1, 0.5, 7), says(2, 2, 2, name="t"), tally=tally)
    summed(says(5, 0, 0), tally=tally)

    assert tally.clamped == {"s": 2, "t": 2}
    again = Tally()
    summed(says(-1, 2, 0.5), base=[-inf, 0, 0], tally=again)
    assert again.clamped == {"s": 1}


def test_a_scorer_that_answers_nan_is_named_with_the_number_of_rows():
    with pytest.raises(PluginError, match="plugin s: answered NaN for 2 of 3 rows"):
        summed(says(nan, 0.5, nan))


def test_the_scores_for_the_record_are_clamped_and_not_yet_weighed():
    binding = bound(Weighted(says(-1, 0.5, 3), 7), Weighted(says(50, 0, 100, name="t", scale=100), 2))
    scores = apply(binding.static, "ask", CLOSED, {}, 3, [np.zeros(3)], Tally())

    assert [list(score) for score in scores] == [[0, 0.5, 1], [0.5, 0, 1]]
    assert apply(bound(passes(1, 1, 1)).static, "ask", CLOSED, {}, 3, [np.zeros(3)], Tally()) is None


BROKEN = {
    "a filter": (Keeps("bad", (), boom), [0.5, 0.5, 0.5]),
    "a scorer": (Scores("bad", (), boom), [0.5, 0.5, 0.5]),
    "a scorer with NaN": (says(0.1, nan, 0.1, name="bad"), [0.5, 0.5, 0.5]),
    "a scorer of the wrong shape": (says(0.1, name="bad"), [0.5, 0.5, 0.5]),
}


@pytest.mark.parametrize(("bad", "wanted"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plugin_is_left_out_where_that_is_forgiven(bad, wanted):
    tally = Tally(lenient=True)

    assert summed(bad, says(0.5, 0.5, 0.5), tally=tally) == wanted
    assert [use.name for use in tally.skipped] == ["bad"]
    with pytest.raises(PluginError, match="plugin bad: "):
        summed(bad, says(0.5, 0.5, 0.5))


def test_a_broken_producer_takes_its_readers_with_it():
    tally = Tally(lenient=True)
    reader = Keeps("reader", ("made",), lambda ask, rows, cycle: rows.made > 0)

    assert summed(Makes("bad", (), boom, produces=("made",)), reader, says(0, 0, 1), tally=tally) == [0, 0, 1]
    assert {use.name: problem for use, problem in tally.skipped.items()} == {
        "bad": "raised ZeroDivisionError: by three",
        "reader": "raised KeyError: 'made'",
    }


def test_what_protects_is_never_left_out():
    with pytest.raises(PluginError, match="plugin bad: raised ZeroDivisionError: by three"):
        summed(Keeps("bad", (), boom, required=True), tally=Tally(lenient=True))


def test_take():
    assert take(np.array([[1, 2], [3, 4], [5, 6]]), index(2, 0)).tolist() == [[5, 6], [1, 2]]

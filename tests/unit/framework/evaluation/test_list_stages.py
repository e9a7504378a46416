from math import inf, nan

import numpy as np
import pytest

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.list_stages import added, ask_mask, ask_scores, both, produce, refused_rows, take
from bayplan.framework.evaluation.stages import Tally
from bayplan.framework.profile import Weighted
from unit.framework.builders import Keeps, Makes, Scores, bound


def says(answer):
    return answer if callable(answer) else lambda ask, rows, cycle: answer


def boom(ask, rows, cycle):
    raise ZeroDivisionError("by three")


def filter_of(answer):
    return bound(Keeps("mine", (), says(answer))).filters[0]


def scorer_of(answer, weight=1.0, **more):
    return bound(Weighted(Scores("mine", (), says(answer), **more), weight)).scorers[0]


MASKS = {
    "a list": ([True, False], [True, False]),
    "an array": (np.array([True, False]), [True, False]),
    "nothing": (None, "answered nothing where a list of 2 booleans was asked for"),
    "too short": ([True], "answered a list of 1 (bool) where a list of 2 booleans was asked for"),
    "numbers": ([1, True], "answered a list of 2 (bool, int) where a list of 2 booleans was asked for"),
    "empty": ([], "answered a list of 0 (nothing) where a list of 2 booleans was asked for"),
    "a tuple": ((True, False), [True, False]),
    "booleans of NumPy": ([np.True_, False], [True, False]),
    "an array of numbers": (np.ones(2), "answered a list of 2 (float) where a list of 2 booleans was asked for"),
    "an array of two dimensions": (
        np.ones((2, 1), bool),
        "answered an array of bool (2, 1) where a list of 2 booleans was asked for",
    ),
    "an error": (boom, "raised ZeroDivisionError: by three"),
}


@pytest.mark.parametrize(("answer", "wanted"), MASKS.values(), ids=MASKS)
def test_masks(answer, wanted):
    if isinstance(wanted, list):
        assert ask_mask(filter_of(answer), "ask", {}, 2, CLOSED) == wanted
        return
    with pytest.raises(PluginError) as caught:
        ask_mask(filter_of(answer), "ask", {}, 2, CLOSED)
    assert (caught.value.plugin, caught.value.message) == ("mine", wanted)


SCORES = {
    "a list": ([0.5, 1], 1, [0.5, 1]),
    "an array": (np.array([0.5, 1]), 1, [0.5, 1]),
    "a scale": ([50, 200], 100, [0.5, 2.0]),
    "nothing": (None, 1, "answered nothing where a list of 2 numbers was asked for"),
    "too long": ([0.5] * 3, 1, "answered a list of 3 (float) where a list of 2 numbers was asked for"),
    "text on a scale": (["a", "b"], 100, "answered what is no number: unsupported operand"),
    "too large for its scale": ([10**400, 1], 100, "answered what is no number: int too large"),
}


@pytest.mark.parametrize(("answer", "scale", "wanted"), SCORES.values(), ids=SCORES)
def test_scores(answer, scale, wanted):
    use = scorer_of(answer, scale=scale)
    if isinstance(wanted, list):
        assert ask_scores(use, "ask", {}, 2, CLOSED) == wanted
        return
    with pytest.raises(PluginError) as caught:
        ask_scores(use, "ask", {}, 2, CLOSED)
    assert caught.value.plugin == "mine"
    assert caught.value.message.startswith(wanted)


TERMS = {
    "in range": (2, [0.0, 0.25, 1.0], [0.0, 0.5, 2.0], {}),
    "clamped": (2, [-0.1, 1.1, 0.5], [0.0, 2.0, 1.0], {"mine": 2}),
    "infinite": (3, [inf, -inf], [3.0, 0.0], {"mine": 2}),
    "huge integers": (3, [10**400], [3.0], {"mine": 1}),
    "a negative weight": (-2, [0.25], [-0.5], {}),
}


@pytest.mark.parametrize(("weight", "scores", "terms", "clamped"), TERMS.values(), ids=TERMS)
def test_contributions(weight, scores, terms, clamped):
    tally = Tally()

    assert added(scorer_of(None, weight), [0.0] * len(scores), scores, tally) == terms
    assert tally.clamped == clamped


def test_clamped_values_are_counted_on():
    tally = Tally()
    added(scorer_of(None), [0.0], [2.0], tally)
    added(scorer_of(None), [0.0, 0.0], [3.0, -1.0], tally)

    assert tally.clamped == {"mine": 3}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.5, nan], "answered NaN"),
        (["a"], "answered what is no number: '<='"),
        ([None], "answered what is no number"),
        ([1j], "answered what is no number"),
    ],
)
def test_what_is_no_number(scores, message):
    with pytest.raises(PluginError) as caught:
        added(scorer_of(None), [0.0] * len(scores), scores, Tally())

    assert caught.value.plugin == "mine"
    assert caught.value.message.startswith(message)


MADE = {
    "a list": ({"made": [1, 2]}, [1, 2]),
    "an array": ({"made": np.array([1, 2])}, [1, 2]),
    "no mapping": (None, "answered nothing where a dict of columns was asked for"),
    "an array of two dimensions": ({"made": np.array([[1, 2], [3, 4]])}, [[1, 2], [3, 4]]),
    "a tuple": ({"made": (1, 2)}, [1, 2]),
    "another column": ({"other": [1, 2]}, "answered nothing for 'made' where 2 rows were asked for"),
    "too short": ({"made": [1]}, "answered a list of 1 (int) for 'made' where 2 rows were asked for"),
}


@pytest.mark.parametrize(("answer", "wanted"), MADE.values(), ids=MADE)
def test_produced_columns(answer, wanted):
    reader = Keeps("f", ("made",), lambda ask, rows, cycle: None)
    use = bound(reader, Makes("mine", (), says(answer), produces=("made",))).producers[0]
    columns = {}
    if isinstance(wanted, list):
        produce(use, "ask", columns, 2, CLOSED)
        assert columns == {"made": wanted}
        return
    with pytest.raises(PluginError) as caught:
        produce(use, "ask", columns, 2, CLOSED)
    assert caught.value.message == wanted


def test_small_things():
    assert take("abc", [2, 0]) == ["c", "a"]
    assert refused_rows([True, False, False]) == [1, 2]
    assert both([True, True, False], [True, False, True]) == [True, False, False]


LIKE_ARRAYS = {
    "a comparison": lambda ask, rows, cycle: rows.free >= 2,
    "a method of arrays": lambda ask, rows, cycle: rows.free.max(),
    "arithmetic": lambda ask, rows, cycle: rows.free / 2,
}


@pytest.mark.parametrize("call", LIKE_ARRAYS.values(), ids=LIKE_ARRAYS)
def test_who_takes_lists_for_arrays_is_told(call):
    use = bound(Keeps("mine", ("free",), call)).filters[0]

    with pytest.raises(PluginError, match="columns of a ListTable are lists: go through their values, or begin with"):
        ask_mask(use, "ask", {"free": [1, 2]}, 2, CLOSED)


def test_wrong_answers_get_a_next_step_here_too():
    steps = []
    for ask, use in ((ask_mask, filter_of([1, 0])), (ask_scores, scorer_of([1.0])), (ask_mask, filter_of(None))):
        with pytest.raises(PluginError) as caught:
            ask(use, "ask", {}, 2, CLOSED)
        steps.append(caught.value.next)

    assert [step.split(",")[0] for step in steps] == [
        "return booleans", "return one value for each row that is shown", "end the method with `return`",
    ]  # fmt: skip

"""A scalar form that differs from the form over columns is told, with the row and both answers."""

from math import nan

import numpy as np
import pytest

from bayplan.framework.twin_check import twin_complaints
from bayplan.framework.twins import Twin
from unit.framework.builders import Keeps, Makes, Scores

FREE = np.array([1, 2, 3])
UNKNOWN = nan


def tenth(free):
    return free / 10


def pair(step, free):
    return free - step, free + step


def bad_pair(step, free):
    return free - step, free + 2 * step if free == 2 else free + step


def unknown(free):
    return UNKNOWN


def minus_zero(free):
    return -0.0


def whole(free):
    return 0


def failing(free):
    return 1 / (free - 2)


def enough(free, least):
    return free >= least


def complaints(kind, answer, twin, reads=("free",), **more):
    plugin = kind("p", reads, None, twin=lambda ask, shared: twin, **more)
    return list(twin_complaints(plugin, "ask", {"free": FREE}, {"least": 2}, answer))


def makes(answer, twin):
    return complaints(Makes, answer, twin, produces=tuple(answer))


GOOD = {
    "a scorer": lambda: complaints(Scores, [0.1, 0.2, 0.3], Twin(tenth)),
    "NaN": lambda: complaints(Scores, [nan, nan, nan], Twin(unknown)),
    "a filter with a shared value": lambda: complaints(
        Keeps, [False, True, True], Twin(enough), reads=("free", "least")
    ),
    "a producer of one column": lambda: makes({"a": [0.1, 0.2, 0.3]}, Twin(tenth)),
    "a producer of two": lambda: makes({"a": [0, 1, 2], "b": [2, 3, 4]}, Twin(pair, (1,))),
    "no twin": lambda: complaints(Scores, [0.1, 0.2, 0.3], None),
}


@pytest.mark.parametrize("check", GOOD.values(), ids=GOOD)
def test_equal_forms_have_no_complaint(check):
    assert check() == []


BAD = {
    "another number": (
        lambda: complaints(Scores, [0.1, 0.2, 0.25], Twin(tenth)),
        "its twin says 0.3 of row 2, and the plugin itself 0.25",
    ),
    "NaN instead of a number": (
        lambda: complaints(Scores, [0.1, 0.2, 0.3], Twin(unknown)),
        "its twin says nan of row 0, and the plugin itself 0.1",
    ),
    "a number instead of NaN": (
        lambda: complaints(Scores, [0.1, nan, 0.3], Twin(tenth)),
        "its twin says 0.2 of row 1, and the plugin itself nan",
    ),
    "another zero": (
        lambda: complaints(Scores, [0.0, 0.0, 0.0], Twin(minus_zero)),
        "its twin says -0.0 of row 0, and the plugin itself 0.0",
    ),
    "a whole number": (
        lambda: complaints(Scores, [0.0, 0.0, 0.0], Twin(whole)),
        "its twin says 0 of row 0, and the plugin itself 0.0",
    ),
    "one of two columns": (
        lambda: makes({"a": [0, 1, 2], "b": [2, 3, 4]}, Twin(bad_pair, (1,))),
        "its twin says (1, 4) of row 1, and the plugin itself (1, 3)",
    ),
    "an error": (
        lambda: complaints(Scores, [-1.0, 0.2, 0.3], Twin(failing)),
        "its twin raised ZeroDivisionError for row 1: division by zero",
    ),
    "no text": (
        lambda: complaints(Scores, [0.1, 0.2, 0.3], Twin(pair)),
        "its twin cannot be written into a loop: pair has 2 parameters, not 1",
    ),
    "no twin at all": (
        lambda: complaints(Scores, [0.1, 0.2, 0.3], 5),
        "it has a twin that is a int; return a Twin, or None",
    ),
}


@pytest.mark.parametrize(("check", "text"), BAD.values(), ids=BAD)
def test_what_differs_is_told_once(check, text):
    assert check() == [text]

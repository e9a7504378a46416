"""Functions as text: what is written into a loop means what the function means, and what cannot be is refused."""

from math import inf, nan

import numpy as np
import pytest

from bayplan.framework.evaluation.function_text import FunctionTexts, TextError

LIMIT, WIDE, NEVER, SMALL = 3, np.int64(9), -inf, np.float64(0.25)
EVER, UNKNOWN, IS_OPEN, HALF, LEAST = inf, nan, np.True_, np.array(0.5), -2
TABLE, PAIR, DAY = (1, 2), np.array([1, 2]), np.datetime64("2024-01-01")


def within(least, free):
    """A docstring is left out."""
    return least <= free < LIMIT * WIDE


def endless(free):
    return NEVER if free < 0 else SMALL * free


def special(free):
    return EVER if free < 0 else UNKNOWN if free == 0 else NEVER


def numbers(free):
    return IS_OPEN, HALF * free, LEAST**free


def both(a, b):
    return a + b, max(a, b)


def total(cards):
    found = 0
    for card in cards:
        found += card
    return found


def typed(cards):
    found: float = 0.5
    for card in cards:
        found += card
    return found


def declared(cards):
    found: float
    found = 0.5
    for card in cards:
        found += card
    return found


def doubled(cards):
    return total(cards) * 2


def squares(cards):
    return sum_of([card * card for card in cards])


def sum_of(cards):
    return total(cards)


def by_table(free):
    return TABLE[free]


def by_pair(free):
    return PAIR[free]


def by_day(free):
    return DAY


def printed(free):
    return print(free)


def optional(free, least=1):
    return free >= least


def starred(*cards):
    return len(cards)


def inner():
    return lambda free: free + LIMIT


def closed(limit):
    def function(free):
        return free + limit

    return function


def value(function, *arguments):
    texts = FunctionTexts("@same\n")
    names = {f"value{place}": argument for place, argument in enumerate(arguments)}
    parts = texts.expressions(function, list(names))
    scope = {**names, "inf": inf, "nan": float("nan"), "same": lambda function: function}
    exec("\n".join(texts.definitions), scope)  # noqa: S102 (what is tested)
    found = [eval(part, scope) for part in parts]  # noqa: S307 (what is tested)
    return found[0] if len(found) == 1 else tuple(found)


SAME = {
    "one expression": (within, (2, 5)),
    "infinity": (endless, (-1,)),
    "a number of NumPy": (endless, (3,)),
    "infinity above": (special, (-1,)),
    "infinity below": (special, (1,)),
    "numbers of several kinds": (numbers, (2,)),
    "a type without a value": (declared, ([1, 2, 3],)),
    "a tuple": (both, (3, 4)),
    "statements": (total, ([1, 2, 3],)),
    "types of variables": (typed, ([1, 2, 3],)),
    "a function of a function": (doubled, ([1, 2, 3],)),
    "a variable inside an expression": (squares, ([1, 2],)),
    "a built-in": (float, (3,)),
}


@pytest.mark.parametrize(("function", "arguments"), SAME.values(), ids=SAME)
def test_the_text_means_what_the_function_means(function, arguments):
    found, wanted = value(function, *arguments), function(*arguments)

    assert (found, type(found)) == (wanted, type(wanted.item() if isinstance(wanted, np.generic) else wanted))


def test_a_single_expression_is_written_without_a_call():
    texts = FunctionTexts()

    assert texts.expressions(within, ["a", "b"]) == ["(a <= b < 3 * 9)"]
    assert texts.definitions == []


def test_what_is_no_number_is_written_by_its_name():
    texts = FunctionTexts()

    assert texts.expressions(special, ["a"]) == ["(inf if a < 0 else nan if a == 0 else -inf)"]
    assert texts.expressions(numbers, ["a"]) == ["(True)", "(0.5 * a)", "((-2) ** a)"]


def test_a_function_is_defined_once_below_the_decorator():
    texts = FunctionTexts("@same\n")

    assert texts.expressions(doubled, ["a"]) == ["(function0(a) * 2)"]
    assert texts.expressions(total, ["b"]) == ["function0(b)"]
    assert [text.startswith("@same\ndef function0(cards):\n    found = 0\n") for text in texts.definitions] == [True]


WRONG = {
    "a global that is no number": (by_table, "uses TABLE, which is neither a number nor a function"),
    "an array": (by_pair, "uses PAIR, which is neither a number nor a function"),
    "a date": (by_day, "uses DAY, which is neither a number nor a function"),
    "a built-in that compilers do not know": (printed, "uses print, which is none of abs, bool"),
    "a default": (optional, "is no plain function of a module"),
    "a star": (starred, "other than plain parameters"),
    "a closure": (closed(1), "is no plain function of a module"),
    "a lambda": (inner(), "is not defined by `def`"),
    "no function": (TABLE, "is no plain function of a module"),
    "other parameters": (both, "both has 2 parameters, not 1"),
}


@pytest.mark.parametrize(("function", "text"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_written_is_refused(function, text):
    with pytest.raises(TextError, match=text):
        FunctionTexts().expressions(function, ["a"])


def test_a_function_without_text_is_refused():
    scope = {}
    exec("def function(free):\n    return free", scope)  # noqa: S102 (a function without a file)

    with pytest.raises(TextError, match="the text of function cannot be read"):
        FunctionTexts().expressions(scope["function"], ["a"])

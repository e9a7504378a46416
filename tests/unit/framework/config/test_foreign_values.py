"""Values that nothing is known about yet."""

from __future__ import annotations

import math

import pytest

from bayplan.framework.config.foreign_values import finite, shown

NUMBERS = {"whole": (3, 3.0), "a part": (0.5, 0.5), "true": (True, None), "text": ("3", None), "nothing": (None, None),
           "infinity": (math.inf, None), "no number": (math.nan, None), "too large": (10**400, None)}  # fmt: skip


@pytest.mark.parametrize(("value", "wanted"), NUMBERS.values(), ids=NUMBERS)
def test_finite(value, wanted):
    assert finite(value) == wanted


SHOWN = {"null": (None, "null"), "true": (True, "true"), "text": ("a\n", "'a�'"), "a mapping": ({"a": 1}, "a mapping"),
         "a list": ([1, 2], "a list of 2"), "a number": (1.5, "1.5"),
         "a long number": (10**99, "a number of more than 60 digits")}  # fmt: skip


@pytest.mark.parametrize(("value", "wanted"), SHOWN.values(), ids=SHOWN)
def test_shown(value, wanted):
    assert shown(value) == wanted

"""Plain scalars mean what YAML 1.2 says, and nothing by surprise."""

from __future__ import annotations

import pytest

from bayplan.manifests.scalars import ScalarError, control_character, resolve

MEANINGS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "FALSE": False,
    "yes": "yes", "on": "on", "off": "off", "n": "n", "nULL": "nULL", "tRue": "tRue",
    "0": 0, "-0": 0, "+12": 12, "010": 10, "0o10": 8, "0x1F": 31, "0b11": "0b11", "1_000": "1_000",
    "1.5": 1.5, ".5": 0.5, "5.": 5.0, "1e3": 1000.0, "-1.5E-3": -0.0015, "1e": "1e", ".": ".", "-": "-", "+": "+",
    "12:30:00": "12:30:00", "190:20": "190:20", "2024-01-01": "2024-01-01",
    "2024-01-01T00:00:00Z": "2024-01-01T00:00:00Z",
    "1.2.3": "1.2.3", "nan": "nan", "inf": "inf", "NaN": "NaN", "=": "=", "١": "١",
}  # fmt: skip


@pytest.mark.parametrize(("text", "value"), MEANINGS.items(), ids=MEANINGS)
def test_meanings(text, value):
    found = resolve(text, 64)

    assert (found, type(found)) == (value, type(value))


REFUSED = {
    ".nan": "not a finite", ".NaN": "not a finite", ".inf": "not a finite", "-.INF": "not a finite",
    "1e999": "too large", "-1e999": "too large",
    "123": "3 digits, and at most 2", "-123": "3 digits", "0xfff": "3 digits",
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), REFUSED.items(), ids=REFUSED)
def test_refused(text, words):
    with pytest.raises(ScalarError, match=words):
        resolve(text, 2)


def test_digits_at_the_limit():
    assert resolve("-12", 2) == -12


CONTROLS = {
    "plain": ("a é\t\n\r\x85\u2028", None),
    "escape": ("a\x1b", "U+001B"),
    "nul": ("\x00", "U+0000"),
    "delete": ("\x7f", "U+007F"),
    "c1": ("\x9b", "U+009B"),
}


@pytest.mark.parametrize(("text", "found"), CONTROLS.values(), ids=CONTROLS)
def test_control_characters(text, found):
    assert control_character(text) == found

"""What a scalar means: the core schema of YAML 1.2, and which characters and numbers are refused.

YAML 1.1, which PyYAML's own loader follows, reads `12:30:00` as 45000, `on` as true, `010` as 8 and `2024-01-01` as
a date. Here the first, second and fourth are text, and `010` is ten; octal is `0o10`, hexadecimal `0x10`. Numbers
that are not finite are refused, because no document of ours can mean one.
"""

from __future__ import annotations

import math
import re

MAYBE_NOT_TEXT = frozenset("0123456789+-.~nNtTfF")
"""A plain scalar that begins with anything else is text."""

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(
    r"([-+]?[0-9]++)"
    r"|([-+]?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)(?:[eE][-+]?[0-9]++)?)"
    r"|(0o[0-7]++|0x[0-9a-fA-F]++)"
    r"|([-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_DECIMAL, _FLOAT, _BASED = 1, 2, 3
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")


class ScalarError(ValueError):
    """A scalar that is refused; the message says why, the reader adds the place."""


def resolve(text: str, digits: int) -> str | int | float | bool | None:
    """The value of a plain scalar, or a `ScalarError` for a number that cannot be held."""
    if text in _WORDS:
        return _WORDS[text]
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text
    if found.lastindex == _DECIMAL:
        return integer(text, digits)
    if found.lastindex == _FLOAT:
        return finite(text)
    if found.lastindex == _BASED:
        _check_length(len(text) - 2, digits)
        return int(text, 0)
    raise ScalarError(f"{text} is not a finite number")


def integer(text: str, digits: int) -> int:
    """The value of a decimal integer; long ones are refused, because the conversion takes quadratic time."""
    if len(text) > digits:
        _check_length(len(text.lstrip("+-")), digits)
    return int(text)


def _check_length(length: int, digits: int) -> None:
    if length > digits:
        raise ScalarError(f"an integer of {length:,} digits, and at most {digits} are read")


def finite(text: str) -> float:
    """The value of a floating-point number; `1e999`, which Python reads as infinity, is refused."""
    value = float(text)
    if not math.isfinite(value):
        raise ScalarError(f"{text[:20]} is too large for a number")
    return value


def control_character(text: str) -> str | None:
    """The first character that YAML calls unprintable: it can steer a terminal or end a string early."""
    found = None if text.isprintable() else _CONTROL.search(text)
    return found and f"U+{ord(found[0]):04X}"

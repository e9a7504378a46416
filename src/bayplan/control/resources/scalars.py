"""Which plain values the scalar types of the schemas accept."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_QUANTITY = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_INT32 = 1 << 31  # one more than the largest int32
_INT64 = 1 << 63  # one more than the largest int64


def _whole(limit: int) -> Callable[[Any], bool]:
    """Whole numbers of that many bits; JSON writers may spell 3 as 3.0."""

    def accepts(value: Any) -> bool:
        if type(value) is float:
            return value.is_integer() and -limit <= value < limit
        return type(value) is int and -limit <= value < limit

    return accepts


def _number(value: Any) -> bool:
    return type(value) is int or type(value) is float


def _text(value: Any) -> bool:
    return type(value) is str


def _quantity(value: Any) -> bool:
    return _number(value) or (type(value) is str and _QUANTITY.fullmatch(value) is not None)


def _time(value: Any) -> bool:
    return type(value) is str and _TIME.fullmatch(value) is not None


def _bytes(value: Any) -> bool:
    if type(value) is not str:
        return False
    try:
        b64decode(value, validate=True)
    except binascii.Error:
        return False
    return True


def any_scalar(value: Any) -> bool:
    """Texts, numbers and truth values, but no lists or objects."""
    return not isinstance(value, dict | list)


ACCEPTS: dict[str, Callable[[Any], bool]] = {
    "string": _text,
    "bool": lambda value: type(value) is bool,
    "int32": _whole(_INT32),
    "int64": _whole(_INT64),
    "number": _number,
    "quantity": _quantity,
    "time": _time,
    "microtime": _time,
    "bytes": _bytes,
    "int-or-string": lambda value: type(value) is int or type(value) is str,
    "number-or-string": lambda value: _number(value) or type(value) is str,
    "scalar": any_scalar,
}

EXPECTED = {
    "string": "a string",
    "bool": "true or false",
    "int32": "a whole number",
    "int64": "a whole number",
    "number": "a number",
    "quantity": "a quantity such as 500m or 4Gi",
    "time": "a time such as 2026-01-31T12:00:00Z",
    "microtime": "a time such as 2026-01-31T12:00:00.000000Z",
    "bytes": "text in base64",
    "int-or-string": "a whole number or a string",
    "number-or-string": "a number or a string",
    "scalar": "a string, a number or a truth value",
}

"""Single values of a document: each function returns the meaning of a value, or raises an InputError.

The place of an error is relative to the value; the reader of the document adds the place of the value.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, TypeVar

from bayplan.cluster.byte_resources import is_in_bytes
from bayplan.cluster.quantities import (
    MAX_COUNT,
    MAX_MIB,
    parse_amount,
    parse_bandwidth_gb_per_s,
    parse_compute_milli,
    parse_count,
    parse_cpu_milli,
    parse_duration_s,
    parse_memory_mib,
    parse_money,
    parse_number,
    parse_percent,
    shown,
)
from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.paths import clip

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)
Parse = Callable[[object], T]

_REMEMBERED = 4096  # more spellings than any fleet has; a hostile document cannot fill the memory


def remembered(parse: Callable[[object, str], T]) -> Parse[T]:
    """The function with a cache by value: a fleet repeats the same few sizes. Errors are not cached."""
    known = lru_cache(maxsize=_REMEMBERED, typed=True)(partial(_at_root, parse))

    def read(value: object) -> T:
        return known(value) if isinstance(value, (str, int, float)) else parse(value, "")

    return read


def _whole(parse: Parse[int], most: int) -> Parse[int]:
    """The function with a short cut for plain integers, which are their own meaning and differ on every card."""

    def read(value: object) -> int:
        return value if type(value) is int and 0 <= value <= most else parse(value)

    return read


def _at_root(parse: Callable[[object, str], T], value: Any) -> T:
    return parse(value, "")


claim_mib = _whole(remembered(partial(parse_memory_mib, rounding="up")), MAX_MIB)
capacity_mib = _whole(remembered(partial(parse_memory_mib, rounding="down")), MAX_MIB)
claim_mib_of_bytes = remembered(partial(parse_memory_mib, rounding="up", bare="bytes"))
capacity_mib_of_bytes = remembered(partial(parse_memory_mib, rounding="down", bare="bytes"))
claim_cpu_milli = remembered(partial(parse_cpu_milli, rounding="up"))
capacity_cpu_milli = remembered(partial(parse_cpu_milli, rounding="down"))
claim_compute_milli = remembered(partial(parse_compute_milli, rounding="up"))
MOST_PERCENT = 10**6
"""The most percent of a card that a document may name: far above 100, so that only a typing error exceeds it."""

asked_compute_milli = remembered(partial(parse_compute_milli, rounding="up", most=MOST_PERCENT))
claimed_amount = remembered(partial(parse_amount, rounding="up"))
offered_amount = remembered(partial(parse_amount, rounding="down"))


def claimed_of(resource: str) -> Parse[int]:
    """The parser for a claimed amount of this resource (rounded up)."""
    return claim_mib if is_in_bytes(resource) else claimed_amount


def offered_of(resource: str) -> Parse[int]:
    """The parser for an offered amount of this resource (rounded down)."""
    return capacity_mib if is_in_bytes(resource) else offered_amount


count = _whole(remembered(parse_count), MAX_COUNT)
positive = remembered(partial(parse_count, minimum=1))
priority = remembered(partial(parse_count, minimum=-(2**31)))
number = remembered(parse_number)
rate = remembered(partial(parse_number, maximum=1.0))
money = remembered(parse_money)
percent = remembered(parse_percent)
bandwidth_gb_per_s = remembered(parse_bandwidth_gb_per_s)
duration_s = remembered(parse_duration_s)


def part_of_card(value: object) -> Fraction:
    """More than 0 and at most 1, exact."""
    number(value)
    found = Fraction(str(value))
    if not 0 < found <= 1:
        raise InputError(f"{shown(value)} is no part of a card", next="write more than 0, at most 1")
    return found


def text(value: object) -> str:
    """Text; whole numbers and booleans are converted, because each has only one spelling."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() <= 256:
        return str(value)
    raise InputError(f"{what(value)} is no text", next="put it in quotes")


def name(value: object) -> str:
    """Text that is not empty or blank."""
    if not (found := text(value)).strip():
        raise InputError("the text is empty", next="write a name")
    return found


def flag(value: object) -> bool:
    """True or false, also in quotes; no other word and no number."""
    if isinstance(value, bool):
        return value
    word = value.lower() if isinstance(value, str) else ""
    if word not in ("true", "false"):
        raise InputError(f"{what(value)} is neither true nor false", next="write true or false")
    return word == "true"


def one_of(words: type[E]) -> Parse[E]:
    """A parser for the values of an enum."""
    plain = word_of(tuple(each.value for each in words))
    return lambda value: words(plain(value))


def word_of(words: tuple[str, ...]) -> Parse[str]:
    """A parser for a few words that are not an enum."""
    known = " | ".join(words)

    def read(value: object) -> str:
        if isinstance(value, str) and value in words:
            return str(value)
        near = did_you_mean(value, words) if isinstance(value, str) else f"write one of {known}"
        raise InputError(f"{what(value)} is not one of {known}", next=near)

    return read


def what(value: object) -> str:
    """An untrusted value as part of a message."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return repr(clip(value)) if isinstance(value, str) else shown(value)

"""Numbers as people write them, read exactly or refused with the field's path.

Sizes never pass through binary floats: `0.1Gi` is a tenth of a GiB, not its nearest double. Claims are
rounded up and offers are rounded down, so that a reading error can never promise room that is not there.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

Rounding = Literal["up", "down"]

# Bounds far above anything built, and low enough that the sum over a large fleet stays inside 64 bits.
MAX_MIB = 2**45
MAX_CPU_MILLI = 2**40
MAX_COUNT = 2**31 - 1
MAX_NUMBER = 10.0**12
MAX_DURATION_S = 10**10

_MAX_TEXT = 64  # bounds the work of exact fractions; no sensible number is longer
_MAX_EXPONENT_DIGITS = 3  # 10**999 is still quick to build; 10**999999999 would fill the memory
_MIB = 2**20

_BINARY = {prefix + "i": 2 ** (10 * power) for power, prefix in enumerate("KMGTPE", start=1)}
_DECIMAL = {prefix: 10 ** (3 * power) for power, prefix in enumerate("KMGTPE", start=1)} | {"k": 1000}
_SMALL = {"m": Fraction(1, 10**3), "u": Fraction(1, 10**6), "n": Fraction(1, 10**9)}
_BYTES = {suffix + "B": size for suffix, size in (_BINARY | _DECIMAL).items()} | {"B": 1}

KUBERNETES_SUFFIXES: dict[str, Fraction] = {
    suffix: Fraction(size) for suffix, size in (_BINARY | _DECIMAL | _SMALL).items()
}
"""What Kubernetes puts behind a number; `m` is a thousandth, `M` a million."""

SIZE_SUFFIXES: dict[str, Fraction] = KUBERNETES_SUFFIXES | {s: Fraction(n) for s, n in _BYTES.items()}
"""The same, and the spellings with a B that people use for bytes."""

# Each part is bounded by the length of the text and starts with another class of character than the one
# before it ends with, so that matching takes one pass.
_NUMBER = re.compile(r"([+-]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?)([0-9]+))? ?([A-Za-zµμ%/]*)")

_DURATION_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h|d|w)")
_DURATION_UNITS = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "µs": Fraction(1, 10**6),
    "μs": Fraction(1, 10**6),
    "ms": Fraction(1, 10**3),
    "s": Fraction(1),
    "m": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86400),
    "w": Fraction(7 * 86400),
}


def parse_memory_mib(value: object, place: str, *, rounding: Rounding, bare: Literal["mib", "bytes"] = "mib") -> int:
    """A size in whole MiB; `bare` says what a number without a suffix counts."""
    number, suffix = _split(value, place, "a size such as 40Gi, 512Mi or 40GB")
    if suffix:
        in_bytes = number * _factor(suffix, SIZE_SUFFIXES, value, place)
    else:
        in_bytes = number * (_MIB if bare == "mib" else 1)
    return _whole(in_bytes / _MIB, rounding, MAX_MIB, value, place)


def parse_cpu_milli(value: object, place: str, *, rounding: Rounding) -> int:
    """CPU in thousandths of a core; a bare number counts cores."""
    number, suffix = _split(value, place, "a number of cores such as 4, 0.5 or 100m")
    cores = number * _factor(suffix, KUBERNETES_SUFFIXES, value, place) if suffix else number
    return _whole(cores * 1000, rounding, MAX_CPU_MILLI, value, place)


def parse_compute_milli(value: object, place: str, *, rounding: Rounding, most: int = 100) -> int:
    """A share of one card's compute in thousandths, read from percent.

    Thousandths, because eight shares of 12.5 % must fit a card exactly. A workload may ask for more than a card has,
    which is its own refusal and no error of the file: `most` says up to how many percent.
    """
    number, suffix = _split(value, place, "a percentage from 0 to 100")
    _only_suffix("%", suffix, value, place)
    _bounded(number, 0, most, value, place)
    return _whole(number * 10, rounding, 10 * most, value, place)


def parse_bandwidth_gb_per_s(value: object, place: str) -> float:
    """A bandwidth in GB/s; `600Gi`, `600GB/s` and `600` are the same.

    Manifests in the wild borrow the suffixes of sizes here, so only the number counts.
    """
    number, suffix = _split(value, place, "a bandwidth in GB/s such as 600")
    if suffix:
        _factor(suffix.removesuffix("/s"), SIZE_SUFFIXES, value, place)
    return _bounded(number, 0.0, MAX_NUMBER, value, place)


def parse_duration_s(value: object, place: str) -> float:
    """Seconds from `1d12h`, `1h30m`, `90s`, `500ms` or a bare number of seconds."""
    example = "a duration such as 90s, 1h30m or 1d12h"
    if not isinstance(value, str) or not value.strip().endswith(tuple(_DURATION_UNITS)):
        number, suffix = _split(value, place, example)
        _only_suffix("", suffix, value, place)
        return _bounded(number, 0.0, MAX_DURATION_S, value, place)
    text = value.strip()
    if len(text) > _MAX_TEXT:
        raise _refusal(value, place, "is too long for a number", f"write {example}")
    seconds, end = Fraction(0), 0
    while end < len(text):
        part = _DURATION_PART.match(text, end)
        if part is None:
            raise _refusal(value, place, "is not a duration", f"write {example}")
        seconds += Fraction(part[1]) * _DURATION_UNITS[part[2]]
        end = part.end()
    return _bounded(seconds, 0.0, MAX_DURATION_S, value, place)


def parse_percent(value: object, place: str) -> float:
    """A measured percentage, 0 to 100, with or without the sign."""
    number, suffix = _split(value, place, "a percentage from 0 to 100")
    _only_suffix("%", suffix, value, place)
    return _bounded(number, 0.0, 100.0, value, place)


def parse_money(value: object, place: str) -> float:
    """An amount in USD, never negative."""
    text = value.strip().removeprefix("$") if isinstance(value, str) else value
    number, suffix = _split(text, place, "an amount in USD such as 32.77")
    _only_suffix("", suffix, value, place)
    return _bounded(number, 0.0, MAX_NUMBER, value, place)


def parse_number(value: object, place: str, *, minimum: float = 0.0, maximum: float = MAX_NUMBER) -> float:
    """Any other finite measure: watts, grams per kWh, a rate between 0 and 1."""
    number, suffix = _split(value, place, "a number", negative=minimum < 0)
    _only_suffix("", suffix, value, place)
    return _bounded(number, minimum, maximum, value, place)


def parse_count(value: object, place: str, *, minimum: int = 0, maximum: int = MAX_COUNT) -> int:
    """A whole number; `8`, `"8"` and `8.0` are the same, `8.5` and `true` are refused."""
    number, suffix = _split(value, place, "a whole number", negative=minimum < 0)
    _only_suffix("", suffix, value, place)
    if number.denominator != 1:
        raise _refusal(value, place, "is not a whole number", "write it without a fraction")
    _bounded(number, minimum, maximum, value, place)
    return number.numerator


def parse_amount(value: object, place: str, *, rounding: Rounding) -> int:
    """A whole amount of a resource as Kubernetes writes it: `8`, `"8"` and `1k` are amounts."""
    number, suffix = _split(value, place, "an amount such as 8 or 1k")
    factor = _factor(suffix, KUBERNETES_SUFFIXES, value, place) if suffix else 1
    return _whole(number * factor, rounding, MAX_MIB, value, place)


def refuse_negative(amounts: Mapping[str, float | None]) -> None:
    """Stops a noun that would give away more than there is; keys are the fields as documents name them."""
    for place, amount in amounts.items():
        if amount is not None and not 0 <= amount < math.inf:
            problem = "is negative" if amount < 0 else "is no finite number"
            raise InputError(f"{shown(amount)} {problem}", place=place, next="write a number from 0 up")


def shown(value: object) -> str:
    """A value as an error quotes it: short, and safe for an integer too long to print or a list too deep."""
    # far above every bound; Python refuses to print very long ones
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return f"a {type(value).__name__}"
    return text if len(text) <= 48 else text[:45] + "..."


def _split(value: object, place: str, example: str, *, negative: bool = False) -> tuple[Fraction, str]:
    """The number and what stands behind it; here every hostile value ends."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):  # bool is a subclass of int
        raise _refusal(value, place, "is not a number", f"write {example}")
    if isinstance(value, str):
        number, suffix = _split_text(value, place, example)
    else:
        if isinstance(value, float) and not math.isfinite(value):
            raise _refusal(value, place, "is not a finite number", f"write {example}")
        if isinstance(value, int) and value.bit_length() > 256:
            raise _refusal(value, place, "is too large", f"write {example}")
        number, suffix = Fraction(str(value)), ""  # by its text: 0.1 is a tenth, not its nearest double
    if number < 0 and not negative:
        raise _refusal(value, place, "is negative", f"write {example}")
    return number, suffix


def _split_text(value: str, place: str, example: str) -> tuple[Fraction, str]:
    text = value.strip()
    if len(text) > _MAX_TEXT:
        raise _refusal(value, place, "is too long for a number", f"write {example}")
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise _refusal(value, place, "is not a number" if text else "is empty", f"write {example}")
    sign, digits, exponent_sign, exponent, suffix = match.groups()
    if exponent is None:
        return Fraction(sign + digits), suffix
    if len(exponent) > _MAX_EXPONENT_DIGITS:
        raise _refusal(value, place, "has too large an exponent", f"write {example}")
    if suffix:
        raise _refusal(value, place, "has both an exponent and a suffix", "write one of them")
    return Fraction(f"{sign}{digits}e{exponent_sign}{exponent}"), ""


def _factor(suffix: str, known: dict[str, Fraction], value: object, place: str) -> Fraction:
    factor = known.get(suffix)
    if factor is None:
        meant = next((name for name in known if name.lower() == suffix.lower()), None)
        following = f"did you mean {meant!r}?" if meant else f"known are {', '.join(known)}"
        raise _refusal(value, place, f"has the unknown suffix {suffix!r}", following)
    return factor


def _only_suffix(allowed: str, suffix: str, value: object, place: str) -> None:
    if suffix not in ("", allowed):
        raise _refusal(value, place, f"has the unknown suffix {suffix!r}", "write the number alone")


def _whole(number: Fraction, rounding: Rounding, maximum: int, value: object, place: str) -> int:
    whole = math.ceil(number) if rounding == "up" else math.floor(number)
    if whole > maximum:
        raise _refusal(value, place, "is too large", "check the unit")
    return whole


def _bounded(number: Fraction, minimum: float, maximum: float, value: object, place: str) -> float:
    if not minimum <= number <= maximum:
        limits = f"write a number from {minimum:,} to {maximum:,}"
        raise _refusal(value, place, "is too small" if number < minimum else "is too large", limits)
    return float(number)


def _refusal(value: object, place: str, problem: str, following: str) -> InputError:
    return InputError(f"{shown(value)} {problem}", place=place, next=following)

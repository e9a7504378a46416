"""Quantities as Kubernetes writes them; each spelling is parsed once, because a fleet repeats the same few."""

from __future__ import annotations

from functools import lru_cache

from bayplan.cluster.quantities import (
    parse_amount,
    parse_count,
    parse_cpu_milli,
    parse_memory_mib,
    parse_money,
    parse_number,
)
from bayplan.framework.errors import InputError

_SHORT = 14  # longer numbers take the general parser, which checks that they can be held
MAX_CARDS = 1024
"""The most devices of one resource on one worker: each becomes an object, so a hostile number must not pass."""


def cpu_offered(value: object, place: str) -> int:
    """Thousandths of a core, rounded down."""
    return _cpu_down(value, place) if type(value) is str else parse_cpu_milli(value, place, rounding="down")


def bytes_offered(value: object, place: str) -> int:
    """MiB, rounded down; a bare number counts bytes."""
    if type(value) is not str:
        return parse_memory_mib(value, place, rounding="down", bare="bytes")
    if value[-2:] == "Ki" and value[:-2].isdecimal() and len(value) <= _SHORT:
        return int(value[:-2]) >> 10  # as kubelets write it, and each node another number
    if value.isdecimal() and len(value) <= _SHORT:
        return int(value) >> 20  # so they write storage
    return _bytes_down(value, place)


def bytes_claimed(value: object, place: str) -> int:
    """MiB, rounded up; a bare number counts bytes."""
    return parse_memory_mib(value, place, rounding="up", bare="bytes")


def cpu_claimed(value: object, place: str) -> int:
    """Thousandths of a core, rounded up."""
    return parse_cpu_milli(value, place, rounding="up")


def mib_offered(value: object, place: str) -> int:
    """MiB, rounded down; a bare number counts MiB, as NVIDIA's labels do."""
    return _mib_down(value, place) if type(value) is str else parse_memory_mib(value, place, rounding="down")


@lru_cache(maxsize=4096)
def money(value: str, place: str) -> float:
    """USD."""
    return parse_money(value, place)


@lru_cache(maxsize=4096)
def measure(value: str, place: str) -> float:
    """Any other measure."""
    return parse_number(value, place)


def amount_offered(value: object, place: str) -> int:
    """An amount of any other resource, rounded down; kubelets also write forms such as `1k`."""
    return _amount_down(value, place) if type(value) is str else parse_amount(value, place, rounding="down")


def amount_claimed(value: object, place: str) -> int:
    """The same, rounded up."""
    return parse_amount(value, place, rounding="up")


def cards_counted(value: object, place: str) -> int:
    """A number of devices, none of them imaginary."""
    return _cards(value, place) if type(value) is str else _count(value, place)


def _count(value: object, place: str) -> int:
    count = parse_count(value, place)
    if count > MAX_CARDS:
        message = f"{count:,} devices on one worker, and at most {MAX_CARDS:,} are read"
        raise InputError(message, place=place, next="check the number")
    return count


@lru_cache(maxsize=4096)
def _cpu_down(value: str, place: str) -> int:
    return parse_cpu_milli(value, place, rounding="down")


@lru_cache(maxsize=4096)
def _bytes_down(value: str, place: str) -> int:
    return parse_memory_mib(value, place, rounding="down", bare="bytes")


@lru_cache(maxsize=4096)
def _mib_down(value: str, place: str) -> int:
    return parse_memory_mib(value, place, rounding="down")


@lru_cache(maxsize=4096)
def _amount_down(value: str, place: str) -> int:
    return parse_amount(value, place, rounding="down")


@lru_cache(maxsize=4096)
def _cards(value: str, place: str) -> int:
    return _count(value, place)

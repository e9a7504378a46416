"""What a metric is called, means and is told apart by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

FAST_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Buckets for what should take milliseconds: decisions, commits, requests."""
SLOW_S = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)
"""Buckets for what people wait for: a Pod until it is bound."""
POWERS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)
"""Buckets for numbers of things."""


class Kind(StrEnum):
    """How a metric changes, in the words of Prometheus."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Definition:
    """One metric. `values` lists what the labels can say where that is known: those series are there from the start.

    A series that appears with its first event has no value before it, so that `rate()` misses that event.
    """

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    buckets: tuple[float, ...] = ()
    most_series: int = 500
    """What clients send must not fill the memory: further series are counted together under `other`."""


def counter(
    name: str, about: str, labels: tuple[str, ...] = (), *, values: tuple[tuple[str, ...], ...] = ()
) -> Definition:
    """A number of events, which only grows."""
    return Definition(name, Kind.COUNTER, about, labels, values)


def gauge(
    name: str, about: str, labels: tuple[str, ...] = (), *, values: tuple[tuple[str, ...], ...] = (),
    most_series: int = 500,
) -> Definition:  # fmt: skip
    """A state, which grows and shrinks."""
    return Definition(name, Kind.GAUGE, about, labels, values, most_series=most_series)


def histogram(
    name: str, about: str, labels: tuple[str, ...] = (), *, values: tuple[tuple[str, ...], ...] = (),
    buckets: tuple[float, ...] = FAST_S,
) -> Definition:  # fmt: skip
    """How often a measurement was at most each of the `buckets`."""
    return Definition(name, Kind.HISTOGRAM, about, labels, values, buckets)

"""The series of one metric: counters, gauges and histograms, told apart by the values of their labels.

Adding to a series that is there costs one look-up in a dict. No lock is held: all of it belongs to the thread of the
event loop.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

from bayplan.telemetry.metrics.exposition import number, series

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bayplan.telemetry.metrics.definition import Definition

    Labels = tuple[str, ...]

OTHER = "other"
"""The value of all labels of a series that came after the last one that is kept."""
_LONGEST = 200  # characters of a label's value; names of objects have at most 253, and are told apart before that

_MANY = 32  # measurements from which NumPy is faster


class _Numbers:
    """One number for each series, kept in the order of their first appearance."""

    def __init__(self, about: Definition) -> None:
        self.about = about
        self._values: dict[Labels, float] = dict.fromkeys(about.values if about.labels else ((),), 0)
        self._names: dict[Labels, str] = {}
        self.dropped = 0
        """Additions that went to `other`, because there are too many series."""

    def value(self, *labels: str) -> float:
        """The number of a series; 0 where it was never met."""
        return self._values.get(labels, 0)

    def lines(self) -> Iterator[str]:
        """One piece of text with all series."""
        names = self._names
        lines = []
        for labels, value in self._values.items():
            name = names.get(labels)
            if name is None:
                name = names[labels] = series(self.about.name, self.about.labels, labels)
            lines.append(f"{name} {number(value)}\n")
        yield "".join(lines)

    def _place(self, labels: Labels) -> Labels:
        kept = kept_labels(self.about, labels, len(self._values))
        self.dropped += kept is None
        return kept or (OTHER,) * len(labels)


class Counter(_Numbers):
    """Numbers that only grow."""

    def add(self, *labels: str, by: float = 1) -> None:
        try:
            self._values[labels] += by
        except KeyError:
            place = self._place(labels)
            self._values[place] = self._values.get(place, 0) + by

    def reach(self, total: float, *labels: str) -> None:
        """Take over a total that is counted elsewhere."""
        self._values[labels if labels in self._values else self._place(labels)] = total


class Gauge(_Numbers):
    """Numbers that are set."""

    def set(self, value: float, *labels: str) -> None:
        if labels in self._values:
            self._values[labels] = value
        else:
            self._values[self._place(labels)] = value

    def replace(self, values: Mapping[Labels, float]) -> None:
        """Set some series and forget all others, such as those of cards that are gone; known values are 0 then."""
        self._values = dict.fromkeys(self.about.values if self.about.labels else ((),), 0)
        self._names = {labels: name for labels, name in self._names.items() if labels in values}
        for labels, value in values.items():
            self.set(value, *labels)


class Histogram:
    """For each series how often a measurement was at most each bound, and their sum."""

    def __init__(self, about: Definition) -> None:
        self.about = about
        self._bounds = about.buckets
        # counts of single buckets, the last one without a bound; the sum stands behind them
        self._cells: dict[tuple[str, ...], list[float]] = {}
        self._names: dict[tuple[str, ...], list[str]] = {}
        self.dropped = 0
        for labels in about.values if about.labels else ((),):
            self._cells[labels] = self._empty()

    def observe(self, value: float, *labels: str) -> None:
        cell = self._cells.get(labels)
        if cell is None:
            cell = self._new(labels)
        cell[bisect_left(self._bounds, value)] += 1
        cell[-1] += value

    def observe_all(self, values: Sequence[float], *labels: str) -> None:
        """The same for many measurements of one series, at a fraction of the time; it is there also with none."""
        cell = self._cells.get(labels)
        if cell is None:
            cell = self._new(labels)
        if len(values) < _MANY:
            for value in values:
                cell[bisect_left(self._bounds, value)] += 1
                cell[-1] += value
            return
        places = np.bincount(np.searchsorted(self._bounds, values))
        for place, count in enumerate(places.tolist()):
            cell[place] += count
        cell[-1] += sum(values)

    def count(self, *labels: str) -> int:
        """How many measurements a series has."""
        return int(sum(self._cells.get(labels, (0, 0))[:-1]))

    def lines(self) -> Iterator[str]:
        """One piece of text with all series: the buckets add up, and the last one is the count."""
        for labels, cell in self._cells.items():
            names = self._names.get(labels)
            if names is None:
                names = self._names[labels] = self._named(labels)
            total = 0
            lines = []
            for name, count in zip(names, cell[:-1], strict=False):
                total += int(count)
                lines.append(f"{name} {total}\n")
            yield f"{''.join(lines)}{names[-2]} {total}\n{names[-1]} {number(cell[-1])}\n"

    def _named(self, labels: tuple[str, ...]) -> list[str]:
        name, known = self.about.name, self.about.labels
        bounds = [*map(number, self._bounds), "+Inf"]
        buckets = [series(f"{name}_bucket", (*known, "le"), (*labels, bound)) for bound in bounds]
        return [*buckets, series(f"{name}_count", known, labels), series(f"{name}_sum", known, labels)]

    def _empty(self) -> list[float]:
        return [0] * (len(self._bounds) + 2)

    def _new(self, labels: tuple[str, ...]) -> list[float]:
        kept = kept_labels(self.about, labels, len(self._cells))
        self.dropped += kept is None
        return self._cells.setdefault(kept or (OTHER,) * len(labels), self._empty())


def kept_labels(about: Definition, labels: tuple[str, ...], there: int) -> tuple[str, ...] | None:
    """The labels under which a new series is kept, each cut to a length; None where so many are there already."""
    if len(labels) != len(about.labels):
        raise TypeError(f"{about.name} has the labels {about.labels}, not {labels}")
    return tuple([each[:_LONGEST] for each in labels]) if there < about.most_series else None

"""Counters by bucket, as Prometheus defines histograms."""

from __future__ import annotations

from bisect import bisect_left


class Histogram:
    """Counts observations up to each bound. What never changes of its text is made once."""

    __slots__ = ("_bounds", "_counts", "_lines", "_sum")

    def __init__(self, name: str, labels: str, help_text: str, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0
        head = f"# HELP {name} {help_text}\n# TYPE {name} histogram\n"
        lines = [f'{name}_bucket{{{labels},le="{bound}"}} ' for bound in (*map(float, bounds), "+Inf")]
        lines[0] = head + lines[0]
        self._lines = (*lines, f"{name}_sum{{{labels}}} ", f"{name}_count{{{labels}}} ")

    def observe(self, value: float, times: int = 1) -> None:
        """Count a value, or equal ones at once."""
        self._counts[bisect_left(self._bounds, value)] += times
        self._sum += value * times

    def text(self) -> str:
        """Its lines of an exposition."""
        total, values = 0, []
        for count in self._counts:
            total += count
            values.append(total)
        numbers = (*values, self._sum, total)
        return "".join([f"{line}{number}\n" for line, number in zip(self._lines, numbers, strict=True)])

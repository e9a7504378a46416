"""Scores from the range of the candidates' values."""

from __future__ import annotations


def fewest_first(values: list[float]) -> list[float]:
    """1 for the smallest, 0 for the largest, in proportion between; 1 for all where they are equal."""
    ordered = sorted(values)  # for a few dozen values quicker than `min` and `max`
    low, high = ordered[0], ordered[-1]
    if low == high:
        return [1.0] * len(values)
    width = high - low
    return [(high - value) / width for value in values]

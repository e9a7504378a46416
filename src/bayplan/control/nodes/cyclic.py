"""Whether the use of cards goes up and down regularly, as that of training does between its steps."""

from __future__ import annotations

from operator import sub
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FEWEST = 16
"""Samples below which nothing is said."""
_QUANTILE_975 = 1.959964  # of the normal distribution
_HIGHEST_LINE = 0.5  # the values of a smooth wave spread so widely that otherwise not even the whole period stood out
_FLAT = 1e-6  # a variance, in percent squared, below which a use is steady


class Pattern(NamedTuple):
    """What was found; `period` counts samples and is None where there is no pattern."""

    cyclic: bool
    period: float | None = None


STEADY = Pattern(cyclic=False)


def patterns_of(samples: Sequence[Sequence[float]]) -> list[Pattern]:
    """The patterns of several series of equal length, at least FEWEST; all together, because each alone costs as much.

    The autocorrelation is looked at for lags up to half of the samples. A normal distribution is fitted to its values;
    those above its 97.5th percentile stand out. More than two of them, in more than one place, make a pattern, and the
    period is the median distance between these places. Neighbouring lags that stand out count as one place, because
    a slow rise and fall makes several.
    """
    values = np.array(samples, dtype=float)
    values -= values.mean(1, keepdims=True)
    totals = (values * values).sum(1)
    varies = totals >= _FLAT * values.shape[1]
    correlations = _correlations(values, np.where(varies, totals, 1.0))
    lines = np.minimum(correlations.mean(1) + _QUANTILE_975 * correlations.std(1), _HIGHEST_LINE)
    outstanding = correlations > lines[:, None]
    likely = np.flatnonzero(varies & (outstanding.sum(1) > 2)).tolist()
    found = [STEADY] * len(values)
    for row in likely:
        peaks = _peaks(np.flatnonzero(outstanding[row]).tolist(), correlations[row])
        if len(peaks) > 1:
            found[row] = Pattern(cyclic=True, period=float(median(map(sub, peaks[1:], peaks))))
    return found


def _correlations(values: Floats, totals: Floats) -> Floats:
    """The autocorrelation of each row, for lags up to half of it.

    Each lag is divided by the number of products it sums, or the values would sink towards the last lags.
    """
    count = values.shape[1]
    spectrum = np.fft.rfft(values, 2 * count)
    lags = np.arange(count // 2 + 1)
    sums = np.fft.irfft(spectrum * spectrum.conj(), 2 * count)[:, : len(lags)]
    correlations: Floats = sums / (count - lags) * (count / totals[:, None])
    return correlations


def _peaks(outstanding: list[int], correlations: Floats) -> list[int]:
    """The highest lag of each run of neighbours."""
    peaks: list[int] = []
    before = -2
    for lag in outstanding:
        if lag != before + 1:
            peaks.append(lag)
        elif correlations[lag] > correlations[peaks[-1]]:
            peaks[-1] = lag
        before = lag
    return peaks

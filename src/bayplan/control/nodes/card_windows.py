"""What was measured on the cards of a worker lately."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from bayplan.control.nodes.cyclic import FEWEST, patterns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.control.nodes.cyclic import Pattern

SERIES_S = 1.0
"""Seconds between the samples that a worker sends together, as the list `gpuPercents`."""
_WINDOW_S, _FEWEST = 120.0, 36  # how long samples are kept, and how many at least, so that a pattern can be seen
_IDLE = {"gpuPercent": 0.0, "memoryUsed": 0, "processes": 0}
Card = tuple[str, int]


class CardWindow:
    """The latest samples of one card."""

    __slots__ = ("_bandwidths", "_interval_s", "memory_mib", "pattern", "processes", "samples")

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        kept = max(_FEWEST, round(_WINDOW_S / interval_s))
        self.samples: deque[float] = deque(maxlen=kept)
        self._bandwidths: deque[float] = deque(maxlen=kept)
        self.memory_mib: int | None = None
        self.processes: int | None = None
        self.pattern: Pattern | None = None
        """Whether its use goes up and down; None where that is not known yet."""

    def add(self, measured: Mapping[str, Any]) -> None:
        """Take in what a worker measured; what is no number counts as not measured."""
        series = measured.get("gpuPercents")
        listed = series if isinstance(series, list) else [measured.get("gpuPercent")]
        self.samples.extend([each for value in listed if (each := _percent(value)) is not None])
        if (bandwidth := _percent(measured.get("memoryBandwidthPercent"))) is not None:
            self._bandwidths.append(bandwidth)
        used, processes = _amount(measured.get("memoryUsed")), _amount(measured.get("processes"))
        self.memory_mib = None if used is None else int(used)
        self.processes = None if processes is None else int(processes)

    def add_idle(self) -> None:
        """A card that a worker does not speak of is idle."""
        self.add(_IDLE)

    @property
    def most_percent(self) -> float | None:
        return max(self.samples, default=None)

    @property
    def most_bandwidth_percent(self) -> float | None:
        return max(self._bandwidths, default=None)

    @property
    def period_s(self) -> float | None:
        """How long one rise and fall takes."""
        found = self.pattern
        return None if found is None or found.period is None else found.period * self._interval_s


def find_patterns(windows: Iterable[CardWindow]) -> None:
    """Work out the patterns of many cards; those with as many samples together."""
    by_length: dict[int, list[CardWindow]] = {}
    for each in windows:
        if len(each.samples) >= FEWEST:
            by_length.setdefault(len(each.samples), []).append(each)
    for listed in by_length.values():
        for window, pattern in zip(listed, patterns_of([list(each.samples) for each in listed]), strict=True):
            window.pattern = pattern


class WorkerWindows:
    """The cards of one worker, and its latest measurement of itself."""

    def __init__(self) -> None:
        self.cards: dict[Card, CardWindow] = {}
        self.host: dict[str, float] = {}

    def add(self, measured: Mapping[str, Any], interval_s: float) -> None:
        seen = set()
        for each in measured.get("gpus") or ():
            card = _card(each)
            if card is None:
                continue
            seen.add(card)
            if card not in self.cards:
                self.cards[card] = CardWindow(SERIES_S if "gpuPercents" in each else interval_s)
            self.cards[card].add(each)
        for card in self.cards.keys() - seen:
            self.cards[card].add_idle()
        self.host = {key: value for key in HOST if (value := _amount(measured.get(key))) is not None}


HOST = ("cpuPercent", "ramPercent", "diskMbPerS", "networkMbPerS")
"""What is measured of a machine beside its cards."""


def _card(measured: object) -> Card | None:
    if not isinstance(measured, dict) or not isinstance(measured.get("index"), int):
        return None
    return str(measured.get("runtime") or "cuda"), measured["index"]


def _percent(value: object) -> float | None:
    if type(value) is float and 0.0 <= value <= 100.0:  # nearly always
        return value
    amount = _amount(value)
    return None if amount is None else min(100.0, amount)


def _amount(value: object) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
    return float(value) if usable else None  # type: ignore[arg-type]

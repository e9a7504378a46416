"""Prefer workers by what their cards are, how busy they are, and what a trial run took on such cards."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayplan.framework.errors import InputError
from bayplan.placement.factors import expected, measured
from bayplan.placement.factors.card_worth import card_worth
from bayplan.placement.factors.parts import NEUTRAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import WorkerRows
    from bayplan.placement.factors.measured import Measured

_FULL = 1.0 + 1e-9
"""A card that is exactly full is not overloaded, whatever the last digit says."""

_LIVE_CARD = ("gpuPercent", "memoryBandwidthPercent")
_LIVE_WORKER = ("cpuPercent", "ramPercent")


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts; they are divided by their sum.

    Parameters:
        static: what the worker's cards are.
        live: how busy the worker and the cards it would give are.
        dry_run: how full these cards would be, by the workload's record of a trial run.
    """

    static: float = 0.2
    live: float = 0.5
    dry_run: float = 0.3

    def __post_init__(self) -> None:
        for name, weight in (("static", self.static), ("live", self.live), ("dry_run", self.dry_run)):
            if weight < 0:
                raise InputError(f"{weight:g} is below 0", place=name, next="write 0 or more")
        if not 0 < self.total < inf:
            message = "all weights are 0" if not self.total else "the weights have no finite sum"
            raise InputError(message, place="weights", next="write weights such as 0.2, 0.5 and 0.3")

    @property
    def total(self) -> float:
        return self.static + self.live + self.dry_run


@dataclass(frozen=True, slots=True)
class Utilization:
    """Scores the weighted mean of three parts: static, live, dry run.

    Static is the mean of cards / 8, of the compute capability / 10 and of the PCIe generation / 5, none above 1, over
    all cards of the worker. Live is the mean over the cards it would give of four parts: use of the GPU and of its
    memory bandwidth, CPU and RAM of the worker. Dry run is the mean over these cards of two: use of the GPU and of its
    memory, now and by the workload's `dryRun` on that model together.

    Under `spread` a use of p percent scores 1 - p/100; under `pack` p/100, and 0 where a trial run would overload the
    card. What is not known, or was measured too long ago, counts 0.5 and is named in the note. Without cards, live is
    CPU and RAM alone.

    Parameters:
        weights: how much static, live and dryRun count.
        direction: spread prefers idle cards, pack prefers busy ones that are not overloaded.
        max_age_seconds: what was measured longer ago is not known any more.
    """

    weights: Weights = Weights()
    direction: Literal["spread", "pack"] = "spread"
    max_age_seconds: float = measured.MAX_AGE_S

    name = "utilization"
    reads = (
        "cards_id", "utilization_id", "pools", "chosen", "card_model_id", "card_memory_mib", "card_booked_mib",
        "card_observed_mib",
    )  # fmt: skip

    def __post_init__(self) -> None:
        measured.refuse_age(self.max_age_seconds)

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        seen = self._seen(rows)
        total = np.zeros(rows.size)
        if self.weights.static:
            total += self.weights.static * card_worth(rows).mean
        if self.weights.live:
            total += self.weights.live * self._live(rows, seen)
        if self.weights.dry_run:
            total += self.weights.dry_run * self._dry_run(ask, rows, seen)
        score: FloatArray = total / self.weights.total
        return score

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        seen = self._seen(rows)
        missing: dict[str, BoolArray] = {}
        if self.weights.static:
            missing |= card_worth(rows).missing
        if self.weights.live:
            missing |= {name: _lacks(seen[name], rows) for name in (*_LIVE_CARD, *_LIVE_WORKER)}
        if self.weights.dry_run:
            percent, memory = expected.dry_runs(ask, rows)
            missing["gpuPercent"] = _lacks(seen["gpuPercent"], rows)
            missing["dryRun"] = _lacks(percent + memory, rows)
            missing["memory"] = _lacks(_size(rows), rows)
        looked_at = self.weights.live or self.weights.dry_run
        return measured.notes(seen if looked_at else None, missing, rows.size)

    def _seen(self, rows: WorkerRows) -> Measured:
        return measured.measure(rows, (*_LIVE_CARD, *_LIVE_WORKER), self.max_age_seconds)

    def _live(self, rows: WorkerRows, seen: Measured) -> FloatArray:
        """Four parts where cards are given, two where none is."""
        host = _mean([_known(self._wanted(seen[name])) for name in _LIVE_WORKER])
        cards = _mean([_over_cards(self._wanted(seen[name]), rows.chosen) for name in _LIVE_CARD])
        return np.where(rows.chosen.any(1), (host + cards) / 2, host)

    def _wanted(self, percent: FloatArray) -> FloatArray:
        used = np.minimum(percent / 100, 1.0)
        return used if self.direction == "pack" else 1.0 - used

    def _dry_run(self, ask: Ask, rows: WorkerRows, seen: Measured) -> FloatArray:
        percent, memory = expected.dry_runs(ask, rows)
        used = np.maximum(rows.card_booked_mib, rows.card_observed_mib)
        parts = ((seen["gpuPercent"] + percent) / 100, (used + memory) / _size(rows))
        return _mean([_over_cards(self._room_left(part), rows.chosen) for part in parts])

    def _room_left(self, load: FloatArray) -> FloatArray:
        if self.direction == "pack":
            return np.where(load > _FULL, 0.0, np.minimum(load, 1.0))
        return 1.0 - np.minimum(load, 1.0)


def _size(rows: WorkerRows) -> FloatArray:
    """The memory of each card, NaN where it is not known."""
    return np.where(rows.card_memory_mib <= 0, np.nan, rows.card_memory_mib)


def _mean(parts: Sequence[FloatArray]) -> FloatArray:
    mean: FloatArray = np.mean(parts, axis=0)
    return mean


def _known(values: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), NEUTRAL, values)


def _over_cards(values: FloatArray, chosen: BoolArray) -> FloatArray:
    """The mean over the cards that are given; neutral where none is."""
    count = chosen.sum(1)
    mean = np.where(chosen, _known(values), 0.0).sum(1) / np.maximum(count, 1)
    return np.where(count > 0, mean, NEUTRAL)


def _lacks(values: FloatArray, rows: WorkerRows) -> BoolArray:
    return measured.lacking(values, rows.chosen)

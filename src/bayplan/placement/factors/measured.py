"""What was measured on workers and their cards, as columns in percent; NaN where it is not known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import UNKNOWN
from bayplan.cluster.utilization import Utilization
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.utilization import GpuUtilization
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.placement.cards.rows import WorkerRows

READS = ("utilization_id", "cards_id", "pools", "chosen")
"""The columns that `measure` looks at."""

WORKER = {
    "cpuPercent": "cpu_percent",
    "cpuStdev": "cpu_stdev",
    "ramPercent": "ram_percent",
    "ramStdev": "ram_stdev",
}
CARD = {
    "gpuPercent": "gpu_percent",
    "gpuStdev": "gpu_stdev",
    "memoryPercent": "memory_percent",
    "memoryStdev": "memory_stdev",
    "memoryBandwidthPercent": "memory_bandwidth_percent",
}
"""The fields of a worker and of a card, as documents name them."""

MAX_AGE_S = 120.0
"""Older measurements do not count, unless a scorer is configured otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The fields that were asked for, one column each: those of a worker by row, those of cards by row and position.

    What is older than the limit is not there any more. What has no age counts: profilers that annotate a node do not
    say when they did. `age_s` is NaN there, and where nothing was measured.
    """

    columns: Mapping[str, FloatArray]
    age_s: FloatArray
    known: BoolArray
    max_age_s: float

    def __getitem__(self, field: str) -> FloatArray:
        return self.columns[field]


def measure(rows: WorkerRows, fields: Sequence[str], max_age_s: float) -> Measured:
    """These fields of all rows, read once a distinct measurement of a distinct set of cards."""
    pools, width = rows.pools, rows.chosen.shape[1]
    keys, which = np.unique(
        rows.utilization_id.astype(np.int64) * len(pools.cards) + rows.cards_id, return_inverse=True
    )
    pairs = [divmod(key, len(pools.cards)) for key in keys.tolist()]
    found = [_NOTHING if number == UNKNOWN else pools.utilization[number] for number, _ in pairs]
    ages = np.array([each.age_s for each in found], np.float64)  # None becomes NaN
    fresh = [each if each.age_s is None or each.age_s <= max_age_s else _NOTHING for each in found]
    sets = [pools.cards[number] for _, number in pairs]
    columns = {
        name: _of_cards(fresh, sets, attrgetter(CARD[name]), width)
        if name in CARD
        else np.array([getattr(each, WORKER[name]) for each in fresh], np.float64)
        for name in fields
    }
    known = np.array([number != UNKNOWN for number, _ in pairs], np.bool_)
    return Measured({name: column[which] for name, column in columns.items()}, ages[which], known[which], max_age_s)


_NOTHING = Utilization()


def _of_cards(
    found: Sequence[Utilization], sets: Sequence[CardSet], read: Callable[[GpuUtilization], float | None], width: int
) -> npt.NDArray[np.float64]:
    """One field, each value at the position of its card."""
    values = np.full((len(found), width), np.nan)
    for row, (each, cards) in enumerate(zip(found, sets, strict=True)):
        if each.gpus:
            positions = _positions(cards)
            line: list[float | None] = [None] * width
            for gpu in each.gpus:
                place = positions.get((gpu.runtime, gpu.index))
                if place is not None:
                    line[place] = read(gpu)
            values[row] = line
    return values


@lru_cache(maxsize=4096)
def _positions(cards: CardSet) -> dict[tuple[str, int], int]:
    """By plain pairs, which cost less to make than ids of cards."""
    return {(card.runtime, card.index): place for card, place in cards.position.items()}


def refuse_age(max_age_s: float) -> None:
    """The limit of age is a parameter of several plugins."""
    if max_age_s < 0:
        message = f"{max_age_s:g} seconds are no age"
        raise InputError(message, place="max_age_seconds", next="write 0 or more, such as 120")


def notes(measured: Measured | None, missing: Mapping[str, BoolArray], size: int, what: str = "not known") -> list[str]:
    """One text a row: what of it is missing, and why, where the measurements are too old or of no known age."""
    texts = []
    for row in range(size):
        names = ", ".join(name for name, lacks in missing.items() if lacks[row])
        parts = [_age_note(measured, row)] if measured is not None else []
        parts.append(f"{what}: {names}" if names else "")
        texts.append("; ".join(part for part in parts if part))
    return texts


def _age_note(measured: Measured, row: int) -> str:
    age_s = float(measured.age_s[row])
    if age_s > measured.max_age_s:
        return f"measured {age_s:g} s ago, longer than {measured.max_age_s:g} s"
    return "the time of the measurement is not known" if measured.known[row] and np.isnan(age_s) else ""


def lacking(values: FloatArray, chosen: BoolArray) -> BoolArray:
    """Where a worker's own value is missing, or that of any card it would give."""
    missing: BoolArray = np.isnan(values)
    if values.ndim == 1:
        return missing
    return np.asarray((missing & chosen).any(1), np.bool_)

"""What was measured on workers and their cards, as columns in percent; NaN where nobody knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import UNKNOWN
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.utilization import Utilization
    from bayplan.framework.plugins import BoolArray, FloatArray

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


def measure(rows: Any, fields: Sequence[str], max_age_s: float) -> Measured:
    """These fields of all rows, read once a distinct measurement of a distinct set of cards."""
    keys, which = np.unique(
        rows.utilization_id.astype(np.int64) * len(rows.pools.cards) + rows.cards_id, return_inverse=True
    )
    width = rows.chosen.shape[1]
    made = {name: np.full((len(keys), width) if name in CARD else len(keys), np.nan) for name in fields}
    ages, known = np.full(len(keys), np.nan), np.zeros(len(keys), np.bool_)
    for place, key in enumerate(keys.tolist()):
        number, cards = divmod(key, len(rows.pools.cards))
        if number == UNKNOWN:
            continue
        found: Utilization = rows.pools.utilization[number]
        known[place] = True
        if found.age_s is not None:
            ages[place] = found.age_s
        if found.age_s is None or found.age_s <= max_age_s:
            _read(found, rows.pools.cards[cards], made, place)
    return Measured({name: made[name][which] for name in fields}, ages[which], known[which], max_age_s)


def _read(found: Utilization, cards: CardSet, made: Mapping[str, npt.NDArray[Any]], place: int) -> None:
    on_cards = [(name, CARD[name]) for name in made if name in CARD]
    for name in made.keys() & WORKER.keys():
        value = getattr(found, WORKER[name])
        if value is not None:
            made[name][place] = value
    for gpu in found.gpus if on_cards else ():
        position = cards.position.get(gpu.card)
        if position is not None:
            for name, attribute in on_cards:
                value = getattr(gpu, attribute)
                made[name][place, position] = np.nan if value is None else value


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
    return "measured nobody knows when" if measured.known[row] and np.isnan(age_s) else ""


def lacking(values: FloatArray, chosen: BoolArray) -> BoolArray:
    """Where a worker's own value is missing, or that of any card it would give."""
    missing: BoolArray = np.isnan(values)
    if values.ndim == 1:
        return missing
    return np.asarray((missing & chosen).any(1), np.bool_)

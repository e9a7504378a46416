"""A fleet that does not exist, half used already, and the asks that keep coming: 64 classes, Zipf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from bayplan.framework.table import Table

CARDS = 8
MASKS = 1 << CARDS
FULL = MASKS - 1
TOPOLOGIES = 4
MODELS = 6
ZONES = 4
CLASSES = 64
DEAREST_USD_PER_HOUR = 40.0


@dataclass(frozen=True, slots=True)
class Ask:
    """What one class of workloads wants; equal asks are one class."""

    labels: int
    models: int
    cpu_milli: int
    ram_mib: int
    gpus: int
    weights: int
    zone: int


@dataclass(frozen=True, slots=True)
class Fleet:
    """Columns as they are before the first decision, and the asks in their order of arrival."""

    static: dict[str, npt.NDArray[np.generic]]
    state: dict[str, npt.NDArray[np.generic]]
    asks: list[Ask]

    def table(self) -> Table:
        return Table(static=self.static, state=self.state)

    @property
    def size(self) -> int:
        return len(self.static["ready"])


@cache
def fleet(workers: int, decisions: int, seed: int = 7) -> Fleet:
    """The same fleet for the same numbers."""
    chance = np.random.default_rng(seed)
    busy = (
        chance.random((workers, CARDS)) < chance.choice([0.0, 0.3, 0.6, 1.0], workers, p=[0.3, 0.3, 0.3, 0.1])[:, None]
    )
    free_mask = np.packbits(~busy, axis=1, bitorder="little")[:, 0].astype(np.int64)
    free_gpus = (~busy).sum(axis=1).astype(np.int64)
    return Fleet(
        static={
            "ready": chance.random(workers) < 0.98,
            "labels": chance.integers(0, 1 << 12, workers),
            "model": np.int64(1) << chance.integers(0, MODELS, workers),
            "topology": chance.integers(0, TOPOLOGIES, workers) * MASKS,
            "gpus": np.full(workers, float(CARDS)),
            "cached": chance.integers(0, 1 << 62, workers) & chance.integers(0, 1 << 62, workers),
            "cost_usd_per_hour": chance.uniform(2.0, DEAREST_USD_PER_HOUR, workers).round(2),
            "zone": chance.integers(0, ZONES, workers),
        },
        state={
            "cpu_free_milli": 16_000 * free_gpus + chance.integers(0, 16_000, workers),
            "ram_free_mib": 131_072 * free_gpus + chance.integers(0, 131_072, workers),
            "free_gpus": free_gpus,
            "free_mask": free_mask,
        },
        asks=_asks(chance, decisions),
    )


def _asks(chance: np.random.Generator, decisions: int) -> list[Ask]:
    classes = [_class(chance, place) for place in range(CLASSES)]
    odds = 1.0 / np.arange(1, CLASSES + 1)
    return [classes[place] for place in chance.choice(CLASSES, decisions, p=odds / odds.sum())]


def _class(chance: np.random.Generator, place: int) -> Ask:
    """Large asks are rare, so that every one of them fits: refusals have a row of their own."""
    gpus = 4 if place % 16 == 15 else 2 if place % 4 == 3 else 1
    return Ask(
        labels=1 << int(chance.integers(0, 12)) if place % 4 == 1 else 0,
        models=int(chance.integers(1, 1 << MODELS)) | 0b11 << int(chance.integers(0, MODELS - 1)),
        cpu_milli=int(chance.integers(1, 9)) * 1000 * gpus,
        ram_mib=int(chance.integers(8, 97)) * 1024 * gpus,
        gpus=gpus,
        weights=1 << int(chance.integers(0, 62)),
        zone=int(chance.integers(0, ZONES)),
    )


def _links(topology: int) -> npt.NDArray[np.float64]:
    """Bandwidth between each two cards, 1.0 the best: one switch, quads, pairs, none."""
    island = (CARDS, 4, 2, 1)[topology]
    place = np.arange(CARDS) // island
    return np.where(place[:, None] == place[None, :], 1.0, 0.2)


@cache
def subsets() -> tuple[npt.NDArray[np.float64], list[list[int]]]:
    """By number of cards asked for and topology with free mask: the best set's bandwidth, and which set that is.

    A set is as good as its slowest pair, then as its pairs are on average; of equals the lowest mask.
    """
    quality = np.zeros((CARDS + 1, TOPOLOGIES * MASKS))
    chosen = [[0] * (TOPOLOGIES * MASKS) for _ in range(CARDS + 1)]
    for topology in range(TOPOLOGIES):
        links = _links(topology)
        values = [_bandwidth(links, mask) for mask in range(MASKS)]
        for free in range(MASKS):
            place = topology * MASKS + free
            part = free
            while part:
                count = part.bit_count()
                if values[part] >= quality[count, place]:
                    quality[count, place], chosen[count][place] = values[part], part
                part = (part - 1) & free
    return quality, chosen


def _bandwidth(links: npt.NDArray[np.float64], mask: int) -> float:
    cards = [card for card in range(CARDS) if mask >> card & 1]
    pairs = [float(links[a, b]) for place, a in enumerate(cards) for b in cards[place + 1 :]]
    return 0.5 * min(pairs) + 0.5 * sum(pairs) / len(pairs) if pairs else 1.0

"""What the framework is compared with: the same profile as plain Python objects, and as a NumPy kernel of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench.factors import WEIGHTS
from bench.fleet import DEAREST_USD_PER_HOUR, FULL, subsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.fleet import Ask, Fleet

AVAILABILITY, TOPOLOGY, CACHE, COST, LOCALITY = WEIGHTS.values()


class Worker:
    """One worker as an object."""

    __slots__ = (
        "cached", "cost_usd_per_hour", "cpu_free_milli", "free_gpus", "free_mask", "gpus",
        "labels", "model", "ram_free_mib", "ready", "topology", "zone",
    )  # fmt: skip


class Objects:
    """Every worker is looked at for every ask, the cheapest refusal first; nothing is kept, nothing is logged."""

    def __init__(self, fleet: Fleet) -> None:
        columns = {name: column.tolist() for name, column in (fleet.static | fleet.state).items()}
        self.workers = []
        for row in range(fleet.size):
            worker = Worker()
            for name, column in columns.items():
                setattr(worker, name, column[row])
            self.workers.append(worker)
        quality, self._chosen = subsets()
        self._quality = quality.tolist()

    def decide(self, ask: Ask) -> int:
        """The row picked and booked, -1 if there is none."""
        gpus, cpu_milli, ram_mib, labels = ask.gpus, ask.cpu_milli, ask.ram_mib, ask.labels
        models, weights, zone = ask.models, ask.weights, ask.zone
        quality = self._quality[gpus]
        best, best_row = -1.0, -1
        for row, worker in enumerate(self.workers):
            if (
                worker.free_gpus < gpus
                or worker.cpu_free_milli < cpu_milli
                or worker.ram_free_mib < ram_mib
                or not worker.model & models
                or worker.labels & labels != labels
                or not worker.ready
            ):
                continue
            total = CACHE if worker.cached & weights else 0.0
            total += COST * (1.0 - worker.cost_usd_per_hour / DEAREST_USD_PER_HOUR)
            total += LOCALITY * (1.0 if worker.zone == zone else 0.5)
            total += AVAILABILITY * (worker.free_gpus / worker.gpus)
            total += TOPOLOGY * quality[worker.topology + worker.free_mask]
            if total > best:
                best, best_row = total, row
        if best_row >= 0:
            self._book(self.workers[best_row], ask)
        return best_row

    def _book(self, worker: Worker, ask: Ask) -> None:
        worker.free_mask &= FULL ^ self._chosen[ask.gpus][worker.topology + worker.free_mask]
        worker.free_gpus -= ask.gpus
        worker.cpu_free_milli -= ask.cpu_milli
        worker.ram_free_mib -= ask.ram_mib


class Kernel:
    """Written by hand for this profile: static terms kept per class, changed rows redone, then one argmax."""

    def __init__(self, fleet: Fleet) -> None:
        self._columns = {name: column.copy() for name, column in (fleet.static | fleet.state).items()}
        self._cpu, self._ram = self._columns["cpu_free_milli"], self._columns["ram_free_mib"]
        self._free, self._mask = self._columns["free_gpus"], self._columns["free_mask"]
        self._gpus, self._topology = self._columns["gpus"], self._columns["topology"]
        quality, self._chosen = subsets()
        self._quality = list(quality)
        self._log = np.empty(len(fleet.asks), np.intp)
        self._tick = 0
        self._kept: dict[Ask, list] = {}

    def decide(self, ask: Ask) -> int:
        """The row picked and booked, -1 if there is none."""
        kept = self._kept.get(ask)
        tick = self._tick
        if kept is None:
            base = self._base(ask)
            total = self._total(ask, base, slice(None))
            self._kept[ask] = [base, total, tick]
        else:
            base, total, seen = kept
            if seen != tick:
                dirty = self._log[seen:tick]
                total[dirty] = self._total(ask, base, dirty)
                kept[2] = tick
        row = int(total.argmax())
        if total.item(row) < 0.0:
            return -1
        self._book(row, ask)
        return row

    def _base(self, ask: Ask) -> np.ndarray:
        columns = self._columns
        base = CACHE * ((columns["cached"] & ask.weights) != 0)
        base += COST * (1.0 - columns["cost_usd_per_hour"] / DEAREST_USD_PER_HOUR)
        base += LOCALITY * np.where(columns["zone"] == ask.zone, 1.0, 0.5)
        fits = columns["ready"] & ((columns["labels"] & ask.labels) == ask.labels)
        base[~(fits & ((columns["model"] & ask.models) != 0))] = -np.inf
        return base

    def _total(self, ask: Ask, base: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
        free = self._free[rows]
        total = base[rows] + AVAILABILITY * (free / self._gpus[rows])
        total += TOPOLOGY * self._quality[ask.gpus].take(self._topology[rows] + self._mask[rows])
        fits = (self._cpu[rows] >= ask.cpu_milli) & (self._ram[rows] >= ask.ram_mib) & (free >= ask.gpus)
        total[~fits] = -np.inf
        return total

    def _book(self, row: int, ask: Ask) -> None:
        free = self._mask.item(row)
        self._mask[row] = free & (FULL ^ self._chosen[ask.gpus][self._topology.item(row) + free])
        self._free[row] -= ask.gpus
        self._cpu[row] -= ask.cpu_milli
        self._ram[row] -= ask.ram_mib
        self._log[self._tick] = row
        self._tick += 1


def picks(peer: Objects | Kernel, asks: Sequence[Ask]) -> list[int]:
    """The rows that a peer picks, one ask after the other."""
    return [peer.decide(ask) for ask in asks]

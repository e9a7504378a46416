"""What placement is compared with: the same strategy as plain Python objects, and as a NumPy kernel of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.catalogue import matches
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.fullness import PER_CARD_LEFT
from bench.peers import Kernel
from bench.worker_fleet import CARDS, DEAREST_USD_PER_HOUR, MOST_CARBON

if TYPE_CHECKING:
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.placement.asks.ask import Ask

WEIGHTS = {"price": 0.25, "green": 0.15, "binpack": 0.30, "spare-cpu": 0.20, "idle-cards": 0.10}
PRICE, GREEN, BINPACK, SPARE_CPU, IDLE = WEIGHTS.values()
_NEVER = 1 << 62


class Host:
    """One worker as an object."""

    __slots__ = (
        "carbon", "cpu_free", "cpu_milli", "free", "idle", "labels", "model", "price", "ram_free", "ready", "whole",
    )  # fmt: skip


class HostObjects:
    """Every worker is looked at for every ask, the cheapest refusal first; nothing is kept, nothing is logged."""

    def __init__(self, snapshot: Snapshot) -> None:
        columns = snapshot.table.columns
        self.hosts = []
        for row, worker in enumerate(snapshot.workers):
            host = Host()
            host.ready = worker.status == "ready"
            host.labels, host.model = worker.labels, worker.gpus[0].model
            host.price, host.carbon = worker.usd_per_hour, worker.carbon_g_per_kwh
            host.cpu_milli = worker.cpu_milli
            host.cpu_free, host.ram_free = columns["cpu_free_milli"].item(row), columns["ram_free_mib"].item(row)
            host.free = columns["card_share_free_mib"][row].tolist()
            host.whole = columns["card_wholly_free"][row].tolist()
            host.idle = sum(host.whole)
            self.hosts.append(host)

    def decide(self, ask: Ask) -> int:
        """The row picked and booked, -1 if there is none."""
        shape, models, selector = ask.shapes[0], ask.rule.models, ask.selector
        cards, need, cpu, ram = shape.cards, shape.need_mib, ask.cpu_milli, ask.ram_mib
        is_whole = ask.taking is Taking.WHOLE
        best, best_row = -1.0, -1
        for row, host in enumerate(self.hosts):
            if host.cpu_free < cpu or host.ram_free < ram or not host.ready:
                continue
            if is_whole:
                if host.idle < cards:
                    continue
                full = 1.0 - (host.idle - cards) * PER_CARD_LEFT
            else:
                tightest = min([free for free in host.free if free >= need], default=0)
                if not tightest:
                    continue
                full = need / tightest
            if (models and not matches(models[0], host.model)) or not selector.matches(host.labels):
                continue
            total = PRICE * (1.0 - host.price / DEAREST_USD_PER_HOUR) + GREEN * (1.0 - host.carbon / MOST_CARBON)
            total += BINPACK * ((min(ram / host.ram_free, 1.0) + 2.0 * full) / 3.0)
            total += SPARE_CPU * (host.cpu_free / host.cpu_milli)
            total += IDLE * (host.idle / CARDS)
            if total > best:
                best, best_row = total, row
        if best_row >= 0:
            self._book(self.hosts[best_row], ask)
        return best_row

    def _book(self, host: Host, ask: Ask) -> None:
        shape = ask.shapes[0]
        host.cpu_free -= ask.cpu_milli
        host.ram_free -= ask.ram_mib
        if ask.taking is Taking.WHOLE:
            for card in [card for card, whole in enumerate(host.whole) if whole][: shape.cards]:
                host.whole[card], host.free[card] = False, -1
        else:
            room = [(free, card) for card, free in enumerate(host.free) if free >= shape.need_mib]
            card = min(room)[1]
            host.free[card] -= shape.need_mib
            host.whole[card] = False
        host.idle = sum(host.whole)


class HostKernel(Kernel):
    """Written by hand for this strategy: static terms kept per class, changed rows redone, then one argmax."""

    def __init__(self, snapshot: Snapshot, decisions: int) -> None:
        columns, workers = snapshot.table.columns, snapshot.workers
        self._labels = [worker.labels for worker in workers]
        self._models = [worker.gpus[0].model for worker in workers]
        self._price = np.array([worker.usd_per_hour for worker in workers])
        self._carbon = np.array([worker.carbon_g_per_kwh for worker in workers])
        self._ready = columns["status"] == 0
        self._cpu_milli = columns["cpu_milli"]
        self._cpu, self._ram = columns["cpu_free_milli"].copy(), columns["ram_free_mib"].copy()
        self._free, self._whole = columns["card_share_free_mib"].copy(), columns["card_wholly_free"].copy()
        self._idle = self._whole.sum(1)
        self._log = np.empty(decisions, np.intp)
        self._tick = 0
        self._kept: dict[Ask, list] = {}

    def _base(self, ask: Ask) -> np.ndarray:
        models = ask.rule.models
        fits = np.array(
            [
                (not models or matches(models[0], model)) and ask.selector.matches(labels)
                for model, labels in zip(self._models, self._labels, strict=True)
            ]
        )
        base = PRICE * (1.0 - self._price / DEAREST_USD_PER_HOUR) + GREEN * (1.0 - self._carbon / MOST_CARBON)
        base[~(fits & self._ready)] = -np.inf
        return base

    def _total(self, ask: Ask, base: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
        shape = ask.shapes[0]
        cpu, ram, idle = self._cpu[rows], self._ram[rows], self._idle[rows]
        asked = np.minimum(ask.ram_mib / np.maximum(ram, 1), 1.0)
        if ask.taking is Taking.WHOLE:
            left = idle - shape.cards
            fits = left >= 0
            full = (1.0 - left * PER_CARD_LEFT) * fits
        else:
            free = self._free[rows]
            tightest = np.where(free >= shape.need_mib, free, _NEVER).min(1)
            fits, full = tightest < _NEVER, shape.need_mib / tightest
        total = base[rows] + BINPACK * ((asked + 2.0 * full) / 3.0)
        total += SPARE_CPU * (cpu / self._cpu_milli[rows])
        total += IDLE * (idle / CARDS)
        total[~(fits & (cpu >= ask.cpu_milli) & (ram >= ask.ram_mib))] = -np.inf
        return total

    def _book(self, row: int, ask: Ask) -> None:
        shape = ask.shapes[0]
        self._cpu[row] -= ask.cpu_milli
        self._ram[row] -= ask.ram_mib
        if ask.taking is Taking.WHOLE:
            cards = np.flatnonzero(self._whole[row])[: shape.cards]
            self._whole[row, cards], self._free[row, cards] = False, -1
        else:
            free = self._free[row]
            card = int(np.where(free >= shape.need_mib, free, _NEVER).argmin())
            free[card] -= shape.need_mib
            self._whole[row, card] = False
        self._idle[row] = self._whole[row].sum()
        self._log[self._tick] = row
        self._tick += 1

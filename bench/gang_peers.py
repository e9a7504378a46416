"""What gangs are compared with: the same rule as a NumPy kernel of its own, racks by a formula for room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.producers.chosen_cards import PER_CARD_LEFT
from bench.worker_peers import HostKernel

if TYPE_CHECKING:
    from bayplan.cluster.domains import Domains
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.placement.asks.ask import Ask


class GangKernel(HostKernel):
    """Room and racks' sums are kept; the rack's rows are scored anew for each member: the fullest that still fits."""

    def __init__(self, snapshot: Snapshot, ask: Ask, domains: Domains, decisions: int) -> None:
        super().__init__(snapshot, decisions)
        self._ask, self._domains = ask, domains
        self._rack = domains.numbers(len(self._cpu))
        self._room = np.array([self._room_of(row) for row in range(len(self._cpu))])
        self._sums = domains.sums(self._room)

    def _room_of(self, row: int) -> int:
        ask = self._ask
        host = min(int(self._cpu[row]) // ask.cpu_milli, int(self._ram[row]) // ask.ram_mib)
        return min(host, int(self._idle[row]) // ask.shapes[0].cards)

    def place(self, members: int) -> list[int]:
        """The rows of a gang, picked and booked."""
        rack = int(np.where(self._sums >= members, self._sums, 1 << 40).argmin())
        inside = self._domains.rows(rack)
        found = []
        for _ in range(members):
            total = self._binpack(inside)
            row = inside.start + int(total.argmax())
            self._book(row, self._ask)
            room = self._room_of(row)
            self._sums[rack] += room - self._room[row]
            self._room[row] = room
            found.append(row)
        return found

    def _binpack(self, rows: slice) -> np.ndarray:
        ask = self._ask
        cpu, ram = self._cpu[rows], self._ram[rows]
        left = self._idle[rows] - ask.shapes[0].cards
        fits = left >= 0
        full = (1.0 - left * PER_CARD_LEFT) * fits
        total = (np.minimum(ask.ram_mib / np.maximum(ram, 1), 1.0) + 2.0 * full) / 3.0
        total[~(fits & (cpu >= ask.cpu_milli) & (ram >= ask.ram_mib) & self._ready[rows])] = -np.inf
        return total

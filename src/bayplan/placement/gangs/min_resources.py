"""`minResources`: what must be free in the whole cluster before any member of a gang is placed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.columns import STATUSES
from bayplan.cluster.readable import MemoryPair, format_cpu
from bayplan.cluster.worker import WorkerStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.gang import MinResources
    from bayplan.framework.fork import Fork
    from bayplan.framework.table import Table

_READY = STATUSES.index(WorkerStatus.READY)
_COLUMNS = ("status", "cpu_free_milli", "ram_free_mib", "wholly_free_count")


class Shortage(NamedTuple):
    """A resource (`cpu`, `ram` or `cards`) of which the cluster has too little free.

    `silent` counts the workers that do not say how much they have.
    """

    resource: str
    needed: int
    free: int
    silent: int = 0

    @property
    def message(self) -> str:
        """What is missing, in one sentence."""
        silent = f"; how much {self.silent} workers have is not known" if self.silent else ""
        needed, free = self._amounts()
        return f"minResources needs {needed} free in the cluster, {free} are free{silent}"

    def _amounts(self) -> tuple[str, str]:
        if self.resource == "cpu":
            return f"{format_cpu(self.needed)} of CPU", format_cpu(self.free)
        if self.resource == "ram":
            pair = MemoryPair(self.needed, self.free)
            return f"{pair.needed} of RAM", pair.free
        return f"{self.needed} whole cards", str(self.free)


def missing(table: Table | Fork, least: MinResources, own: Iterable[Booking] = ()) -> list[Shortage]:
    """What is short: sums over ready workers, to which the gang's `own` bookings are given back."""
    columns = table.gather(_COLUMNS, np.arange(table.size))
    ready = np.asarray(columns["status"]) == _READY
    held = list(own)
    whole = sum(part.whole for booking in held for part in booking.cards)
    found = [
        _shortage("cpu", least.cpu_milli, columns["cpu_free_milli"][ready], sum(each.cpu_milli for each in held)),
        _shortage("ram", least.ram_mib, columns["ram_free_mib"][ready], sum(each.ram_mib for each in held)),
        _shortage("cards", least.cards, columns["wholly_free_count"][ready], whole),
    ]
    return [each for each in found if each.free < each.needed]


def _shortage(resource: str, needed: int, free: Any, given_back: int) -> Shortage:
    """Amounts below 0 are not known."""
    return Shortage(resource, needed, int(free[free > 0].sum()) + given_back, int((free < 0).sum()))

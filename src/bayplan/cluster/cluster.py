"""A cluster: its workers, who holds what, and what must stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking, Budget
    from bayplan.cluster.worker import Worker


@dataclass(frozen=True, slots=True)
class Cluster:
    """Everything that a Cluster document says; whether the bookings fit is the ledger's question."""

    workers: tuple[Worker, ...] = ()
    bookings: tuple[Booking, ...] = ()
    budgets: tuple[Budget, ...] = ()

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for number, worker in enumerate(self.workers):
            if worker.name in seen:
                raise InputError(
                    f"two workers are called {worker.name!r}",
                    place=f"workers[{number}].name",
                    next="give each worker its own name",
                )
            seen.add(worker.name)

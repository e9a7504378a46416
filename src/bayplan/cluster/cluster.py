"""A cluster: its workers and servers, who holds what, and what must stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.places import repeated
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking, Budget
    from bayplan.cluster.server import Server
    from bayplan.cluster.serving_booking import ServingBooking
    from bayplan.cluster.worker import Worker


@dataclass(frozen=True, slots=True)
class Cluster:
    """Everything that a Cluster document says; whether the bookings fit is the ledger's question."""

    workers: tuple[Worker, ...] = ()
    bookings: tuple[Booking, ...] = ()
    budgets: tuple[Budget, ...] = ()
    servers: tuple[Server, ...] = ()
    serving_bookings: tuple[ServingBooking, ...] = ()

    def __post_init__(self) -> None:
        if again := repeated(worker.name for worker in self.workers):
            number, name = again
            raise InputError(
                f"two workers are called {name!r}",
                place=f"workers[{number}].name",
                next="give each worker its own name",
            )
        if same := repeated(server.name for server in self.servers):
            number, name = same
            raise InputError(
                f"two servers are called {name!r}",
                place=f"servers[{number}].name",
                next="give each server its own name",
            )
        if twice := repeated(budget.key for budget in self.budgets):
            number, key = twice
            raise InputError(
                f"two budgets are about {str(key)!r}",
                place=f"budgets[{number}].workload",
                next="keep one budget a workload",
            )

"""Where a replica goes: the answer of one decision, as nouns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.placement.asks.ask import CardShape
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.asks.tier import Tier


@dataclass(frozen=True, slots=True)
class WorkerShare:
    """What a replica books on one worker; `layers` where the model is divided by layers."""

    row: int
    booking: Booking
    layers: int | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A replica on its cards. `oversold_mib` is what it takes beyond what is free, where its owner allows that."""

    tier: Tier
    shape: CardShape
    shares: tuple[WorkerShare, ...]
    oversold_mib: int = 0

    @property
    def bookings(self) -> tuple[Booking, ...]:
        return tuple([share.booking for share in self.shares])


@dataclass(frozen=True, slots=True, eq=False)
class Replica:
    """A replica of a role that a plan adds, and the score of its place."""

    index: int
    role: SizedRole
    placed: Placed
    score: float
    usd_per_hour: float | None

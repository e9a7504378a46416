"""Where a replica goes: the answer of one decision, as nouns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.placement.ask import CardShape
    from bayplan.placement.tier import Tier


@dataclass(frozen=True, slots=True)
class Part:
    """What a replica books on one worker; `layers` where the model is divided by layers."""

    row: int
    booking: Booking
    layers: int | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A replica on its cards. `oversold_mib` is what it takes beyond what is free, where its owner allows that."""

    tier: Tier
    shape: CardShape
    parts: tuple[Part, ...]
    oversold_mib: int = 0

    @property
    def bookings(self) -> tuple[Booking, ...]:
        return tuple(part.booking for part in self.parts)

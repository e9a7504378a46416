"""Plans as nouns: what would be added for a workload, and what prevents the rest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from bayplan.placement.decision.rejection_summary import Refused

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.cards.mig.reconfigurations import Reconfiguration
    from bayplan.placement.decision.options import Option
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.planning.card_states import CardState
    from bayplan.placement.planning.removals import Removal
    from bayplan.placement.preemption.victims import Victim


class Verdict(StrEnum):
    """Waiting: it would fit if every booking were gone. Infeasible: not even then."""

    FITS = "fits"
    PARTLY = "partly"
    WAITING = "waiting"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The answer for one workload."""

    sized: SizedWorkload
    verdict: Verdict
    desired: int
    minimum: int
    replicas: tuple[Replica, ...] = ()
    options: tuple[Option, ...] = ()
    removals: tuple[Removal, ...] = ()
    victims: tuple[Victim, ...] = ()
    refused: Refused = field(default_factory=Refused)
    warnings: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    """Members for which there was no room, as ROLE/INDEX; the others of a gang that fails could have been placed."""
    reconfigurations: tuple[Reconfiguration, ...] = ()
    cards_found: tuple[tuple[CardState, ...], ...] = ()
    """The cards of each replica before it takes them, where its engine takes a share of them."""
    proven: bool = True
    """False where a search was cut short: more members, or fewer victims, were not found but may be possible."""
    seed: int = 0
    now: float = 0.0
    """The chance and the time that it was made with: the same cluster, seed and time give the same plan again."""
    revision: int | None = None
    """The ledger's revision on which it was made: it can be committed while its workers did not change since."""

    @property
    def bookings(self) -> tuple[Booking, ...]:
        """What would be booked, each with the role of its replica."""
        return tuple(
            replace(booking, role=replica.role.name) if replica.role.name else booking
            for replica in self.replicas
            for booking in replica.placed.bookings
        )

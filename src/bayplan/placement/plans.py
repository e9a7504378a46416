"""Plans as nouns: what is asked for, what would be added, and what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

from bayplan.placement.refused import Refused

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.cluster.workload import Workload
    from bayplan.placement.asking import Sized
    from bayplan.placement.card_states import CardState
    from bayplan.placement.options import Option
    from bayplan.placement.placed import Placed
    from bayplan.placement.removals import Removal
    from bayplan.placement.slices.reconfigurations import Reconfiguration


class Verdict(StrEnum):
    """Waiting: it would fit if every booking were gone. Infeasible: not even then."""

    FITS = "fits"
    PARTLY = "partly"
    WAITING = "waiting"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, slots=True)
class Member:
    """The members of one shape: all replicas of a workload, or those of a role."""

    role: str | None
    replicas: int
    sized: Sized


@dataclass(frozen=True, slots=True)
class Request:
    """A workload with the sizes of its models.

    Where only some of its replicas are asked for, `part_of` is the whole: shares are counted of that.
    """

    workload: Workload
    members: tuple[Member, ...]
    warnings: tuple[str, ...] = ()
    part_of: Request | None = None

    @property
    def whole(self) -> Request:
        return self.part_of or self

    @property
    def max_spot_percent(self) -> float | None:
        """The smallest share that a member names: it is one of the whole workload, whichever replicas stand there."""
        limits = [member.sized.shape.cost.max_spot_percent for member in self.whole.members]
        return min((limit for limit in limits if limit is not None), default=None)

    @property
    def most_on_spot(self) -> int | None:
        """How many replicas may stand on spot workers, rounded down; None where nobody set a limit."""
        percent = self.max_spot_percent
        return None if percent is None else floor(Fraction(str(percent)) * self.whole.workload.desired / 100)


@dataclass(frozen=True, slots=True, eq=False)
class Replica:
    """A replica that a plan adds."""

    index: int
    role: str | None
    sized: Sized
    placed: Placed
    score: float
    usd_per_hour: float | None


@dataclass(frozen=True, slots=True)
class Victim:
    """A booking that must go so that the workload fits, and why it is this one."""

    booking: Booking
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The answer for one workload."""

    request: Request
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

    @property
    def bookings(self) -> tuple[Booking, ...]:
        """What would be booked, each with the role of its replica."""
        return tuple(
            replace(booking, role=replica.role) if replica.role else booking
            for replica in self.replicas
            for booking in replica.placed.bookings
        )

"""Victims of a plan: which workloads may evict others, and why each victim must go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_cpu, format_mib
from bayplan.cluster.workload import Preemption
from bayplan.placement.preemption.units import cards_of

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.cluster.workload import Role, Workload
    from bayplan.placement.preemption.units import Unit, Units


@dataclass(frozen=True, slots=True)
class Victim:
    """A booking that must go so that the workload fits, and why it is this one."""

    booking: Booking
    reason: str


def victims_of(units: Units, below: int) -> tuple[Victim, ...]:
    """The bookings of these units, each with its reason; `below` is the priority of the workload that needs room."""
    return tuple(Victim(booking, _reason(booking, unit, below)) for unit in units for booking in unit.bookings)


def may_preempt_below(workload: Workload) -> int | None:
    """Bookings of a lower priority may be evicted, none where it is None: the lowest of the roles that may preempt."""
    if not workload.roles:
        return workload.id.priority if workload.preemption is Preemption.LOWER_PRIORITY else None
    timid = timid_roles(workload)
    return min((_priority(workload, role) for role in workload.roles if role.name not in timid), default=None)


def timid_roles(workload: Workload) -> list[str]:
    """The roles that may not preempt, in a workload where other roles may."""
    return [role.name for role in workload.roles if (role.preemption or workload.preemption) is Preemption.NEVER]


def _priority(workload: Workload, role: Role) -> int:
    return workload.id.priority if role.priority is None else role.priority


def _reason(booking: Booking, unit: Unit, below: int) -> str:
    """In numbers: why it may fall, and what that gives."""
    whole = (
        ""
        if len(unit.bookings) == 1
        else f"; removed together with all {len(unit.bookings)} bookings of {_whole(unit)}"
    )
    return f"priority {unit.priority} < {below}; frees {_freed(booking)} on {booking.worker}{whole}"


def _whole(unit: Unit) -> str:
    return f"gang {unit.gang}" if unit.gang is not None else f"replica {unit.owner}"


def _freed(booking: Booking) -> str:
    cards = cards_of(booking)
    if cards:
        return (
            f"{cards} card{'s' * (cards > 1)}" if all(part.whole for part in booking.cards) else _parts(booking, cards)
        )
    amounts = [format_cpu(booking.cpu_milli) + " CPU"] if booking.cpu_milli else []
    amounts += [format_mib(booking.ram_mib) + " RAM"] if booking.ram_mib else []
    return " and ".join(amounts) or "its place"


def _parts(booking: Booking, cards: int) -> str:
    """A share of cards, places, or slices."""
    if places := sum(part.places or 0 for part in booking.cards):
        return f"{places} place{'s' * (places > 1)} of {cards} card{'s' * (cards > 1)}"
    memory = sum(part.memory_mib or 0 for part in booking.cards)
    slices = sum(part.mig is not None for part in booking.cards)
    what = f"{slices} slice{'s' * (slices > 1)}" if slices else format_mib(memory) if memory else "a share"
    return f"{what} of {cards} card{'s' * (cards > 1)}"

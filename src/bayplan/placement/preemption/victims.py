"""A plan for a workload that may push others aside: with victims where they help, with the reason where none do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_cpu, format_mib
from bayplan.cluster.workload import Preemption
from bayplan.placement.plans import Verdict, Victim
from bayplan.placement.preemption.find import find_victims, fits
from bayplan.placement.preemption.missing import only_roles
from bayplan.placement.preemption.together import MOST_PLANS
from bayplan.placement.preemption.units import bookings_of, cards_of

if TYPE_CHECKING:
    from bayplan.cluster.booking import Booking
    from bayplan.cluster.workload import Role, Workload
    from bayplan.placement.planner import Planner
    from bayplan.placement.plans import Plan, Request
    from bayplan.placement.preemption.units import Unit


def with_victims(
    planner: Planner, request: Request, plan: Plan, *, reasons: bool = True, most_plans: int = MOST_PLANS
) -> Plan:
    """The plan of a workload that does not fit whole as things are; the same one where nobody's going would help."""
    below = may_preempt_below(request.workload)
    if below is None or plan.verdict in (Verdict.FITS, Verdict.INFEASIBLE):
        return plan
    timid = timid_roles(request.workload)
    if timid and not fits(planner, only_roles(planner, request, timid), ()):
        return _in_vain(plan, f"{' and '.join(timid)} may not preempt, so it needs free room")
    found = find_victims(planner, request, below, most_plans=most_plans)
    if not found.units:
        return _in_vain(replace(plan, proven=plan.proven and found.proven), found.reason)
    made = planner.relieved(bookings_of(found.units)).plan(request, reasons=reasons, preempting=False)
    victims = tuple(Victim(booking, _reason(booking, unit, below)) for unit in found.units for booking in unit.bookings)
    return replace(made, victims=victims, proven=made.proven and found.proven)


def may_preempt_below(workload: Workload) -> int | None:
    """Whose priority is below this may be pushed aside; None: nobody. Roles that may do so must all be above."""
    if not workload.roles:
        return workload.id.priority if workload.preemption is Preemption.LOWER_PRIORITY else None
    timid = timid_roles(workload)
    return min((_priority(workload, role) for role in workload.roles if role.name not in timid), default=None)


def timid_roles(workload: Workload) -> list[str]:
    """The roles that push nobody aside, in a workload of which others may."""
    return [role.name for role in workload.roles if (role.preemption or workload.preemption) is Preemption.NEVER]


def _priority(workload: Workload, role: Role) -> int:
    return workload.id.priority if role.priority is None else role.priority


def _in_vain(plan: Plan, reason: str) -> Plan:
    return replace(plan, warnings=(*plan.warnings, f"preemption: {reason}"))


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

"""Others that would have to go."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayplan.placement.changes.ladder import Ladder, listed
from bayplan.placement.plans import Verdict
from bayplan.placement.why import explain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.placement.changes.case import Case
    from bayplan.placement.changes.look import Look

CHANGE = "preempt"
MOST_WORKERS = 64
MOST_SINGLES = 16
MOST_ALONE = 4
MOST_ANSWERS = 2


@dataclass(frozen=True, slots=True)
class Victim:
    """What falls together: a replica, or all replicas of a gang."""

    workload: str
    replica: int | None
    bookings: tuple[Booking, ...]

    @property
    def priority(self) -> int:
        return max(booking.priority for booking in self.bookings)

    @property
    def harm(self) -> tuple[int, int, int]:
        """Smaller is better: priority, then bookings, then cards."""
        return self.priority, len(self.bookings), sum(len(booking.cards) for booking in self.bookings)

    def __str__(self) -> str:
        what = f"gang {self.workload}" if self.replica is None else f"{self.workload}/{self.replica}"
        return f"{what} (priority {self.priority})"

    def shown(self) -> dict[str, object]:
        workers = sorted({booking.worker for booking in self.bookings})
        return {"workload": self.workload, "replica": self.replica, "priority": self.priority, "workers": workers}


Victims = tuple[Victim, ...]


def ladders(look: Look) -> Iterator[Ladder]:
    """Single replicas or gangs of no higher priority that suffice; where none does, a set in which each is needed."""
    if look.verdict is Verdict.INFEASIBLE:
        return
    victims = _lowest_enough(look, _candidates(look))
    found = 0
    for victim in victims[:MOST_SINGLES]:
        if look.oracle.fits(_without(look.case, (victim,))):
            yield _ladder(((victim,),))
            found += 1
        if found == MOST_ANSWERS:
            return
    if not found and victims:
        needed = _needed(look, _side_by_side(look, victims))
        yield _ladder((needed[:-1], needed) if len(needed) > 1 else (needed,))


def _candidates(look: Look) -> list[Victim]:
    """Who holds something where the workload could go if it were empty, and may be pushed aside."""
    own, priority = look.request.workload.name, look.request.workload.id.priority
    others = [booking for booking in look.planner.bookings if booking.workload != own]
    there = _nearest(look, others)
    found = {_together(booking) for booking in others if booking.worker in there}
    held: dict[tuple[str, int | None], list[Booking]] = {key: [] for key in found}
    for booking in others:
        if (key := _together(booking)) in found:
            held[key].append(booking)
    victims = [Victim(name, replica, tuple(bookings)) for (name, replica), bookings in held.items()]
    return _unprotected(look, [victim for victim in victims if victim.priority <= priority])


def _together(booking: Booking) -> tuple[str, int | None]:
    return (booking.workload, booking.replica) if booking.gang is None else (booking.gang, None)


def _nearest(look: Look, others: Sequence[Booking]) -> set[str]:
    """The workers that would do if they were empty; of many, those on which the fewest cards are held."""
    answers = explain(look.planner.emptied(), look.request).workers
    held = Counter({answer.worker: 0 for answer in answers if answer.feasible})
    for booking in others:
        if booking.worker in held:
            held[booking.worker] += max(1, len(booking.cards))
    ranked = sorted((number, worker) for worker, number in held.items() if number)
    return {worker for _, worker in ranked[:MOST_WORKERS]}


def _unprotected(look: Look, victims: Sequence[Victim]) -> list[Victim]:
    """Of a workload with a budget no more than it can spare, the least harm first."""
    spare = _spare(look)
    found = []
    for victim in sorted(victims, key=lambda each: each.harm):
        lost = Counter(workload for workload, _ in {booking.owner for booking in victim.bookings} if workload in spare)
        if all(spare[workload] >= number for workload, number in lost.items()):
            for workload, number in lost.items():
                spare[workload] -= number
            found.append(victim)
    return found


def _spare(look: Look) -> dict[str, int]:
    """How many replicas a workload with a budget may lose."""
    kept = {budget.workload: -budget.min_available for budget in look.planner.cluster.budgets}
    for workload, _ in {booking.owner for booking in look.planner.bookings}:
        if workload in kept:
            kept[workload] += 1
    return kept


def _lowest_enough(look: Look, victims: Sequence[Victim]) -> Sequence[Victim]:
    """Those up to the lowest priority that suffices; nobody where not even all of them do."""
    if not victims or not look.oracle.fits(_without(look.case, victims)):
        return ()
    levels = sorted({victim.priority for victim in victims})
    low, high = 0, len(levels) - 1
    while low < high:
        middle = (low + high) // 2
        if look.oracle.fits(_without(look.case, [each for each in victims if each.priority <= levels[middle]])):
            high = middle
        else:
            low = middle + 1
    return [victim for victim in victims if victim.priority <= levels[high]]


def _side_by_side(look: Look, victims: Sequence[Victim]) -> Sequence[Victim]:
    """Those of one worker that suffice, from a few with the least harm; else those in the way of one plan."""
    there: dict[str, list[Victim]] = {}
    for victim in victims:
        for worker in dict.fromkeys(booking.worker for booking in victim.bookings):
            there.setdefault(worker, []).append(victim)
    ranked = sorted(there, key=lambda worker: (there[worker][-1].priority, len(there[worker]), worker))
    for worker in ranked[:MOST_ALONE]:
        if look.oracle.fits(_without(look.case, there[worker])):
            return there[worker]
    plan = look.oracle.attempt(_without(look.case, victims))
    used = set() if plan is None else {booking.worker for booking in plan.bookings}
    return [victim for victim in victims if any(booking.worker in used for booking in victim.bookings)]


def _needed(look: Look, victims: Sequence[Victim]) -> Victims:
    """A set in which each is needed: the last of the shortest beginning that suffices must go; again without it."""
    needed: list[Victim] = []
    while victims and (not needed or not look.oracle.fits(_without(look.case, needed))):
        low, high = 1, len(victims)
        while low < high:
            middle = (low + high) // 2
            if look.oracle.fits(_without(look.case, (*victims[:middle], *needed))):
                high = middle
            else:
                low = middle + 1
        needed.append(victims[low - 1])
        victims = victims[: low - 1]
    return tuple(needed)


def _ladder(steps: tuple[Victims, ...]) -> Ladder:
    return Ladder(
        change=CHANGE,
        field="bookings",
        before=None,
        steps=steps,
        apply=_without,
        short="is not enough",
        told=lambda step, _: f"preempt {listed(step)}",
        named=listed,
        shown=lambda step: [victim.shown() for victim in step],
    )


def _without(case: Case, victims: Sequence[Victim]) -> Case:
    return replace(case, gone=(*case.gone, *(booking for victim in victims for booking in victim.bookings)))

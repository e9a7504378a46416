"""Where all members of a workload go: tries, one after the other, until one holds them all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.cluster.mig import profile_memory_mib
from bayplan.placement.constraints.cost_sum import limit_of
from bayplan.placement.constraints.within import AllowedDomains
from bayplan.placement.decision.rejection_summary import Refused, Summary
from bayplan.placement.gangs import min_resources
from bayplan.placement.gangs.affordable_workers import affordable_workers
from bayplan.placement.gangs.arrangement import Arrangement
from bayplan.placement.gangs.domain_members import count_members
from bayplan.placement.gangs.domain_tries import Tries
from bayplan.placement.gangs.mixed_roles import search_mixed
from bayplan.placement.gangs.spanning_replicas import is_first_exact, most_spanning
from bayplan.placement.gangs.trial import NO_LIMITS, Limits, Trial, members_of
from bayplan.placement.gangs.worker_capacity import Steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.topology import Level
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
    from bayplan.placement.decision.planned_cluster import PlannedCluster


MOST_COMPARED, MOST_ROOM = 32, 64
"""Where members are not counted, the room of up to 32 domains is compared, by tries of up to 64 members in each."""


@dataclass(frozen=True, slots=True)
class GangPlanner:
    """One workload on a cluster: `desired` members are wanted; fewer than `minimum` are no answer."""

    state: PlannedCluster
    sized: SizedWorkload
    held: Sequence[Booking]
    desired: int
    minimum: int
    reasons: bool = True
    steps: Steps = field(default_factory=Steps)

    def arrange(self) -> Arrangement:
        """The try that holds most members."""
        gang = self.sized.workload.gang
        if vain := self._vain():
            return self._none(vain)
        if gang is not None and gang.within is not None:
            return self._within(gang.within)
        return self.anywhere(NO_LIMITS)

    def _vain(self) -> Summary | None:
        """Why no try can succeed: the gang has too few members, or too little is free for its `minResources`."""
        workload, crowd = self.sized.workload, len(self.state.snapshot.workers)
        if workload.minimum > workload.desired:
            message = f"the gang needs {workload.minimum} members, but has only {workload.desired}"
            if workload.gang is not None and not workload.gang.declared:
                message = f"the gang {workload.name!r} has no PodGroup; add one"
            return Summary("gang-short", crowd, curable=False, message=message)
        if workload.gang is None or workload.gang.min_resources is None:
            return None
        short = min_resources.missing(self.state.table, workload.gang.min_resources, self.held)
        message = "; ".join(each.message for each in short)
        return Summary("gang-short", crowd, curable=True, message=message) if short else None

    def _none(self, vain: Summary) -> Arrangement:
        trial = Trial(self.state, self.sized, self.held, self.minimum, reasons=False)
        for role, left in trial.missing():
            trial.blocked += members_of(self.sized.workload, role, left)
        trial.refused = Refused(beside=[vain])
        return Arrangement(trial, [], self.desired, exact=True)

    def fits_when_empty(self) -> bool | None:
        """Whether the minimum would fit if every booking were gone; None where neither answer is proven."""
        steps = Steps(self.steps.most)
        empty = replace(
            self, state=self.state.emptied(), held=(), desired=self.minimum, reasons=False, steps=steps
        ).arrange()
        if len(empty.placed) >= self.minimum:
            return True
        return False if empty.exact or not _possible(empty.trial, self.minimum) else None

    def _try(self, limits: Limits, *, reasons: bool = False) -> Arrangement:
        trial = Trial(self.state, self.sized, self.held, self.minimum, reasons=reasons, limits=limits)
        return Arrangement(trial, trial.place(self.desired), self.desired)

    def anywhere(self, limits: Limits) -> Arrangement:
        """The members in the order of the document; where that leaves some out, the largest first, then a search."""
        best = self._try(limits, reasons=self.reasons)
        if best.is_whole:
            best.exact = True
            return best
        if len({role.shape for role in self.sized.roles}) == 1:
            return self._alike(best, limits)
        return self._unlike(best, limits)

    def _alike(self, best: Arrangement, limits: Limits) -> Arrangement:
        """Equal members: one after the other is exact, unless they share a budget or have several shapes of cards.

        It is not exact either if they may span workers, or are spread over domains and share a budget or spot workers.
        """
        role = next(role for role, missing in best.trial.missing() if missing)
        asks = best.trial.asked(role, 1).asks
        if any(ask.spans for ask in asks):
            return self._spanning(best, limits, role)
        pays, exact = limit_of(asks) is not None, True
        if pays:
            workers, exact = affordable_workers(self, role, limits)
            best = self._kept(best, self._try(replace(limits, affordable=workers)))
        shared = pays or self.sized.most_on_spot is not None
        if self.sized.workload.spread_over is not None and shared:
            return self._trialed(best, limits)
        if self.sized.workload.gang is not None and (len(asks) > 1 or len(asks[0].shapes) > 1):
            return self._trialed(best, limits)
        best.exact = exact
        return best

    def _spanning(self, best: Arrangement, limits: Limits, role: SizedRole) -> Arrangement:
        """Replicas over several workers: exact where as many are placed as the cards of all workers allow."""
        fresh = Trial(self.state, self.sized, self.held, 1, reasons=False, limits=limits)
        most, workers = most_spanning(fresh, role, self.desired)
        if len(best.placed) < most:
            best = self._kept(best, self._try(replace(limits, affordable=workers, spot_last=True)))
        if len(best.placed) < most and self.sized.workload.gang is not None:
            best = self._trialed(best, limits)
        best.exact = len(best.placed) >= most or (not best.placed and is_first_exact(fresh, role))
        return best

    def _unlike(self, best: Arrangement, limits: Limits) -> Arrangement:
        largest = tuple(largest_first(best.trial))
        if largest != tuple(range(len(largest))):
            other = self._try(replace(limits, order=largest))
            best = self._kept(best, other)
        return best if best.is_whole else self._trialed(best, limits)

    def _trialed(self, best: Arrangement, limits: Limits) -> Arrangement:
        found, exact = search_mixed(self, limits, len(best.placed))
        best = self._kept(best, found) if found is not None else best
        best.exact = exact
        return best

    def _kept(self, best: Arrangement, other: Arrangement) -> Arrangement:
        """The better of two, with the options and refusals of the first, for which alone they were made."""
        if not other.beats(best):
            return best
        other.trial.options, other.trial.refused = best.trial.options, best.trial.refused
        return other

    def _within(self, level: Level) -> Arrangement:
        """The domain with the least room that holds all; where none does, the one that holds most."""
        counted = count_members(self, level)
        if counted is not None:
            return counted
        tries = self._tries(level)
        best: Arrangement | None = None
        whole: list[tuple[int, Arrangement]] = []
        for domain in tries.order:
            # it cannot hold more than was found already
            if best is not None and tries.rooms[domain] <= len(best.placed):
                continue
            tried = self.inside(level, domain)
            tries.found(domain, len(tried.placed), exact=tried.exact)
            if tried.is_whole:
                whole.append((domain, tried))
                if len(tries.order) > MOST_COMPARED or not self._has_room_to_compare:
                    break
            elif not whole and (best is None or tried.beats(best)):
                best = tried
        if whole:
            return self._explained(min(whole, key=lambda each: self._room(level, each[0]) if len(whole) > 1 else 0)[1])
        nowhere = self._try(Limits(within=tries.within(level, self.desired, ())), reasons=self.reasons)
        if best is None:
            best = nowhere
        best.trial.refused, best.exact = nowhere.trial.refused, tries.exact
        return best

    def inside(self, level: Level, domain: int) -> Arrangement:
        """The try that holds most members in one domain."""
        limits = Limits(within=AllowedDomains(level, np.array([domain], np.int64), self.minimum))
        return replace(self, reasons=False).anywhere(limits)

    @property
    def _has_room_to_compare(self) -> bool:
        """Whether the domain with the least room is wanted of all that hold the gang; under other rules any will do."""
        sized, asks = self.sized, self._asks_of_first
        pays = sized.most_on_spot is not None or limit_of(asks) is not None
        return len(sized.roles) == 1 and sized.workload.spread_over is None and not pays

    def _room(self, level: Level, domain: int) -> int:
        """How many members the domain could hold now, also beyond the wanted number; at most MOST_ROOM."""
        (role,) = self.sized.roles
        more = replace(self.sized, roles=(replace(role, replicas=len(self.held) + MOST_ROOM),))
        crowd = replace(self, sized=more, desired=MOST_ROOM, minimum=1, reasons=False, steps=Steps(self.steps.most))
        return len(crowd.inside(level, domain).placed)

    @property
    def _asks_of_first(self) -> Sequence[Ask]:
        trial = Trial(self.state, self.sized, self.held, 1, reasons=False)
        return trial.asked(self.sized.roles[0], 1).asks

    def _explained(self, found: Arrangement) -> Arrangement:
        """The same try once more, with options and refusals."""
        if not self.reasons:
            return found
        again = self.anywhere(found.trial.limits)
        return again if len(again.placed) == len(found.placed) else found

    def domains(self, level: Level) -> AllowedDomains:
        """Every domain with how many members it would hold; domains that hold enough are allowed."""
        tries = self._tries(level)
        for domain in tries.order:
            tried = self.inside(level, domain)
            tries.found(domain, len(tried.placed), exact=tried.exact)
        return tries.within(level, self.minimum, np.flatnonzero(tries.rooms >= self.minimum))

    def _tries(self, level: Level) -> Tries:
        """The domains that might hold the gang; where it has members already, only their domain."""
        trial = Trial(self.state, self.sized, self.held, self.minimum, reasons=False)
        snapshot = self.state.snapshot
        of_row = snapshot.table.columns[domain_column(level)]
        there = {int(of_row[snapshot.rows[each.worker]]) for each in self.held if each.worker in snapshot.rows}
        if there:
            # Members in two domains, or in none that has a name: no domain can hold the gang.
            return Tries.only(len(snapshot.domains[level]), there - {UNKNOWN} if len(there) == 1 else ())
        return Tries.of(trial, level, self.desired, self.minimum, self.steps.most // self.desired)


def largest_first(trial: Trial) -> list[int]:
    """The numbers of the roles by what one member takes, most first."""

    def size(number: int) -> tuple[int, ...]:
        role = trial.sized.roles[number]
        ask = trial.asked(role, 1).asks[0]
        shape = ask.shapes[0] if ask.shapes else None
        cards, need = (shape.cards, shape.need_mib) if shape else (0, 0)
        if ask.mig is not None:
            need = profile_memory_mib(ask.mig) or 0
        return (cards, need, ask.ram_mib or 0, ask.cpu_milli or 0)

    return sorted(range(len(trial.sized.roles)), key=size, reverse=True)  # `reverse` keeps the order of equals


def _possible(trial: Trial, minimum: int) -> bool:
    """Whether `minimum` members could fit if members of one shape took no room from those of another.

    Members that share a budget, or span workers, take room from each other: one that fits counts as all of them.
    """
    found, limits = 0, replace(trial.limits, affordable=None, order=None)
    for role, missing in trial.missing():
        alone = Trial(trial.state, _alone(trial.sized, role), (), 1, reasons=False, limits=limits)
        asks = trial.asked(role, 1).asks
        if limit_of(asks) is not None or any(ask.spans for ask in asks):
            found += missing if len(alone.rows_of(role)) else 0
        else:
            found += min(missing, len(alone.place(missing)))
    return found >= minimum


def _alone(sized: SizedWorkload, role: SizedRole) -> SizedWorkload:
    """One role by itself, without its spread over domains."""
    return replace(sized, workload=replace(sized.workload, spread_over=None), roles=(role,))

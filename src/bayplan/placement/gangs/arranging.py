"""Where the members of a workload go together: tries, one after the other, until one holds them all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.cluster.mig import profile_memory_mib
from bayplan.placement import min_resources
from bayplan.placement.gangs.affordable import affordable_workers
from bayplan.placement.gangs.arranged import Arranged
from bayplan.placement.gangs.counting import count_members
from bayplan.placement.gangs.domain_tries import Tries
from bayplan.placement.gangs.mixed import search_mixed
from bayplan.placement.gangs.one_worker import Steps
from bayplan.placement.gangs.spanning import is_first_exact, most_spanning
from bayplan.placement.plans import Verdict
from bayplan.placement.refused import Refused, Summary
from bayplan.placement.search import NO_LIMITS, Limits, Search, members_of
from bayplan.placement.subject import Within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.topology import Level
    from bayplan.placement.ask import Ask
    from bayplan.placement.planner import Planner
    from bayplan.placement.plans import Member, Plan, Request


MOST_COMPARED, MOST_ROOM = 32, 64
"""Of no more domains the room is compared, where members are not counted at once; and so much of it is room enough."""


@dataclass(frozen=True, slots=True)
class Arranging:
    """One workload on a planner: `desired` members are wanted, fewer than `minimum` are none."""

    planner: Planner
    request: Request
    held: Sequence[Booking]
    desired: int
    minimum: int
    reasons: bool = True
    steps: Steps = field(default_factory=Steps)

    def plan(self) -> Plan:
        """The plan: as many as fit, none if that is too few."""
        arranged = self.arrange()
        placed = arranged.placed if len(arranged.placed) >= self.minimum else []
        if len(placed) == self.desired:
            verdict, proven = Verdict.FITS, True
        elif placed:
            verdict, proven = Verdict.PARTLY, arranged.exact
        else:
            verdict, proven = self._waiting(exact=arranged.exact)
        return arranged.search.plan(placed, self.desired, verdict, proven=proven)

    def arrange(self) -> Arranged:
        """The try that holds most members."""
        gang = self.request.workload.gang
        if vain := self._vain():
            return self._nobody(vain)
        if gang is not None and gang.within is not None:
            return self._within(gang.within)
        return self.anywhere(NO_LIMITS)

    def _vain(self) -> Summary | None:
        """Why nobody need be tried: the gang has too few members, or the cluster lacks what it wants to see free."""
        workload, crowd = self.request.workload, len(self.planner.snapshot.workers)
        if workload.minimum > workload.desired:
            message = f"the gang needs {workload.minimum} members, but has only {workload.desired}"
            if workload.gang is not None and not workload.gang.declared:
                message = f"the gang {workload.name!r} has no PodGroup; add one"
            return Summary("gang-short", crowd, curable=False, message=message)
        if workload.gang is None or workload.gang.min_resources is None:
            return None
        short = min_resources.missing(self.planner.table, workload.gang.min_resources, self.held)
        message = "; ".join(each.message for each in short)
        return Summary("gang-short", crowd, curable=True, message=message) if short else None

    def _nobody(self, vain: Summary) -> Arranged:
        search = Search(self.planner, self.request, self.held, self.minimum, reasons=False)
        for member, left in search.missing():
            search.blocked += members_of(self.request.workload, member, left)
        search.refused = Refused(beside=[vain])
        return Arranged(search, [], exact=True)

    def _waiting(self, *, exact: bool) -> tuple[Verdict, bool]:
        """Whether the minimum would fit if every booking were gone, and whether the answer is proven.

        Where neither is proven, the workload waits: only what is proven is infeasible. `exact`: that it does not fit
        now is proven.
        """
        empty, steps = self.planner.emptied(), Steps(self.steps.most)
        asked = replace(self, planner=empty, held=(), desired=self.minimum, reasons=False, steps=steps)
        emptied = asked.arrange()
        if len(emptied.placed) >= self.minimum:
            return Verdict.WAITING, exact
        if emptied.exact or not _possible(emptied.search, self.minimum):
            return Verdict.INFEASIBLE, True
        return Verdict.WAITING, False

    def _try(self, limits: Limits, *, reasons: bool = False) -> Arranged:
        search = Search(self.planner, self.request, self.held, self.minimum, reasons=reasons, limits=limits)
        return Arranged(search, search.place(self.desired))

    def anywhere(self, limits: Limits) -> Arranged:
        """The members in the order of the document; where that leaves some out, the hungriest first, then a search."""
        best = self._try(limits, reasons=self.reasons)
        if len(best.placed) == self.desired:
            best.exact = True
            return best
        if len({member.sized.shape for member in self.request.members}) == 1:
            return self._alike(best, limits)
        return self._unlike(best, limits)

    def _alike(self, best: Arranged, limits: Limits) -> Arranged:
        """Equal members are counted: the greedy try is exact, unless they share a budget, or have several shapes.

        Nor is it where they are spread over domains and share a budget or spot workers, or may span workers.
        """
        member = next(member for member, missing in best.search.missing() if missing)
        asks = best.search.asked(member, 1).asks
        if any(ask.spans for ask in asks):
            return self._spanning(best, limits, member)
        pays, exact = any(ask.max_usd_per_hour is not None for ask in asks), True
        if pays:
            workers, exact = affordable_workers(self, member, limits)
            best = self._kept(best, self._try(replace(limits, affordable=workers)))
        shared = pays or self.request.most_on_spot is not None
        if self.request.workload.spread_over is not None and shared:
            return self._searched(best, limits)
        if self.request.workload.gang is not None and (len(asks) > 1 or len(asks[0].shapes) > 1):
            return self._searched(best, limits)
        best.exact = exact
        return best

    def _spanning(self, best: Arranged, limits: Limits, member: Member) -> Arranged:
        """Any cards make a replica: exact where as many are placed as the cards would make, whatever else counts."""
        fresh = Search(self.planner, self.request, self.held, 1, reasons=False, limits=limits)
        most, workers = most_spanning(fresh, member, self.desired)
        if len(best.placed) < most:
            best = self._kept(best, self._try(replace(limits, affordable=workers, spot_last=True)))
        if len(best.placed) < most and self.request.workload.gang is not None:
            best = self._searched(best, limits)
        best.exact = len(best.placed) >= most or (not best.placed and is_first_exact(fresh, member))
        return best

    def _unlike(self, best: Arranged, limits: Limits) -> Arranged:
        hungry = tuple(hungriest_first(best.search))
        if hungry != tuple(range(len(hungry))):
            other = self._try(replace(limits, order=hungry))
            best = self._kept(best, other)
        return best if len(best.placed) == self.desired else self._searched(best, limits)

    def _searched(self, best: Arranged, limits: Limits) -> Arranged:
        found, exact = search_mixed(self, limits, len(best.placed))
        best = self._kept(best, found) if found is not None else best
        best.exact = exact
        return best

    def _kept(self, best: Arranged, other: Arranged) -> Arranged:
        """The better of two; what only people read was worked out for the first."""
        if not other.beats(best):
            return best
        other.search.options, other.search.refused = best.search.options, best.search.refused
        return other

    def _within(self, level: Level) -> Arranged:
        """The domain with the least room that holds all; where none does, the one that holds most."""
        counted = count_members(self, level)
        if counted is not None:
            return counted
        tries = self._tries(level)
        best: Arranged | None = None
        whole: list[tuple[int, Arranged]] = []
        for domain in tries.order:
            if best is not None and tries.rooms[domain] <= len(best.placed):
                continue
            tried = self.inside(domain)
            tries.found(domain, len(tried.placed), exact=tried.exact)
            if len(tried.placed) == self.desired:
                whole.append((domain, tried))
                if len(tries.order) > MOST_COMPARED or not self._has_room_to_compare:
                    break
            elif not whole and (best is None or tried.beats(best)):
                best = tried
        if whole:
            return self._explained(min(whole, key=lambda each: self._room(each[0]) if len(whole) > 1 else 0)[1])
        nowhere = self._try(Limits(within=tries.within(self.desired, ())), reasons=self.reasons)
        if best is None:
            best = nowhere
        best.search.refused, best.exact = nowhere.search.refused, tries.exact
        return best

    def inside(self, domain: int) -> Arranged:
        """The try that holds most members in one domain."""
        limits = Limits(within=Within(np.array([domain], np.int64), self.minimum))
        return replace(self, reasons=False).anywhere(limits)

    @property
    def _has_room_to_compare(self) -> bool:
        """Whether of the domains that hold all the one with the least room is wanted: any will do under other rules."""
        request, asks = self.request, self._asks_of_first
        pays = request.most_on_spot is not None or any(ask.max_usd_per_hour is not None for ask in asks)
        return len(request.members) == 1 and request.workload.spread_over is None and not pays

    def _room(self, domain: int) -> int:
        """How many members the domain could hold now, beyond those that are wanted; no more than MOST_ROOM."""
        (member,) = self.request.members
        more = replace(self.request, members=(replace(member, replicas=len(self.held) + MOST_ROOM),))
        crowd = replace(self, request=more, desired=MOST_ROOM, minimum=1, reasons=False, steps=Steps(self.steps.most))
        return len(crowd.inside(domain).placed)

    @property
    def _asks_of_first(self) -> Sequence[Ask]:
        search = Search(self.planner, self.request, self.held, 1, reasons=False)
        return search.asked(self.request.members[0], 1).asks

    def _explained(self, found: Arranged) -> Arranged:
        """The same once more with what only people read."""
        if not self.reasons:
            return found
        again = self.anywhere(found.search.limits)
        return again if len(again.placed) == len(found.placed) else found

    def domains(self, level: Level) -> Within:
        """Every domain with how many members it would hold: those that hold enough are where the gang could stand."""
        tries = self._tries(level)
        for domain in tries.order:
            tried = self.inside(domain)
            tries.found(domain, len(tried.placed), exact=tried.exact)
        return tries.within(self.minimum, np.flatnonzero(tries.rooms >= self.minimum))

    def _tries(self, level: Level) -> Tries:
        """The domains that might hold the gang; where members stand already, only theirs."""
        search = Search(self.planner, self.request, self.held, self.minimum, reasons=False)
        snapshot = self.planner.snapshot
        of_row = snapshot.table.columns[domain_column(level)]
        there = {int(of_row[snapshot.rows[each.worker]]) for each in self.held if each.worker in snapshot.rows}
        if there:
            return Tries.only(len(snapshot.domains[level]), there - {UNKNOWN} if len(there) == 1 else ())
        return Tries.of(search, level, self.desired, self.minimum, self.steps.most // self.desired)


def hungriest_first(search: Search) -> list[int]:
    """The members by what one of them takes, most first."""

    def hunger(number: int) -> tuple[int, ...]:
        member = search.request.members[number]
        ask = search.asked(member, 1).asks[0]
        shape = ask.shapes[0] if ask.shapes else None
        cards, need = (shape.cards, shape.need_mib) if shape else (0, 0)
        if ask.mig is not None:
            need = profile_memory_mib(ask.mig) or 0
        return (cards, need, ask.ram_mib or 0, ask.cpu_milli or 0)

    return sorted(range(len(search.request.members)), key=hunger, reverse=True)


def _possible(search: Search, minimum: int) -> bool:
    """Whether so many members could fit if the shapes did not stand in each other's way.

    Members that share a budget, or cards of several workers, stand in their own way.
    """
    found, limits = 0, replace(search.limits, affordable=None, order=None)
    for member, missing in search.missing():
        alone = Search(search.planner, _alone(search.request, member), (), 1, reasons=False, limits=limits)
        if any(ask.spans or ask.max_usd_per_hour is not None for ask in search.asked(member, 1).asks):
            found += missing if len(alone.rows_of(member)) else 0
        else:
            found += min(missing, len(alone.place(missing)))
    return found >= minimum


def _alone(request: Request, member: Member) -> Request:
    """One shape by itself, wherever its members stand."""
    return replace(request, workload=replace(request.workload, spread_over=None), members=(member,))

"""How many members each domain holds at most, counted over all domains at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.ask import Taking
from bayplan.placement.gangs.copies import MOST_COPIES, Copies, counts_copies

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.cluster.domains import Domains
    from bayplan.cluster.topology import Level
    from bayplan.placement.plans import Member
    from bayplan.placement.search import Search

    Numbers = npt.NDArray[np.int64]


def most_members(search: Search, level: Level) -> Numbers:
    """No domain holds more members than this, by number of the domain.

    Each role is counted as if the others were not there. Roles that take whole cards share those that are free: the
    roles that take fewest go first, because that holds most members.
    """
    domains = search.snapshot.domains[level]
    free = free_cards(search, domains)
    most = np.zeros(len(domains), np.int64)
    wanted = [(_whole_cards(search, member), member, missing) for member, missing in search.missing() if missing]
    for cards, member, missing in sorted(wanted, key=lambda each: each[0]):
        room = np.minimum(_of_role(search, member, missing, domains), missing)
        if cards:
            room = np.minimum(room, free // cards)
            free = free - room * cards
        most += room
    return most


def free_cards(search: Search, domains: Domains) -> Numbers:
    """The cards of each domain that may be given whole."""
    columns = search.trial.gather(("wholly_free_count",), np.arange(search.trial.size))
    summed: Numbers = domains.sums(columns["wholly_free_count"].astype(np.int64))
    return summed


def are_counted(search: Search) -> bool:
    """Whether the members are alike and can be counted, so that the most they could be is what they are."""
    wanted = [(member, missing) for member, missing in search.missing() if missing]
    alike = len({member.sized.shape for member, _ in wanted}) == 1
    return alike and sum(missing for _, missing in wanted) <= MOST_COPIES and _counts(search, *wanted[0])


def _whole_cards(search: Search, member: Member) -> int:
    """How many whole cards one of them takes at least."""
    asks = search.asked(member, 1).asks
    if any(ask.taking is not Taking.WHOLE for ask in asks):
        return 0
    return min((shape.cards for ask in asks for shape in ask.shapes), default=0)


def _counts(search: Search, member: Member, missing: int) -> bool:
    asks = search.asked(member, missing).asks
    strategy, extras = member.sized.shape.strategy, search.extras(member, asks)
    return len(asks) == 1 and counts_copies(search.placer, strategy, asks[0], search.trial, extras)


def _of_role(search: Search, member: Member, missing: int, domains: Domains) -> Numbers:
    """What each domain holds of a role alone; where nobody can count, all of them if one of its workers takes one."""
    room = np.zeros(search.trial.size, np.int64)
    if not _counts(search, member, missing):
        room[search.rows_of(member)] = missing
        return domains.sums(room)
    ask = search.asked(member, missing).asks[0]
    strategy, extras = member.sized.shape.strategy, search.extras(member, (ask,))
    copies = Copies(search.placer, strategy, ask, search.trial, extras)
    copies.sync()
    return domains.sums(np.where(copies.rooms < MOST_COPIES, copies.rooms, missing))

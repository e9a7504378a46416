"""`gang.within`: all members of a gang in one domain of a level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.cluster.events import ALL_EVENTS
from bayplan.cluster.topology import LEVELS
from bayplan.framework.cycle import Key
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons
from bayplan.placement.constraints.constraint import Stateless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from bayplan.cluster.topology import Level
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.framework.table import AnyTable
    from bayplan.placement.asks.ask import Ask

UNTRIED, ELSEWHERE = -1, -2
"""Sentinels below any room: it was not counted, or the first members of the gang are in another domain."""


def _no_rooms() -> npt.NDArray[np.int64]:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class AllowedDomains:
    """The domains (by number) in which a gang may be, how many members it wants, and how many each would hold.

    Where `at_most` is true of a domain, it holds no more than its room; a domain that is UNTRIED may hold any number,
    and one that is ELSEWHERE is not where the first members of the gang are.
    """

    level: Level
    allowed: npt.NDArray[np.int64]
    wanted: int = 0
    rooms: npt.NDArray[np.int64] = field(default_factory=_no_rooms)
    at_most: npt.NDArray[np.bool_] = field(default_factory=lambda: _no_rooms().astype(np.bool_))


ALLOWED: Key[AllowedDomains] = Key("domains in which the gang may be")


class Within:
    """Refuses a worker outside the domains that hold the whole gang: `gang.within`.

    A domain with room for too few members says `gang-short`, with how many it would hold. A worker that names no
    domain of that level is in none. The subject of the decision says which domains are possible; where it names none,
    the filter skips.
    """

    name = "within"
    reads = tuple(map(domain_column, LEVELS))
    depends = Depends.CYCLE
    required = True
    cured_by = ALL_EVENTS

    def prepare(self, ask: Ask, table: AnyTable, cycle: Cycle) -> object:
        return SKIP if cycle.subject.constraint(ALLOWED) is None else None

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        domains: AllowedDomains = cycle.subject.constraint(ALLOWED)
        there = getattr(rows, domain_column(domains.level))
        if len(domains.allowed) == 1:  # as in every try inside a domain; `isin` costs ten times as much
            alone: BoolArray = there == domains.allowed[0]
            return alone
        inside: BoolArray = np.isin(there, domains.allowed)
        return inside

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> list[Reasons]:
        domains: AllowedDomains = cycle.subject.constraint(ALLOWED)
        return list(_reasons(getattr(refused, domain_column(domains.level)), domains))


def _reasons(domains: Any, within: AllowedDomains) -> Iterator[Reasons]:
    level, nowhere = within.level, domains == UNKNOWN
    if nowhere.any():
        text = f"is in no {level}, and the gang must be in one"
        yield Reasons("gang-short", curable=False, text=text, places=np.flatnonzero(nowhere))
    known = np.flatnonzero(~nowhere)
    if not len(known):
        return
    rooms = within.rooms[domains[known]] if len(within.rooms) else np.zeros(len(known), np.int64)
    at_most = within.at_most[domains[known]] if len(within.at_most) else np.zeros(len(known), np.bool_)
    elsewhere = (rooms >= within.wanted) | (rooms == ELSEWHERE)
    short = ~elsewhere & (rooms != UNTRIED)
    for which, most in ((short & ~at_most, ""), (short & at_most, "at most ")):
        if which.any():
            text = f"its {level} has room for {most}{{free}} members; {{needed}} must be in one {level}"
            yield Reasons(
                "gang-short", curable=True, unit="members", needed=within.wanted, free=rooms[which], text=text,
                places=known[which],
            )  # fmt: skip
    untried = f"the room of its {level} was not counted"
    for which, text in ((rooms == UNTRIED, untried), (elsewhere, f"the gang is in another {level}")):
        if which.any():
            yield Reasons("gang-short", curable=True, text=text, places=known[which])


class GangDomain(Stateless):
    """The rule in one try: the domains that this try may use."""

    key = ALLOWED
    filter = Within()

    def __init__(self, domains: AllowedDomains) -> None:
        self._domains = domains

    def applies(self, asks: Sequence[Ask]) -> bool:
        return True

    def view(self, asks: Sequence[Ask]) -> AllowedDomains:
        return self._domains

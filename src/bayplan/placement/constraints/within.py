"""`gang.within`: all members of a gang in one domain of a level."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.framework.cycle import Key
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import everybody
from bayplan.placement.constraints.constraint import Stateless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from bayplan.cluster.topology import Level
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

UNTRIED, ELSEWHERE = -1, -2
"""Instead of the room of a domain: it was not counted, or the first members of the gang are in another domain."""


def _no_rooms() -> npt.NDArray[np.int64]:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class AllowedDomains:
    """The domains (by number) in which a gang may be, how many members it wants, and how many each would hold.

    Where `at_most` is true of a domain, it holds no more than its room; a domain that is UNTRIED may hold any number,
    and one that is ELSEWHERE is not where the first members of the gang are.
    """

    allowed: npt.NDArray[np.int64]
    wanted: int = 0
    rooms: npt.NDArray[np.int64] = field(default_factory=_no_rooms)
    at_most: npt.NDArray[np.bool_] = field(default_factory=lambda: _no_rooms().astype(np.bool_))


ALLOWED: Key[AllowedDomains] = Key("domains in which the gang may be")


class Within:
    """Refuses a worker outside the domains that hold the whole gang: `gang.within`.

    A domain with room for too few members says `gang-short`, with how many it would hold. A worker that names no
    domain of that level is in none. Present only where a gang asks for it; the subject of the
    decision says which domains are possible.
    """

    name = "within"
    depends = Depends.CYCLE
    required = True

    def __init__(self, level: Level) -> None:
        self._level = level
        self._column = domain_column(level)
        self.reads = (self._column,)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        domains = cycle.subject.constraint(ALLOWED)
        if domains is None:
            return everybody(rows.size)
        inside: BoolArray = np.isin(getattr(rows, self._column), domains.allowed)
        return inside

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> list[Reasons]:
        return list(self._reasons(getattr(refused, self._column), cycle.subject.constraint(ALLOWED)))

    def _reasons(self, domains: Any, within: AllowedDomains) -> Iterator[Reasons]:
        nowhere = domains == UNKNOWN
        if nowhere.any():
            text = f"is in no {self._level}, and the gang must be in one"
            yield Reasons("gang-short", curable=False, text=text, places=np.flatnonzero(nowhere))
        known = np.flatnonzero(~nowhere)
        if not len(known):
            return
        rooms = within.rooms[domains[known]] if len(within.rooms) else np.zeros(len(known), np.int64)
        at_most = within.at_most[domains[known]] if len(within.at_most) else np.zeros(len(known), np.bool_)
        elsewhere = (rooms >= within.wanted) | (rooms == ELSEWHERE)
        short = ~elsewhere & (rooms != UNTRIED)
        yield from self._short(rooms, known, short & ~at_most, within.wanted, "")
        yield from self._short(rooms, known, short & at_most, within.wanted, "at most ")
        yield from self._said(known[rooms == UNTRIED], f"the room of its {self._level} was not counted")
        yield from self._said(known[elsewhere], f"the gang is in another {self._level}")

    def _short(self, rooms: Any, known: Any, which: BoolArray, wanted: int, most: str) -> Iterator[Reasons]:
        if which.any():
            text = f"its {self._level} has room for {most}{{free}} members; {{needed}} must be in one {self._level}"
            yield Reasons(
                "gang-short", curable=True, unit="members", needed=wanted, free=rooms[which], text=text,
                places=known[which],
            )  # fmt: skip

    def _said(self, places: Any, text: str) -> Iterator[Reasons]:
        if len(places):
            yield Reasons("gang-short", curable=True, text=text, places=places)


@cache
def _filter_of(level: Level) -> Within:
    """One plugin a level: schedulers are kept for the plugins that they run."""
    return Within(level)


class GangDomain(Stateless):
    """The rule in one try, which was told the domains to try."""

    key = ALLOWED

    def __init__(self, level: Level, domains: AllowedDomains) -> None:
        self.filter = _filter_of(level)
        self._domains = domains

    def applies(self, asks: Sequence[Ask]) -> bool:
        return True

    def view(self, asks: Sequence[Ask]) -> AllowedDomains:
        return self._domains

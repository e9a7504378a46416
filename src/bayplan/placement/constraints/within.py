"""Keep the workers of the domain in which a gang is, or could be placed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.placement.asks.subject import ELSEWHERE, UNTRIED
from bayplan.placement.cards.distinct import everybody

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.topology import Level
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


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
        within = cycle.subject.within
        if within is None:
            return everybody(rows.size)
        inside: BoolArray = np.isin(getattr(rows, self._column), within.allowed)
        return inside

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> list[Reasons]:
        return list(self._reasons(getattr(refused, self._column), cycle.subject.within))

    def _reasons(self, domains: Any, within: Any) -> Iterator[Reasons]:
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

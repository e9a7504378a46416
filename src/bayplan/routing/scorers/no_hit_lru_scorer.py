"""Spread requests that no endpoint has in its prefix cache."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.routing.endpoints.prefix_match import DEFAULT_PRODUCER, prefix_column
from bayplan.routing.factors.parameter_checks import above, refuse

if TYPE_CHECKING:
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.hooks import Sent
    from bayplan.routing.requests.routed_request import RoutedRequest

SOME_HIT = 0.5
"""The score of all where some candidate has a block: the prefix should decide, not this scorer."""


@dataclass(frozen=True, slots=True, eq=False)
class NoHitLruScorer:
    """Scores cold requests: first endpoints that never got one, then those whose last one is longest ago.

    A request is cold where no candidate holds a block of it; the ranks of n candidates score 1 − rank / (n − 1). A
    request that is not cold scores 0.5 everywhere. Cold picks are remembered, those of the prefill stage too.

    Parameters:
        lru_size: how many endpoints with a cold request are remembered, the newest.
        prefix_match_info_producer_name: the prefix producer that is read; `approx-prefix-cache-producer` where none is
            named.
    """

    lru_size: int = 1024
    prefix_match_info_producer_name: str | None = None
    _used: OrderedDict[str, None] = field(default_factory=OrderedDict, init=False, repr=False)

    name = "no-hit-lru-scorer"
    depends = Depends.TABLE
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(above("lru_size", self.lru_size, 0))

    @property
    def reads(self) -> tuple[str, ...]:
        return ("name", prefix_column(self.prefix_match_info_producer_name or DEFAULT_PRODUCER))

    def score(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> list[float]:
        cold = not any(match.matched_blocks for match in getattr(rows, self.reads[1]))
        self._note(ask, cycle, cold=cold)
        if not cold:
            return [SOME_HIT] * rows.size
        if rows.size == 1:
            return [1.0]
        uses = {name: place for place, name in enumerate(self._used, start=1)}  # from the oldest on; 0 is never
        order = sorted(range(rows.size), key=lambda row: uses.get(rows.name[row], 0))
        scores = [0.0] * rows.size
        for rank, row in enumerate(order):
            scores[row] = 1.0 - rank / (rows.size - 1)
        return scores

    def sent(self, request: RoutedRequest, sent: Sent, now: float) -> None:
        """Remember the picks of a cold request."""
        _, cold = request.notes.pop(self, (None, False))
        if not cold:
            return
        names = sent.table.columns["name"]
        for row in (sent.first, sent.prefilled_by):
            if row is not None:
                self._used[names[row]] = None
                self._used.move_to_end(names[row])
        while len(self._used) > self.lru_size:
            self._used.popitem(last=False)

    def endpoint_down(self, name: str) -> None:
        """Forget an endpoint that is gone."""
        self._used.pop(name, None)

    def take_over(self, former: NoHitLruScorer) -> None:
        """Keep who got cold requests."""
        self._used.update(former._used)

    def _note(self, request: RoutedRequest, cycle: Cycle, *, cold: bool) -> None:
        """A request is cold if it is so in all runs of the cycle; `sent` has to know."""
        former, was_cold = request.notes.get(self, (None, True))
        request.notes[self] = (cycle, cold and (was_cold or former is not cycle))

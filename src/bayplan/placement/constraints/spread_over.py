"""Keep the workers of the domains with the fewest members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import everybody

if TYPE_CHECKING:
    from bayplan.cluster.topology import Level
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class DomainSpread:
    """Refuses a worker in whose domain one more replica would be two more than somewhere else: `spreadOver`.

    A domain counts if one of its workers could hold a replica without any bookings. A worker that names no domain of
    that level is refused. Present only where a workload asks for it.
    """

    name = "domain-spread"
    depends = Depends.CYCLE
    required = True

    def __init__(self, level: Level) -> None:
        self._level = level
        self._column = domain_column(level)
        self.reads = (self._column,)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        balance = cycle.subject.balance
        if balance is None:
            return everybody(rows.size)
        domains = getattr(rows, self._column)
        named = domains != UNKNOWN
        even: BoolArray = named & (balance.counts[np.where(named, domains, 0)] <= balance.least)
        return even

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> list[Reasons]:
        balance = cycle.subject.balance
        domains = getattr(refused, self._column)
        found = []
        nowhere, known = np.flatnonzero(domains == UNKNOWN), np.flatnonzero(domains != UNKNOWN)
        if len(nowhere):
            text = f"is in no {self._level}, over which the replicas are spread"
            found.append(Reasons("domain-spread", curable=False, text=text, places=nowhere))
        if len(known):
            here = balance.counts[domains[known]]
            text = (
                f"its {self._level} has {{here}} replicas, another {self._level} has {{least}}; they may differ by one"
            )
            found.append(
                Reasons("domain-spread", curable=True, here=here, least=balance.least, text=text, places=known)
            )
        return found

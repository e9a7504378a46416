"""`spreadOver`: replicas spread evenly over the domains of a level."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.cluster.events import ALL_EVENTS
from bayplan.cluster.topology import LEVELS
from bayplan.framework.cycle import Key
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Set

    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.cluster.topology import Level
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, IndexArray
    from bayplan.framework.rows import Rows
    from bayplan.framework.table import AnyTable
    from bayplan.placement.asks.ask import Ask

    Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """How many replicas are in each domain, by number; `least` is the smallest number among domains that count."""

    level: Level
    counts: Numbers
    least: int = 0


BALANCE: Key[Balance] = Key("replicas in each domain")


class DomainSpread:
    """Refuses a worker if one more replica would give its domain two more than another has: `spreadOver`.

    A domain counts if one of its workers could hold a replica without any bookings. A worker that names no domain of
    that level is refused. Skips workloads that are not spread.
    """

    name = "domain-spread"
    reads = tuple(map(domain_column, LEVELS))
    depends = Depends.CYCLE
    required = True
    cured_by = ALL_EVENTS

    def prepare(self, ask: Ask, table: AnyTable, cycle: Cycle) -> object:
        return SKIP if cycle.subject.constraint(BALANCE) is None else None

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        balance: Balance = cycle.subject.constraint(BALANCE)
        domains = getattr(rows, domain_column(balance.level))
        named = domains != UNKNOWN
        even: BoolArray = named & (balance.counts[np.where(named, domains, 0)] <= balance.least)
        return even

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> list[Reasons]:
        balance: Balance = cycle.subject.constraint(BALANCE)
        level, found = balance.level, []
        domains = getattr(refused, domain_column(level))
        nowhere, known = np.flatnonzero(domains == UNKNOWN), np.flatnonzero(domains != UNKNOWN)
        if len(nowhere):
            text = f"is in no {level}, over which the replicas are spread"
            found.append(Reasons("domain-spread", curable=False, text=text, places=nowhere))
        if len(known):
            here = balance.counts[domains[known]]
            text = f"its {level} has {{here}} replicas, another {level} has {{least}}; they may differ by one"
            found.append(
                Reasons("domain-spread", curable=True, here=here, least=balance.least, text=text, places=known)
            )
        return found


class SpreadReplicas:
    """The rule in one try.

    A domain counts where one of its workers could hold a replica by itself if every booking were gone. These workers
    are found by `rows_when_empty`, which costs a decision for each role: it is called when it is first needed.
    """

    key = BALANCE
    filter = DomainSpread()

    def __init__(self, snapshot: Snapshot, level: Level, rows_when_empty: Callable[[], IndexArray]) -> None:
        self._level = level
        self._of_row = snapshot.table.columns[domain_column(level)]
        self._rows_when_empty = rows_when_empty
        # At least one cell: `mask` reads cell 0 for rows without a domain before it refuses them.
        self._counts = np.zeros(max(1, len(snapshot.domains[level])), np.int64)
        self._there: dict[tuple[int, int], None] = {}  # replica and domain, in the order in which they were taken

    def applies(self, asks: Sequence[Ask]) -> bool:
        return True

    def view(self, asks: Sequence[Ask]) -> Balance:
        counts = self._counts.copy()
        return Balance(self._level, counts, int(counts[self.domains].min()) if len(self.domains) else 0)

    def hold(self, booking: Booking, row: int) -> None:
        there = booking.replica, self.domain_of(row)
        if there not in self._there:
            self._there[there] = None
            self._count(there[1], 1)

    def _count(self, domain: int, number: int) -> None:
        if domain != UNKNOWN:
            self._counts[domain] += number

    def mark(self) -> int:
        return len(self._there)

    def back_to(self, mark: int) -> None:
        while len(self._there) > mark:  # a dict keeps the order of insertion: the last ones were added since
            self._count(self._there.popitem()[0][1], -1)

    def closed_rows(self, asks: Sequence[Ask]) -> Set[int]:
        """None: placing other replicas of the workload elsewhere opens a row again."""
        return frozenset()

    def tells_apart(self, asks: Sequence[Ask]) -> bool:
        return False

    def domain_of(self, row: int) -> int:
        """The number of a worker's domain, or UNKNOWN."""
        return int(self._of_row[row])

    @cached_property
    def domains(self) -> Numbers:
        """The domains that count; for a gang that keeps to one domain, the domains inside it."""
        found = np.unique(self._of_row[self._rows_when_empty()])
        named: Numbers = found[found != UNKNOWN].astype(np.int64)
        return named

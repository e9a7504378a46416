"""How many members stand in each domain, for workloads that spread theirs over zones, blocks or racks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.placement.asks.subject import Balance

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.placement.gangs.trial import Trial

    Numbers = npt.NDArray[np.int64]


class Balances:
    """Counts for one search: members of all roles by domain, over the domains that count.

    A domain counts where one of its workers could hold a member by itself if every booking were gone.
    """

    def __init__(self, search: Trial) -> None:
        self._search = search
        level = search.sized.workload.spread_over
        assert level is not None  # noqa: S101 (only workloads that spread come here)
        columns = search.snapshot.table.columns
        self._of_row = columns[domain_column(level)]
        self._size = max(1, len(search.snapshot.domains[level]))

    def now(self) -> Balance:
        """As the members stand now."""
        counts = np.zeros(self._size, np.int64)
        rows = self._search.snapshot.rows
        there = {
            (booking.replica, int(self._of_row[rows[booking.worker]]))
            for booking in self._search.held
            if booking.worker in rows
        }
        for _, domain in there:
            if domain != UNKNOWN:
                counts[domain] += 1
        return Balance(counts, int(counts[self.domains].min()) if len(self.domains) else 0)

    def domain_of(self, row: int) -> int:
        """The number of a worker's domain, or UNKNOWN."""
        return int(self._of_row[row])

    @cached_property
    def domains(self) -> Numbers:
        """The domains that count; of a gang that keeps to one domain, those inside."""
        members = self._search.sized.whole.roles
        rows = np.concatenate([self._search.rows_when_empty(role) for role in members])
        found = np.unique(self._of_row[rows])
        named: Numbers = found[found != UNKNOWN].astype(np.int64)
        return named

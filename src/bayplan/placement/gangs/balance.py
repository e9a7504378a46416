"""How many members stand in each domain, for workloads that spread theirs over zones, blocks or racks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import UNKNOWN, domain_column
from bayplan.placement.subject import Balance

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.placement.plans import Member
    from bayplan.placement.search import Search

    Numbers = npt.NDArray[np.int64]


class Balances:
    """Counts for one search: members by domain, over the domains that could hold one if nobody held anything."""

    def __init__(self, search: Search) -> None:
        self._search = search
        level = search.request.workload.spread_over
        assert level is not None  # noqa: S101 (whoever comes here spreads)
        columns = search.snapshot.table.columns
        self._of_row = columns[domain_column(level)]
        self._size = max(1, len(search.snapshot.domains[level]))
        self._eligible: dict[int, Numbers] = {}

    def of(self, member: Member) -> Balance:
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
        eligible = self._domains(member)
        return Balance(counts, int(counts[eligible].min()) if len(eligible) else 0)

    def _domains(self, member: Member) -> Numbers:
        """The domains with a worker that would take the member; of a gang that keeps to one domain, those inside."""
        known = self._eligible.get(id(member))
        if known is None:
            rows = self._search.rows_when_empty(member)
            known = np.unique(self._of_row[rows])
            known = self._eligible[id(member)] = known[known != UNKNOWN].astype(np.int64)
        return known

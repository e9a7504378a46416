"""The constraints of one workload in one try, kept together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.placement.constraints.anti_affinity import Avoidance
from bayplan.placement.constraints.cost_sum import Spending
from bayplan.placement.constraints.spot_share import SpotReplicas
from bayplan.placement.constraints.spread_over import SpreadReplicas
from bayplan.placement.constraints.within import GangDomain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence, Set

    import numpy as np
    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.cycle import Key
    from bayplan.framework.plugins import Filter, IndexArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.constraints.anti_affinity import Named
    from bayplan.placement.constraints.constraint import Constraint
    from bayplan.placement.constraints.within import AllowedDomains


_KINDS = (Avoidance, Spending, SpotReplicas, GangDomain, SpreadReplicas)
FILTERS: tuple[Filter, ...] = tuple(each.filter for each in _KINDS)
"""The plugins of all constraints: every profile has them, and each skips the decisions to which it does not apply."""


class ActiveConstraints:
    """Every rule of a workload about all of its replicas together; a new rule is added here and to `_KINDS`.

    `held` are the workload's own bookings, `named` finds bookings of others by name.
    """

    def __init__(
        self,
        sized: SizedWorkload,
        snapshot: Snapshot,
        named: Named,
        held: Sequence[Booking],
        *,
        rows_when_empty: Callable[[], IndexArray],
        domains: AllowedDomains | None = None,
        affordable: npt.NDArray[np.int64] | None = None,
    ) -> None:
        workload = sized.workload
        self.avoidance = Avoidance(snapshot, workload.id.namespace, named, held)
        self.spending = Spending(snapshot, affordable)
        self.on_spot = SpotReplicas(snapshot, sized)
        self.spread: SpreadReplicas | None = None
        self._all: list[Constraint] = [self.avoidance, self.spending, self.on_spot]
        if domains is not None:
            self._all.append(GangDomain(domains))
        if workload.spread_over is not None:
            self.spread = SpreadReplicas(snapshot, workload.spread_over, rows_when_empty)
            self._all.append(self.spread)
        self._rows = snapshot.rows

    def of(self, asks: Sequence[Ask], *, spread: bool = True) -> Iterator[Constraint]:
        """The rules that apply to replicas with these asks; without `spread`, `spreadOver` is left out."""
        for each in self._all:
            if (spread or each is not self.spread) and each.applies(asks):
                yield each

    def views(self, asks: Sequence[Ask], *, spread: bool = True) -> dict[Key[Any], Any]:
        """The state of these rules now, for the subject of a decision."""
        return {each.key: each.view(asks) for each in self.of(asks, spread=spread)}

    def hold(self, booking: Booking) -> None:
        """Count a further booking of the workload."""
        row = self._rows.get(booking.worker)
        if row is not None:
            for each in self._all:
                each.hold(booking, row)

    def mark(self) -> list[Any]:
        """What was counted so far."""
        return [each.mark() for each in self._all]

    def back_to(self, marks: list[Any]) -> None:
        """Forget what was counted since."""
        for each, mark in zip(self._all, marks, strict=True):
            each.back_to(mark)

    def closed_rows(self, asks: Sequence[Ask]) -> Set[int]:
        """The rows that stay closed to one more replica even if every booking of other workloads is evicted."""
        return frozenset().union(*(each.closed_rows(asks) for each in self.of(asks)))

    def tell_apart(self, asks: Sequence[Ask]) -> bool:
        """Whether some rule tells workers apart that are equal otherwise."""
        return any(each.tells_apart(asks) for each in self.of(asks))

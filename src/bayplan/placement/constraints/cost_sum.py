"""`cost.maxUsdPerHour`: what all workers of a workload cost together, and the only place that adds their prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.events import BOOKING_REMOVED, PRICE_CHANGED, WORKER_ADDED
from bayplan.cluster.worker import uid_hash
from bayplan.cluster.workload import SAME_USD_PER_HOUR
from bayplan.framework.cycle import Key
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.cluster.worker import Worker
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.framework.table import AnyTable
    from bayplan.placement.asks.ask import Ask


@dataclass(frozen=True, slots=True, eq=False)
class Spent:
    """What a workload pays for already: the uid hashes of its workers, and the sum of their prices.

    `affordable`, where it is given, are the workers that it can pay for all together; no other may be used.
    """

    workers: npt.NDArray[np.int64]
    usd_per_hour: float = 0.0
    affordable: npt.NDArray[np.int64] | None = None

    def left(self, limit: float) -> float:
        """What may still be spent on further workers, with the margin by which prices count as equal."""
        return max(0.0, limit - self.usd_per_hour) + SAME_USD_PER_HOUR

    def prices(self, uid_hashes: npt.NDArray[np.int64], usd_per_hour: FloatArray) -> FloatArray:
        """What each of these workers would cost the workload: nothing where it is paid for already."""
        prices: FloatArray = np.where(np.isin(uid_hashes, self.workers), 0.0, usd_per_hour)
        return prices

    def price(self, worker: Worker) -> float:
        """The same of one worker; a price that is not known counts 0."""
        return 0.0 if uid_hash(worker.uid) in self.workers else worker.usd_per_hour or 0.0


SPENT: Key[Spent] = Key("what the workload spends")
NOTHING_SPENT = Spent(np.zeros(0, np.int64))


class CostSum:
    """Refuses a further worker whose price would bring the workload above its `cost.maxUsdPerHour`.

    Workers that it uses already cost nothing more. Skips workloads without a limit.
    """

    name = "cost-sum"
    reads = ("usd_per_hour", "uid_hash")
    depends = Depends.CYCLE
    required = True
    cured_by = (BOOKING_REMOVED, PRICE_CHANGED, WORKER_ADDED)

    def prepare(self, ask: Ask, table: AnyTable, cycle: Cycle) -> object:
        return SKIP if ask.max_usd_per_hour is None else None

    def unread_in_cycle(self, ask: Ask, cycle: Cycle) -> tuple[str, ...]:
        """`uid_hash` is read only if the workload uses some workers already, or may use only some of them."""
        spent = cycle.subject.constraint(SPENT) or NOTHING_SPENT
        return ("uid_hash",) if not len(spent.workers) and spent.affordable is None else ()

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        spent: Spent = cycle.subject.constraint(SPENT) or NOTHING_SPENT
        left = (ask.max_usd_per_hour or 0.0) - spent.usd_per_hour
        affordable: BoolArray = rows.usd_per_hour <= left + SAME_USD_PER_HOUR
        affordable = affordable | np.isin(rows.uid_hash, spent.workers)
        return affordable if spent.affordable is None else affordable & np.isin(rows.uid_hash, spent.affordable)

    def explain(self, ask: Ask, rows: Rows, cycle: Cycle) -> Reasons:
        spent = (cycle.subject.constraint(SPENT) or NOTHING_SPENT).usd_per_hour
        left = (ask.max_usd_per_hour or 0.0) - spent
        return Reasons(
            "cost",
            curable=False,
            unit="USD/h",
            needed=rows.usd_per_hour,
            free=left,
            spent=spent,
            limit=ask.max_usd_per_hour,
            text="costs {needed:g} USD/h; other workers of the workload take {spent:g} of the limit of {limit:g}",
        )


class Spending:
    """The rule in one try. Prices are added in the order of taking: sums of floats depend on it."""

    key = SPENT
    filter = CostSum()

    def __init__(self, snapshot: Snapshot, affordable: npt.NDArray[np.int64] | None = None) -> None:
        self._snapshot, self._affordable = snapshot, affordable
        self._paid: dict[int, float] = {}

    def applies(self, asks: Sequence[Ask]) -> bool:
        return limit_of(asks) is not None

    def view(self, asks: Sequence[Ask]) -> Spent:
        workers = np.fromiter(self._paid, np.int64, len(self._paid))
        return Spent(workers, sum(self._paid.values()), self._affordable)

    def hold(self, booking: Booking, row: int) -> None:
        worker = self._snapshot.workers[row]
        self._paid.setdefault(uid_hash(worker.uid), worker.usd_per_hour or 0.0)

    def mark(self) -> int:
        return len(self._paid)

    def back_to(self, mark: int) -> None:
        while len(self._paid) > mark:  # a dict keeps the order of insertion: the last ones were added since
            self._paid.popitem()

    def closed_rows(self, asks: Sequence[Ask]) -> Set[int]:
        """The workers that cost more than what is left, unless they are paid for."""
        limit = limit_of(asks)
        if limit is None:
            return frozenset()
        spent, columns = self.view(asks), self._snapshot.table.columns
        dear = columns["usd_per_hour"] > limit - spent.usd_per_hour + SAME_USD_PER_HOUR
        return set(np.flatnonzero(dear & ~np.isin(columns["uid_hash"], spent.workers)).tolist())

    def tells_apart(self, asks: Sequence[Ask]) -> bool:
        return self.applies(asks)


def limit_of(asks: Iterable[Ask]) -> float | None:
    """What all workers of replicas with these asks may cost together."""
    return min((ask.max_usd_per_hour for ask in asks if ask.max_usd_per_hour is not None), default=None)


def price_of(workers: Iterable[Worker]) -> float | None:
    """What these workers cost together, each counted once; None where one of the prices is not known."""
    prices = [worker.usd_per_hour for worker in {worker.name: worker for worker in workers}.values()]
    return None if None in prices else sum(price for price in prices if price is not None)

"""Which workers would take a replica once some of their bookings are gone: the real filters, on hypothetical rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.booking import is_avoided
from bayplan.cluster.columns import STATE_NAMES
from bayplan.cluster.workload import SAME_USD_PER_HOUR
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.decision.worker_domains import worker_ask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cluster.workload import Workload
    from bayplan.framework.evaluation.evaluator import Evaluator
    from bayplan.framework.plugins import BoolArray, IndexArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
    from bayplan.placement.decision.planned_cluster import PlannedCluster
    from bayplan.placement.preemption.candidate_victims import CandidateVictims, Cases

_REFUSED = -np.inf
_AT_ONCE = 8192  # rows, so that memory stays small


class HypotheticalRows:
    """One replica of a member, asked of rows of a planner. Nothing is written, nothing to undo.

    What looks at the cycle or at other rows cannot be asked so: `antiAffinity`, `cost.maxUsdPerHour` and
    `cost.maxSpotPercent` are looked at here, in `forced` and `closed`; whoever relies on the answer plans with it,
    which asks everybody.
    """

    def __init__(self, state: PlannedCluster, sized: SizedWorkload, role: SizedRole, field: CandidateVictims) -> None:
        self.field = field
        self._table = state.table
        strategy = state.strategies.strategy(role.shape.strategy)
        checker = state.strategies.checker(strategy)
        asks = ask_tiers(role, state.snapshot).asks
        self.spans = any(ask.spans for ask in asks)
        self._asked: list[tuple[Ask, Evaluator]] = []
        for ask in (worker_ask(each) if each.spans else each for each in asks):
            evaluator: Any = checker.evaluator(variant_of(strategy, ask), state.table)
            self._asked.append((ask, evaluator))
        self._reads = frozenset().union(*(_reads(evaluator) for _, evaluator in self._asked))
        self._state = sorted(self._reads & set(STATE_NAMES))
        self.forced, barred = _avoiding(state, sized.workload.id.namespace, asks, field)
        self.closed = barred | _too_dear(state, sized.workload, asks) | _beyond_share(state, sized)

    def passes(self, cases: Cases) -> BoolArray:
        """Whether each row passes every filter in at least one tier."""
        passed = np.zeros(len(cases.rows), np.bool_)
        if len(passed):
            state = self.field.claims.without(cases.rows, cases.case, cases.claim, self._table, self._state)
            for ask, evaluator in self._asked:
                passed |= evaluator.judge(ask, cases.rows, state)[0] != _REFUSED
        return passed

    def open_below(self, bar: int) -> list[int]:
        """The rows that would do without anybody of no higher priority: asked in one call, however many there are."""
        cases = self.field.all_gone(bar)
        rows: list[int] = cases.rows[self.passes(cases)].tolist()
        return [row for row in rows if self._is_open(row, bar)] if self.closed or self.forced else rows

    def enough(self, sets: Sequence[tuple[int, Iterable[int]]]) -> list[bool]:
        """Whether a row would do without these of its units, for each of many."""
        passed: list[bool] = []
        for begin in range(0, len(sets), _AT_ONCE):
            passed += self.passes(self.field.gone(sets[begin : begin + _AT_ONCE])).tolist()
        return passed

    @property
    def sees_room(self) -> bool:
        """Whether a row would do as it is: then something else is in the way, about which rows cannot be asked."""
        rows = {row for ask, each in self._asked for row in np.flatnonzero(each.sync(ask).levels[0] != _REFUSED)}
        return not rows <= self.closed | self.forced.keys()

    def looks(self, rows: Sequence[int]) -> list[bytes]:
        """What the filters see of each row, bytewise: rows that look alike are answered alike."""
        named = self._reads if any(ask.selected for ask, _ in self._asked) else self._reads - {"uid_hash"}
        columns = self._table.gather(sorted(named & self._table.columns.keys()), np.array(rows, np.intp))
        flat = [np.ascontiguousarray(each).reshape(len(rows), -1).view(np.uint8) for each in columns.values()]
        return [line.tobytes() for line in np.hstack(flat)] if flat else [b""] * len(rows)

    def _is_open(self, row: int, bar: int) -> bool:
        return row not in self.closed and all(
            self.field.units[unit].priority <= bar for unit in self.forced.get(row, ())
        )


def _reads(evaluator: Evaluator) -> set[str]:
    binding = evaluator.binding
    return {name for use in (*binding.filters, *binding.producers) for name in use.reads}


def _avoiding(
    state: PlannedCluster, namespace: str, asks: Sequence[Ask], field: CandidateVictims
) -> tuple[dict[int, set[int]], set[int]]:
    """By row, the units that must go because the workload may not stand beside them; and rows where others stay."""
    names = {name for ask in asks for name in ask.anti_affinity}
    forced: dict[int, set[int]] = {}
    barred: set[int] = set()
    if not names:
        return forced, barred
    units = {id(booking): number for number, unit in enumerate(field.units) for booking in unit.bookings}
    for booking in state.bookings:
        row = state.snapshot.rows.get(booking.worker)
        if row is None or not is_avoided(booking, namespace, names):
            continue
        if (number := units.get(id(booking))) is None:
            barred.add(row)
        else:
            forced.setdefault(row, set()).add(number)
    return forced, barred


def _too_dear(state: PlannedCluster, workload: Workload, asks: Sequence[Ask]) -> set[int]:
    """Rows that the workload cannot pay for beside those it uses already."""
    limits = [ask.max_usd_per_hour for ask in asks if ask.max_usd_per_hour is not None]
    if not limits:
        return set()
    held = {booking.worker for booking in state.index.of(workload.key)}
    used = [row for name in held if (row := state.snapshot.rows.get(name)) is not None]
    spent = sum(state.snapshot.workers[row].usd_per_hour or 0.0 for row in used)
    left = max(limits) - spent + SAME_USD_PER_HOUR
    dear: IndexArray = np.flatnonzero(state.snapshot.table.columns["usd_per_hour"] > left)
    return set(dear.tolist()) - set(used)


def _beyond_share(state: PlannedCluster, sized: SizedWorkload) -> set[int]:
    """Spot workers, where as many replicas of the workload stand on them as may."""
    most = sized.most_on_spot
    if most is None:
        return set()
    spot = state.snapshot.table.columns["spot"]
    rows = state.snapshot.rows
    held = (each for each in state.index.of(sized.workload.key) if each.worker in rows)
    there = {booking.replica for booking in held if spot[rows[booking.worker]]}
    return set(np.flatnonzero(spot).tolist()) if len(there) >= most else set()

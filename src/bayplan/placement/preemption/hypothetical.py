"""Which workers would take a replica once some of their bookings are gone: the real filters, on hypothetical rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import STATE_NAMES
from bayplan.framework.evaluation.folding import matter
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.constraints.active import ActiveConstraints
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.decision.worker_domains import worker_ask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.framework.evaluation.evaluator import Evaluator
    from bayplan.framework.plugins import BoolArray, IndexArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
    from bayplan.placement.constraints.anti_affinity import Avoidance
    from bayplan.placement.decision.planned_cluster import PlannedCluster
    from bayplan.placement.preemption.candidate_victims import CandidateVictims, Cases

_REFUSED = -np.inf  # the total of a row that some filter refuses
_AT_ONCE = 8192  # rows judged in one call: some MB of columns at a time, and the calls are few


class HypotheticalRows:
    """One replica of a member, asked of rows of a planner. Nothing is written, nothing to undo.

    What looks at the cycle or at other rows cannot be asked so: the constraints of the whole workload are looked at
    here, in `forced` and `closed`; an answer that matters is planned with, which asks every plugin.
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
        held = state.ledger.held_by_workload(sized.workload.key)
        constraints = ActiveConstraints(
            sized, state.snapshot, state.ledger.held_by_names, held, rows_when_empty=_unasked
        )
        for booking in held:
            constraints.hold(booking)
        self.forced, barred = _avoiding(constraints.avoidance, asks, field)
        self.closed = barred | constraints.closed_rows(asks)

    def passes(self, cases: Cases) -> BoolArray:
        """Whether each row passes every filter in at least one tier."""
        passed = np.zeros(len(cases.rows), np.bool_)
        if len(passed):
            state = self.field.claims.without(cases.rows, cases.case, cases.claim, self._table, self._state)
            for ask, evaluator in self._asked:
                passed |= evaluator.judge(ask, cases.rows, state)[0] != _REFUSED
        return passed

    def open_below(self, bar: int) -> list[int]:
        """The rows that would take a replica without their units of this priority or a lower one, in one call."""
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
        """The bytes that the filters read of each row: equal bytes get equal answers."""
        named = {name for ask, evaluator in self._asked for name in _matters(evaluator, ask)}
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


def _matters(evaluator: Evaluator, ask: Ask) -> tuple[str, ...]:
    """The columns that can change what the filters say to this ask."""
    binding = evaluator.binding
    return matter((*binding.filters, *binding.producers), ask, tuple(_reads(evaluator)))


def _unasked() -> IndexArray:
    """`spreadOver` closes no row for good, so which domains count is never asked."""
    return np.zeros(0, np.intp)


def _avoiding(
    avoidance: Avoidance, asks: Sequence[Ask], field: CandidateVictims
) -> tuple[dict[int, set[int]], set[int]]:
    """By row, the units that must go because the workload may not be beside them; and rows where others stay."""
    forced: dict[int, set[int]] = {}
    barred: set[int] = set()
    if not avoidance.applies(asks):
        return forced, barred
    units = {id(booking): number for number, unit in enumerate(field.units) for booking in unit.bookings}
    for booking, row in avoidance.bookings(asks):
        if (number := units.get(id(booking))) is None:
            barred.add(row)
        else:
            forced.setdefault(row, set()).add(number)
    return forced, barred

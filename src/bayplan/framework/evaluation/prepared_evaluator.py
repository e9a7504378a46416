"""A profile some of whose plugins may skip: an evaluator for each set of plugins that takes part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.evaluation.binding import MOST_PARTS
from bayplan.framework.evaluation.preparation import Preparation, TableFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.evaluation.classes import Kept
    from bayplan.framework.evaluation.evaluator import Evaluator
    from bayplan.framework.evaluation.stages import Tally
    from bayplan.framework.evaluation.totals import ArrayTotals
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import Column, FloatArray, IndexArray
    from bayplan.framework.table import Table


class PreparedEvaluator:
    """Asks the plugins' `prepare`, then leaves the run to the evaluator of the plugins that take part.

    Where all CYCLE and TABLE plugins skip, that is an evaluator without any: it costs what it would cost if they were
    not in the profile. Sets of plugins that differ in CYCLE and TABLE plugins only share what is kept.
    """

    def __init__(
        self, binding: Binding, table: Table | Fork, make: Callable[[tuple[Bound, ...]], Evaluator], *, tally: Tally
    ) -> None:
        """`make` gives the evaluator of the binding without these plugins."""
        self.binding = binding
        self.table = table
        self.tally = tally
        self._make = make
        self._preparation = Preparation(binding)
        self._facts = TableFacts(table)
        self._parts: dict[tuple[Bound, ...], Evaluator] = {}
        self._homes: dict[tuple[Any, ...], Evaluator] = {}  # by what is kept in them

    def active(self, ask: Hashable, cycle: Cycle) -> Evaluator:
        """The evaluator of the plugins that take part for this ask in this cycle.

        Its `binding.late` says whether any of them looks at the cycle or at other rows, its `binding.inactive` names
        the plugins that skip.
        """
        table = self.table
        if not table.size:  # no row, no question: `prepare` need not think of empty tables
            return self.part(())
        return self.part(self._preparation.skips(ask, table, self._facts, cycle, self.tally))

    def totals(self, ask: Hashable, cycle: Cycle) -> ArrayTotals:
        """As `Evaluator.totals`, of the plugins that take part."""
        return self.active(ask, cycle).totals(ask, cycle)

    def sync(self, ask: Hashable) -> Kept:
        """What is kept for this class: what the STATIC and ROW plugins say that take part."""
        return self._kept_part(ask).sync(ask)

    def judge(self, ask: Hashable, index: IndexArray, state: Mapping[str, Column]) -> list[FloatArray]:
        """As `Evaluator.judge`. Where CYCLE and TABLE plugins may skip, ask the evaluator that `active` gives."""
        if self.binding.late:
            raise self.binding.late_error()
        return self._kept_part(ask).judge(ask, index, state)

    def part(self, skips: tuple[Bound, ...]) -> Evaluator:
        """The evaluator without these plugins."""
        part = self._parts.get(skips)
        if part is None:
            if len(self._parts) >= MOST_PARTS:
                self._parts.clear()
                self._homes.clear()
            part = self._parts[skips] = self._shared(self._make(skips))
        return part

    def _kept_part(self, ask: Hashable) -> Evaluator:
        return self.part(self._preparation.kept_skips(ask, self._facts, self.tally))

    def _shared(self, made: Evaluator) -> Evaluator:
        home = self._homes.setdefault(made.kept_for(), made)
        return made if home is made else home.sharing(made.binding)

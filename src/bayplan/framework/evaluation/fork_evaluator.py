"""A profile over a fork of a table: what is kept begins with what is known of the table itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.evaluation.classes import Classes, Kept, KeptBytes
from bayplan.framework.evaluation.evaluator import Evaluator
from bayplan.framework.evaluation.folding import Folding

if TYPE_CHECKING:
    from collections.abc import Hashable

    from bayplan.framework.fork import Fork


class ForkEvaluator(Evaluator):
    """The same profile on a fork: begins with what the base's evaluator knows, and redoes the rows written since."""

    def __init__(self, base: Evaluator, fork: Fork) -> None:
        self.__dict__.update(base.__dict__)  # forks are many, and what follows from the profile is the same
        self.table = fork
        # of its own, so that forks do not push out the base
        self.classes = Classes(KeptBytes(base.classes.budget.most_bytes))
        self.late_scores = []
        self._folding = Folding(base.binding, fork, self._steady)
        self._readers, self._read_at, self.input_types = [], -1, []  # -1 is no generation: nothing was read yet
        self._base = base
        self._fork = fork

    def _first_sight(self, ask: Hashable) -> Kept:
        self._fork.hold()  # what the base says is of no use once it has moved on
        known = self._base.sync(ask)
        if self.tally.skipped:
            return self._afresh(ask)
        # Columns of row producers are rewritten here; those of static ones cannot change on a fork.
        made = {name: known.made[name].copy() if name in self.binding.kept else known.made[name] for name in known.made}
        kept = Kept(known.bases, [level.copy() for level in known.levels], made)
        kept.static_tick, kept.generation, kept.epochs, kept.tick = known.static_tick, known.generation, known.epochs, 0
        kept.clamped = known.clamped
        if len(self._fork.touched):
            self._redo_rows(kept, ask, self._fork.touched)
        kept.tick = self.table.log.tick
        if self.tally.skipped:
            return self._afresh(ask)
        self.classes.put(ask, kept)
        return kept

    def inputs(self, row: int) -> list[Any]:
        """On a fork, arrays of one row: its columns are patched together when they are looked at."""
        self.input_types = [None] * len(self.binding.inputs)
        return list(self.table.gather(self.binding.inputs, np.array([row])).values())

    def _afresh(self, ask: Hashable) -> Kept:
        """A plugin may be broken on the base and work on the fork, or the reverse: ask about all rows."""
        self.tally.skipped.clear()
        return super()._first_sight(ask)

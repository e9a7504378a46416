"""Answers kept per class of asks, least recently used first out, within a budget of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.evaluation.looks import Folded

if TYPE_CHECKING:
    from collections.abc import Hashable

    from bayplan.framework.plugins import Column, FloatArray


class Kept:
    """What is kept for one class: static sums, totals as of some tick, and the columns its producers made."""

    __slots__ = ("bases", "epochs", "generation", "levels", "looked_at", "made", "nbytes", "static_tick", "tick")

    def __init__(self, bases: list[Any], levels: list[FloatArray], made: dict[str, Any]) -> None:
        """Static sums and made columns are arrays over all rows, or `Folded` where few rows are distinct."""
        self.bases = bases
        self.levels = levels
        self.made = made
        self.tick = self.static_tick = self.generation = -1
        self.epochs: tuple[int, ...] = ()
        self.nbytes = self.looked_at = 0

    def unfold(self) -> None:
        """Hold static answers row by row, so that each may become another."""
        self.bases = [unfolded(base) for base in self.bases]
        self.made = {name: unfolded(column) for name, column in self.made.items()}

    def weigh(self) -> int:
        """Count the bytes that are held now: `made` grows while a class is looked at for the first time."""
        self.nbytes = sum(array.nbytes for array in (*self.bases, *self.levels, *self.made.values()))
        return self.nbytes


def unfolded(column: Any) -> Column:
    """The column over all rows."""
    return column.whole() if isinstance(column, Folded) else column


class Classes:
    """The ask is the class: equal asks are one, and there is no separate key to get wrong."""

    __slots__ = ("_kept", "_looks", "budget_bytes", "nbytes")

    def __init__(self, budget_bytes: int) -> None:
        self._kept: dict[Hashable, Kept] = {}
        self._looks = 0
        self.budget_bytes = budget_bytes
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, ask: Hashable) -> Kept | None:
        """What is kept for this ask, which is thereby the most recently used."""
        kept = self._kept.get(ask)
        if kept is not None:  # a stamp, because moving the ask in an ordered map would hash it once more
            self._looks += 1
            kept.looked_at = self._looks
        return kept

    def put(self, ask: Hashable, kept: Kept) -> None:
        """Keep it; the newest stays even if it alone is over the budget."""
        self.drop(ask)
        self._kept[ask] = kept
        self.nbytes += kept.weigh()
        self._looks += 1
        kept.looked_at = self._looks
        while self.nbytes > self.budget_bytes and len(self._kept) > 1:
            self.drop(min(self._kept, key=lambda each: self._kept[each].looked_at))

    def drop(self, ask: Hashable) -> None:
        """Keep nothing for this ask."""
        kept = self._kept.pop(ask, None)
        if kept is not None:
            self.nbytes -= kept.nbytes

    def clear(self) -> None:
        """Keep nothing at all."""
        self._kept.clear()
        self.nbytes = 0

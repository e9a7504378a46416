"""Answers kept per class of asks, least recently used first out, within a budget of bytes."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakSet

from bayplan.framework.evaluation.looks import Folded

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from bayplan.framework.evaluation.row_loop import RowLoop
    from bayplan.framework.plugins import Column, FloatArray


class Kept:
    """What is kept for one class: static sums, totals as of some tick, and the columns its producers made."""

    __slots__ = (
        "bases", "clamped", "epochs", "generation", "levels", "looked_at", "loop", "made", "nbytes", "static_tick",
        "tick",
    )  # fmt: skip

    def __init__(self, bases: list[Any], levels: list[FloatArray], made: dict[str, Any]) -> None:
        """Static sums and made columns are arrays over all rows, or `Folded` where few rows are distinct."""
        self.bases = bases
        self.levels = levels
        self.made = made
        self.tick = self.static_tick = self.generation = -1  # below every real one, so that it counts as out of date
        self.epochs: tuple[int, ...] = ()
        self.nbytes = self.looked_at = 0
        self.loop: RowLoop | Literal[False] | None = False
        """The loop over its changed rows; None where there is none, False before the first look for one."""
        self.clamped: dict[str, int] = {}  # the scorers that left their scale, and on how many rows

    def unfold(self) -> None:
        """Hold static answers row by row, so that each may become another."""
        self.bases = [unfolded(base) for base in self.bases]
        self.made = {name: unfolded(column) for name, column in self.made.items()}
        self.loop = False  # the loop was bound to the arrays that are replaced here

    def weigh(self) -> int:
        """Count the bytes that are held now: `made` grows while a class is looked at for the first time."""
        self.nbytes = sum(array.nbytes for array in (*self.bases, *self.levels, *self.made.values()))
        return self.nbytes


def unfolded(column: Any) -> Column:
    """The column over all rows."""
    return column.whole() if isinstance(column, Folded) else column


class KeptBytes:
    """Bytes that several `Classes` may hold together; what was least recently used in any of them is dropped first."""

    __slots__ = ("_members", "_oldest", "looks", "most_bytes", "nbytes")

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.nbytes = 0
        self.looks = 0
        self._members: WeakSet[Classes] = WeakSet()  # an evaluator that is gone must not be kept alive by the budget
        self._oldest: list[tuple[int, Classes, Hashable]] = []  # as of some look, the oldest last

    def join(self, classes: Classes) -> None:
        """Let these classes share the budget."""
        self._members.add(classes)
        self._oldest.clear()

    def keep_to(self, newest: Kept) -> None:
        """Drop what is over the budget; the newest stays even if it alone is over it."""
        if self.nbytes <= self.most_bytes:
            return
        self.nbytes = sum(each.nbytes for each in self._members)  # some may be gone, with all that they held
        while self.nbytes > self.most_bytes and (oldest := self._next(newest)) is not None:
            classes, ask = oldest
            classes.drop(ask)

    def _next(self, newest: Kept) -> tuple[Classes, Hashable] | None:
        """The least recently used class; all are put in order only now and then."""
        for _ in range(2):  # once with the order at hand, once with a fresh one; then nothing can be dropped
            while self._oldest:
                stamp, classes, ask = self._oldest.pop()
                # a stamp that differs was used or dropped since
                if stamp != newest.looked_at and classes.looked_at(ask) == stamp:
                    return classes, ask
            stamps = (each for member in self._members for each in member.stamps())
            self._oldest = sorted(stamps, key=itemgetter(0), reverse=True)
        return None


class Classes:
    """The ask is the class: equal asks are one, and there is no separate key to get wrong."""

    __slots__ = ("__weakref__", "_kept", "budget", "nbytes")

    def __init__(self, budget: KeptBytes) -> None:
        self._kept: dict[Hashable, Kept] = {}
        self.budget = budget
        self.nbytes = 0
        budget.join(self)

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, ask: Hashable) -> Kept | None:
        """What is kept for this ask; looking makes it the most recently used one."""
        kept = self._kept.get(ask)
        if kept is not None:  # a stamp, because moving the ask in an ordered map would hash it once more
            self._stamp(kept)
        return kept

    def put(self, ask: Hashable, kept: Kept) -> None:
        """Keep it, within the budget."""
        self.drop(ask)  # replaced, its bytes must not count twice
        self._kept[ask] = kept
        self.nbytes += kept.weigh()
        self.budget.nbytes += kept.nbytes
        self._stamp(kept)
        self.budget.keep_to(kept)

    def _stamp(self, kept: Kept) -> None:
        self.budget.looks += 1
        kept.looked_at = self.budget.looks

    def looked_at(self, ask: Hashable) -> int | None:
        """The number of the look that was the last one at this class."""
        kept = self._kept.get(ask)
        return None if kept is None else kept.looked_at

    def stamps(self) -> Iterator[tuple[int, Classes, Hashable]]:
        """When each class was looked at."""
        return ((kept.looked_at, self, ask) for ask, kept in self._kept.items())

    def drop(self, ask: Hashable) -> None:
        """Keep nothing for this ask."""
        kept = self._kept.pop(ask, None)
        if kept is not None:
            self.nbytes -= kept.nbytes
            self.budget.nbytes -= kept.nbytes

"""Where a node stands in its text: the line of a path, found only when an error needs it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.manifests.paths import Step

_MOST_REMEMBERED = 250_000


def line_and_column(data: bytes, offset: int) -> tuple[int, int]:
    """Counted from one, as editors do; a column is a character."""
    start = data.rfind(b"\n", 0, offset) + 1
    return data.count(b"\n", 0, offset) + 1, len(data[start:offset].decode(errors="replace")) + 1


class Places:
    """The lines of one document, learnt from its text when the first one is asked for.

    A document of usual size is walked once. Of a large one only the first part is remembered, and what stands behind
    it is looked for again each time: a map of everything would weigh more than the document.
    """

    def __init__(self, walk: Callable[[], Iterator[tuple[tuple[Step, ...], int]]]) -> None:
        self._walk = walk
        self._known: dict[tuple[Step, ...], int] = {}
        self._is_complete = False

    def line(self, steps: tuple[Step, ...]) -> int | None:
        """The line of the node, or of the nearest thing around it: a field that is missing has none of its own."""
        if not self._known:
            self._learn()
        if steps not in self._known and not self._is_complete:
            return self._search(steps)
        return next((self._known[around] for around in _outward(steps) if around in self._known), None)

    def _learn(self) -> None:
        self._known.update(islice(self._walk(), _MOST_REMEMBERED))
        self._is_complete = len(self._known) < _MOST_REMEMBERED

    def _search(self, steps: tuple[Step, ...]) -> int | None:
        wanted = set(_outward(steps))
        found = None
        for visited, line in self._walk():
            if visited in wanted:
                found = line
                if visited == steps:
                    break
        return found


def _outward(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    return (steps[:length] for length in range(len(steps), -1, -1))

"""The outcome of a try, or of several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.placement.plans import Replica
    from bayplan.placement.search import Search


@dataclass(slots=True)
class Arranged:
    """The best try so far; `exact` says that no other could hold more members."""

    search: Search
    placed: list[Replica]
    exact: bool = False

    def beats(self, other: Arranged) -> bool:
        """Whether it holds more members."""
        return len(self.placed) > len(other.placed)

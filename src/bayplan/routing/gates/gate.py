"""What stands between a request's arrival and its dispatch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.routing.answer import Answer
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class BandState:
    """A priority band, as documents show it."""

    priority: int
    ceiling: float
    waiting: int


class Gate(Protocol):
    """Lets requests through to the dispatcher. Every request that it takes gets exactly one answer from it."""

    def arrive(self, request: RoutedRequest, now: float) -> Answer | None:
        """A request comes; its answer if there is one at once. `cycle` follows."""
        ...

    def readmit(self, request: RoutedRequest, now: float) -> list[Answer]:
        """A request that waited before another gate: limits do not turn it away."""
        ...

    def cycle(self, now: float) -> list[Answer]:
        """Something happened or time has passed: what expires, and what may be dispatched."""
        ...

    def withdraw(self, id_: str) -> RoutedRequest | None:
        """A request waits no longer, without an answer from here; None where it did not wait."""
        ...

    def waiting(self) -> list[str]:
        """Which requests wait, in the order of their arrival."""
        ...

    def bands(self, now: float) -> Sequence[BandState]:
        """Bands, highest first; none where there are none."""
        ...

    def next_tick_s(self) -> float | None:
        """When `cycle` is worth calling if nothing else happens; None: never."""
        ...

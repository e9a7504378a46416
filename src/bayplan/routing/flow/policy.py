"""The protocols of flow control's policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.routing.flow.band import Band
    from bayplan.routing.requests.routed_request import RoutedRequest


class FairnessPolicy(Protocol):
    """Says which flow of a band is served next. Bands may share it, so what it remembers is by band."""

    name: str

    def next_flow(self, band: Band, now: float) -> str:
        """A flow in which a request waits. Asking changes nothing."""
        ...

    def served(self, band: Band, flow: str) -> None:
        """A request of this flow was dispatched."""


class OrderingPolicy(Protocol):
    """Says in which order the requests of a flow are served; equals in the order of their arrival."""

    name: str

    def key(self, request: RoutedRequest, ttl_s: float | None) -> float:
        """Its place in the order, smallest first; `ttl_s` is how long it may wait."""
        ...


class UsageLimitPolicy(Protocol):
    """Says up to which saturation each band may fill the pool.

    `is_patient` False says that an attempt that failed may succeed a moment later although nothing has changed.
    """

    name: str
    is_patient: bool

    def ceilings(self, priorities: Sequence[int], saturation: float) -> list[float]:
        """One ceiling for each band, highest priority first. Asking changes nothing."""
        ...

    def attempted(self, priority: int) -> None:
        """A request of this band was about to be dispatched, whether the ceiling let it or not."""


class BandPolicy(Protocol):
    """Says which band is served next; without one the highest always is."""

    name: str

    def next_band(self, priorities: Sequence[int]) -> int:
        """One of the bands in which a request waits, given highest first. Asking changes nothing."""
        ...

    def served(self, priority: int, priorities: Sequence[int]) -> None:
        """A request of this band was dispatched while requests waited in these."""

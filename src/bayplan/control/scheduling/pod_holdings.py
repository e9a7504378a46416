"""Which Pod holds which booking of the ledger.

unbound ──assume──► assumed ──the Pod appears bound──► held ──must make room──► leaving ──gone──► (nothing)
                       │ bind failed                     │ ended or gone            │ was spared
                       ▼                                 ▼                          ▼
                    (nothing)                        (nothing)                     held

The store may say that a Pod is bound before the cache does: such a Pod is assumed and `bound` until the cache has seen
it, or has seen that it is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.booking import Booking

    PodName = tuple[str, str]
    """Namespace and name."""


class PodHoldings:
    """Keeps no ledger itself: callers change both together."""

    def __init__(self) -> None:
        self._held: dict[PodName, Booking] = {}
        self._pods: dict[int, PodName] = {}  # by the identity of the booking, which `_held` keeps alive
        self._texts: dict[PodName, str] = {}
        self.assumed: set[PodName] = set()
        self.bound: set[PodName] = set()
        self.leaving: dict[PodName, Booking] = {}

    def __iter__(self) -> Iterator[tuple[PodName, Booking]]:
        return iter(self._held.items())

    def get(self, pod: PodName) -> Booking | None:
        """What a Pod holds, or is about to hold."""
        return self._held.get(pod)

    def pod_of(self, booking: Booking) -> PodName | None:
        """The Pod that holds a booking of the ledger."""
        return self._pods.get(id(booking))

    def text_of(self, pod: PodName) -> str:
        """How the Pod's annotation says what it holds; empty where it does not."""
        return self._texts.get(pod, "")

    def set(self, pod: PodName, booking: Booking, text: str = "") -> None:
        """A Pod holds this; `text` is how its annotation says so."""
        self.drop(pod)
        self._held[pod] = booking
        self._pods[id(booking)] = pod
        self._texts[pod] = text

    def drop(self, pod: PodName) -> Booking | None:
        """A Pod holds nothing any more; what it held."""
        booking = self._held.pop(pod, None)
        if booking is not None:
            del self._pods[id(booking)]
            self._texts.pop(pod, None)
        self.seen_bound(pod)
        return booking

    def seen_bound(self, pod: PodName) -> None:
        """The cache has seen it bound, so it is not assumed any more."""
        self.assumed.discard(pod)
        self.bound.discard(pod)

    def is_known(self, pod: PodName, worker: str, text: str, priority: int | None) -> bool:
        """Whether the Pod holds just what its annotation says, on this worker."""
        held = self._held.get(pod)
        if held is None or not text or held.worker != worker or self._texts.get(pod) != text:
            return False
        return priority is None or priority == held.priority

"""A priority band: the flows of requests of one priority."""

from __future__ import annotations

from bisect import bisect_left, insort
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.routing.flow.flow_settings import BandSettings
    from bayplan.routing.flow.waiting_request import WaitingRequest

SWEEP_FROM = 64
"""Requests that left a heap are swept out when they are more than half of it; below this it is not worth the while."""


class _Flow:
    """The waiting requests of one fairness id, best first. Those that left stay in the heap until they come up."""

    __slots__ = ("heap", "waiting")

    def __init__(self) -> None:
        self.heap: list[WaitingRequest] = []
        self.waiting = 0


class Band:
    """Waiting requests of one priority, by flow. `flows` are the names of flows in which a request waits, sorted."""

    def __init__(self, priority: int, settings: BandSettings) -> None:
        self.priority = priority
        self.settings = settings
        self.waiting = 0
        self.waiting_bytes = 0
        self.flows: list[str] = []
        self._by_name: dict[str, _Flow] = {}
        self._all: list[WaitingRequest] | None = None  # made when somebody asks for the best of all flows

    def add(self, waiting: WaitingRequest) -> None:
        """A request waits here from now on."""
        name = waiting.request.fairness_id
        flow = self._by_name.get(name)
        if flow is None:
            flow = self._by_name[name] = _Flow()
            insort(self.flows, name)
        heappush(flow.heap, waiting)
        if self._all is not None:
            heappush(self._all, waiting)
        flow.waiting += 1
        self.waiting += 1
        self.waiting_bytes += waiting.request.size_bytes

    def remove(self, waiting: WaitingRequest) -> None:
        """A request waits here no longer."""
        waiting.is_gone = True
        name = waiting.request.fairness_id
        flow = self._by_name[name]
        flow.waiting -= 1
        self.waiting -= 1
        self.waiting_bytes -= waiting.request.size_bytes
        if not flow.waiting:
            del self._by_name[name]
            del self.flows[bisect_left(self.flows, name)]
        elif len(flow.heap) > 2 * flow.waiting + SWEEP_FROM:
            flow.heap = _swept(flow.heap)
        if not self.waiting:
            self._all = None
        elif self._all is not None and len(self._all) > 2 * self.waiting + SWEEP_FROM:
            self._all = _swept(self._all)

    def head(self, flow: str) -> WaitingRequest:
        """The first request of a flow in which one waits."""
        return _first(self._by_name[flow].heap)

    def heads(self) -> Sequence[WaitingRequest]:
        """The first request of each flow, in the order of `flows`."""
        return [self.head(name) for name in self.flows]

    def best(self) -> WaitingRequest:
        """The first request of all flows together, of at least one that waits."""
        if self._all is None:
            self._all = _swept([each for flow in self._by_name.values() for each in flow.heap])
        return _first(self._all)


def _swept(heap: list[WaitingRequest]) -> list[WaitingRequest]:
    kept = [each for each in heap if not each.is_gone]
    heapify(kept)
    return kept


def _first(heap: list[WaitingRequest]) -> WaitingRequest:
    while heap[0].is_gone:
        heappop(heap)
    return heap[0]

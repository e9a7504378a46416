"""All requests that wait, in bands, with the limits on how many and for how long."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from bayplan.routing.flow.band import SWEEP_FROM, Band
from bayplan.routing.flow.waiting_request import WaitingRequest

if TYPE_CHECKING:
    from bayplan.routing.flow.flow_settings import FlowSettings
    from bayplan.routing.requests.routed_request import RoutedRequest

_Timed: TypeAlias = "tuple[float, int, WaitingRequest]"


class FlowQueue:
    """Holds requests until they are taken, withdrawn or expired. It never holds more than its settings allow."""

    def __init__(self, settings: FlowSettings) -> None:
        self.settings = settings
        self._waiting: dict[str, WaitingRequest] = {}
        self._bands: dict[int, Band] = {}
        self._priorities: list[int] = []
        self._bytes = 0
        self._most_alone: dict[int, float] = {}  # bytes of a request that finds the queue empty, by priority
        self._arrivals = 0
        self._expiring: list[_Timed] = []
        self._giving_up: list[_Timed] = []
        for priority in settings.bands:
            self._band(priority)

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._waiting

    @property
    def priorities(self) -> list[int]:
        """The bands that are configured or had an arrival, highest first."""
        return self._priorities

    def ids(self) -> list[str]:
        """Which requests wait, in the order of their arrival."""
        return list(self._waiting)

    def waiting_in(self, priority: int) -> int:
        """How many requests wait in a band."""
        return self._bands[priority].waiting

    def is_full_for(self, request: RoutedRequest) -> str | None:
        """Which limit the request would exceed, as a sentence; None: there is room. Its band exists from now on."""
        settings, band = self.settings, self._bands.get(request.priority) or self._band(request.priority)
        limits = (
            ("requests wait in all bands", len(self._waiting) + 1, settings.max_requests),
            ("bytes wait in all bands", self._bytes + request.size_bytes, settings.max_bytes),
            ("requests wait in band {}", band.waiting + 1, band.settings.max_requests),
            ("bytes wait in band {}", band.waiting_bytes + request.size_bytes, band.settings.max_bytes),
        )
        for what, amount, limit in limits:
            if limit is not None and amount > limit:
                return f"with this request {amount:,} {what.format(band.priority)}, and the limit is {limit:,}"
        return None

    def fits_alone(self, request: RoutedRequest) -> bool:
        """Whether the request, while none waits, exceeds no limit."""
        most = self._most_alone.get(request.priority)
        if most is None:
            settings, band = self.settings, self._band(request.priority).settings
            limits = (settings.max_bytes, band.max_bytes)
            most = min([each for each in limits if each is not None], default=inf)
            if 0 in (settings.max_requests, band.max_requests):
                most = -1
            self._most_alone[request.priority] = most
        return request.size_bytes <= most

    def add(self, request: RoutedRequest) -> None:
        """The request waits from now on."""
        self._arrivals += 1
        ttl_s, no_endpoint_ttl_s = self._ttls(request)
        waiting = WaitingRequest(request, self._arrivals, ttl_s, no_endpoint_ttl_s)
        band = self._band(request.priority)
        waiting.key = (band.settings.ordering.key(request, ttl_s), waiting.number)
        band.add(waiting)
        self._waiting[request.id] = waiting
        self._bytes += request.size_bytes
        self._expiring = self._timed(self._expiring, waiting.expires_s, waiting)
        self._giving_up = self._timed(self._giving_up, waiting.gives_up_s, waiting)

    def head(self, now: float) -> WaitingRequest | None:
        """The request that is next; None where none waits."""
        if not self._waiting:
            return None
        filled = [priority for priority in self._priorities if self._bands[priority].waiting]
        policy = self.settings.band_policy
        band = self._bands[filled[0] if policy is None else policy.next_band(filled)]
        return band.head(band.settings.fairness.next_flow(band, now))

    def take(self, waiting: WaitingRequest) -> None:
        """The request is dispatched: the policies hear of it."""
        band = self._bands[waiting.request.priority]
        if self.settings.band_policy is not None:
            filled = [priority for priority in self._priorities if self._bands[priority].waiting]
            self.settings.band_policy.served(band.priority, filled)
        self._remove(waiting)
        band.settings.fairness.served(band, waiting.request.fairness_id)

    def withdraw(self, id_: str) -> RoutedRequest | None:
        """The request waits no longer; None where it did not."""
        waiting = self._waiting.get(id_)
        if waiting is None:
            return None
        self._remove(waiting)
        return waiting.request

    def expired(self, now: float, *, has_endpoints: bool) -> list[RoutedRequest]:
        """The requests that have waited too long, which is another time while no endpoint is ready."""
        heap, found = self._expiring if has_endpoints else self._giving_up, []
        while heap and (heap[0][2].is_gone or heap[0][0] <= now):
            waiting = heappop(heap)[2]
            if not waiting.is_gone:
                self._remove(waiting)
                found.append(waiting.request)
        return found

    def next_expiry_s(self, *, has_endpoints: bool) -> float | None:
        """When the next request expires if nothing else happens; None: never."""
        heap = self._expiring if has_endpoints else self._giving_up
        while heap and heap[0][2].is_gone:
            heappop(heap)
        return heap[0][0] if heap else None

    def _timed(self, heap: list[_Timed], at_s: float, waiting: WaitingRequest) -> list[_Timed]:
        """The heap with a request that expires at a time; requests that left are swept out now and then."""
        if len(heap) > 2 * len(self._waiting) + SWEEP_FROM:
            heap = [each for each in heap if not each[2].is_gone]
            heapify(heap)
        if at_s < inf:
            heappush(heap, (at_s, waiting.number, waiting))
        return heap

    def _ttls(self, request: RoutedRequest) -> tuple[float | None, float | None]:
        own = None if request.ttl_s is None or request.ttl_s <= 0 else request.ttl_s
        ttl_s = self.settings.request_ttl_s if request.ttl_s is None else own
        limits = [each for each in (own, self.settings.no_endpoint_ttl_s) if each is not None]
        return ttl_s, min(limits, default=None)

    def _remove(self, waiting: WaitingRequest) -> None:
        del self._waiting[waiting.request.id]
        self._bytes -= waiting.request.size_bytes
        self._bands[waiting.request.priority].remove(waiting)

    def _band(self, priority: int) -> Band:
        band = self._bands.get(priority)
        if band is None:
            band = self._bands[priority] = Band(priority, self.settings.band(priority))
            self._priorities = sorted(self._bands, reverse=True)
        return band

"""No flow control: requests go at once, or are shed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.routing.answer import SATURATED, Answer

if TYPE_CHECKING:
    from bayplan.routing.dispatcher import Dispatcher
    from bayplan.routing.gates.gate import BandState
    from bayplan.routing.requests.routed_request import RoutedRequest

FULL = 1.0


class OpenGate:
    """Dispatches every request at once; one of priority below 0 is turned away while the pool is saturated."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    def arrive(self, request: RoutedRequest, now: float) -> Answer | None:
        dispatcher = self._dispatcher
        if request.priority >= 0 or not dispatcher.pool.ready or request.headers_only:
            return dispatcher.send(request, now)
        saturation = dispatcher.saturation(now)
        if saturation < FULL:
            return dispatcher.send(request, now, saturation)
        message = f"the pool is saturated ({saturation:.2f}), and priority {request.priority} is below 0"
        return Answer(request, 429, SATURATED, message, saturation=saturation)

    def readmit(self, request: RoutedRequest, now: float) -> list[Answer]:
        answer = self.arrive(request, now)
        return [] if answer is None else [answer]

    def cycle(self, now: float) -> list[Answer]:
        return []

    def withdraw(self, id_: str) -> RoutedRequest | None:
        return None

    def waiting(self) -> list[str]:
        return []

    def bands(self, now: float) -> tuple[BandState, ...]:
        return ()

    def next_tick_s(self) -> float | None:
        return None

"""Answers to requests that have waited too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.routing.answer import NO_ENDPOINTS, TTL_EXPIRED, Answer

if TYPE_CHECKING:
    from bayplan.routing.dispatcher import Dispatcher
    from bayplan.routing.flow.flow_queue import FlowQueue
    from bayplan.routing.requests.routed_request import RoutedRequest


def expired(queue: FlowQueue, dispatcher: Dispatcher, now: float) -> list[Answer]:
    """What expires now leaves the queue: by the request's time, or by another one while no endpoint is ready."""
    has_endpoints = dispatcher.pool.ready > 0
    return [
        _answer(request, dispatcher, now, has_endpoints=has_endpoints)
        for request in queue.expired(now, has_endpoints=has_endpoints)
    ]


def shown_saturation(request: RoutedRequest, dispatcher: Dispatcher, now: float) -> float | None:
    """The saturation where somebody will look at it."""
    return dispatcher.saturation(now) if request.explained else None


def _answer(request: RoutedRequest, dispatcher: Dispatcher, now: float, *, has_endpoints: bool) -> Answer:
    waited_s, saturation = now - request.arrived_s, shown_saturation(request, dispatcher, now)
    if has_endpoints:
        message = f"waited {waited_s:.1f} s, and the pool had no room for it"
        return Answer(request, 429, TTL_EXPIRED, message, saturation=saturation)
    message = f"waited {waited_s:.1f} s, and no endpoint is ready"
    return Answer(request, 503, NO_ENDPOINTS, message, saturation=saturation)

"""One request to a model: where it is, where it was, and who waits for what becomes of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from bayplan.routing.answer import Answer
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.requests.routed_request import RoutedRequest

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle
    from collections.abc import Callable

    from bayplan.gateway.models.loads import Loads
    from bayplan.gateway.models.v2_question import ModelQuestion
    from bayplan.gateway.relay.desk import Asking
    from bayplan.signals.discovery.model_place import ModelPlace

ROUTE_HEADER: Final = "x-seldon-route"
"""Of an answer: the version that served it, as its servers call it."""


class ModelFlight:
    """A request that has not ended. `tried` are the places that failed; `problem` is what the last one said."""

    __slots__ = (
        "_question", "_timer", "asking", "began_s", "is_declined", "is_grpc", "last_place", "model", "place",
        "problem", "then", "tried", "was_ensured",
    )  # fmt: skip

    def __init__(self, asking: Asking, question: ModelQuestion | None, began_s: float, *, is_grpc: bool) -> None:
        self.asking = asking
        self.began_s = began_s
        self.is_grpc = is_grpc
        self.model = ""
        self.place: ModelPlace | None = None
        self.last_place: ModelPlace | None = None
        self.tried: set[tuple[str, str]] = set()
        self.problem = ""
        self.is_declined = False
        """Its last place answered, but not well: that answer is passed on if there is no other place."""
        self.was_ensured = False
        self.then: Callable[[Answer | None], None] | None = None
        """Told what to try after a failure."""
        self._question = question
        self._timer: TimerHandle | None = None

    @property
    def question(self) -> ModelQuestion:
        assert self._question is not None  # noqa: S101 (only refused requests have none)
        return self._question

    def may_go(self, place: ModelPlace) -> bool:
        return (place.replica, place.name) not in self.tried

    def take(self, place: ModelPlace, loads: Loads) -> None:
        """Count it at a place."""
        self.place = self.last_place = place
        loads.begin(place)

    def leave(self, loads: Loads) -> ModelPlace | None:
        """Count it no more; where it was."""
        place, self.place = self.place, None
        if place is not None:
            loads.end(place)
        return place

    def send(self) -> None:
        """Let it go to its place."""
        place = self.place
        assert place is not None  # noqa: S101 (it was taken)
        address = place.grpc if self.is_grpc else place.rest
        self.answer(
            Answer(
                RoutedRequest(self.asking.id), 200, picked=(_endpoint(place.replica, address or ""),),
                response_headers={ROUTE_HEADER: f":{place.name}:"}, path=self.question.path(place.name),
            )
        )  # fmt: skip

    def answer(self, answer: Answer | None) -> None:
        """Tell whoever waits; None: there is nothing else to try."""
        then, self.then = self.then, None
        if then is not None:
            then(answer)
        elif answer is not None:
            self.asking.answered(answer)

    def wake_after(self, loop: AbstractEventLoop, seconds: float, wake: Callable[[ModelFlight], None]) -> None:
        self.sleep_no_more()
        self._timer = loop.call_later(seconds, wake, self)

    def sleep_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@lru_cache(maxsize=4_096)
def _endpoint(replica: str, address: str) -> Endpoint:
    host, _, port = address.rpartition(":")
    return Endpoint(replica, host.strip("[]"), int(port))

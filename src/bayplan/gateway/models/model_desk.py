"""The desk for requests to models by name; every other request is left to the desk behind it."""

from __future__ import annotations

from collections import Counter
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import orjson

from bayplan.gateway.models.loads import Loads
from bayplan.gateway.models.model_flight import ModelFlight
from bayplan.gateway.models.own_answers import own_answer
from bayplan.gateway.models.v2_question import ModelQuestion, QuestionError, is_v2, read_question
from bayplan.gateway.relay.desk import Ending
from bayplan.routing.answer import Answer
from bayplan.routing.requests.routed_request import RoutedRequest

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Iterable

    from bayplan.gateway.models.agents import Agents
    from bayplan.gateway.models.directory import KnownModel, ModelDirectory
    from bayplan.gateway.models.model_figures import ModelFigures
    from bayplan.gateway.relay.desk import Asking, Desk
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.signals.discovery.model_place import ModelPlace

_AGAIN_S: Final = 1.0
"""Between two tries of a request for which every replica failed: its agent may not have noticed."""
_STATUS: Final = "status-"
"""Faults that begin so are answers of a server: what is wrong may be the request."""
_GONE: Final = "status-404"
"""The server does not have the model: it was evicted a moment ago."""
_MOST_LISTED: Final = 20
"""Names in a message."""


class ModelDesk:
    """Takes V2 requests, unless there are engines and no models.

    A model that is being loaded is waited for, `longest_wait_s` at most.
    """

    def __init__(
        self, behind: Desk, directory: ModelDirectory, agents: Agents, figures: ModelFigures, loop: AbstractEventLoop,
        *, longest_wait_s: float = 30.0,
    ) -> None:  # fmt: skip
        self._behind = behind
        self._directory = directory
        self._agents = agents
        self._figures = figures
        self._loop = loop
        self._longest_wait_s = longest_wait_s
        self._loads = Loads()
        self._live: dict[str, ModelFlight] = {}
        self._waiting: dict[str, dict[str, ModelFlight]] = {}
        directory.on_change = self._changed
        figures.ask(self._running, self.waiting)

    # requests

    def ask(self, asking: Asking) -> None:
        if not (is_v2(asking.path) and (self._directory or not any(self._behind.endpoints()))):
            self._behind.ask(asking)
            return
        try:
            question = read_question(asking.path, asking.texts)
        except QuestionError as problem:
            self._refuse(self._new(asking, None), problem.status, problem.message)
            return
        if isinstance(question, ModelQuestion):
            self.ask_model(asking, question)
        else:
            asking.answered(Answer(RoutedRequest(asking.id), 200, body=own_answer(question, self._directory)))

    def ask_model(self, asking: Asking, question: ModelQuestion, *, is_grpc: bool = False) -> None:
        """A request for a model, by REST or by gRPC."""
        flight = self._new(asking, question, is_grpc=is_grpc)
        self._seek(flight)

    def is_ready(self, question: ModelQuestion) -> bool:
        """Whether some replica serves what is asked for."""
        known, version = self._known(question)
        return bool(known.serving(version))

    def first_token(self, asking: Asking) -> None:
        if asking.id not in self._live:
            self._behind.first_token(asking)

    def answered_whole(self, asking: Asking) -> None:
        if asking.id in self._live:
            self.ended(asking, Ending.COMPLETED)
        else:
            self._behind.answered_whole(asking)

    def failed(self, asking: Asking, fault: str, then: Callable[[Answer | None], None]) -> None:
        flight = self._live.get(asking.id)
        if flight is None:
            self._behind.failed(asking, fault, then)
            return
        place = flight.leave(self._loads)
        if place is None:
            then(None)
            return
        self._figures.failed(place, fault)
        flight.then = then
        flight.is_declined = fault.startswith(_STATUS)
        if fault == _GONE and place.agent is not None and not flight.was_ensured:
            self._take(flight, place, is_resident=False)
            return
        if not flight.is_declined:
            self._loads.failed(place, monotonic())
        flight.tried.add((place.replica, place.name))
        self._seek(flight)

    def ended(self, asking: Asking, ending: Ending) -> None:
        flight = self._live.pop(asking.id, None)
        if flight is None:
            self._behind.ended(asking, ending)
            return
        self._stop_waiting(flight)
        place = flight.leave(self._loads) or flight.last_place
        self._figures.ended(flight.model, place, asking.facts(ending), is_grpc=flight.is_grpc)

    def endpoints(self) -> Iterable[Endpoint]:
        return self._behind.endpoints()

    def silent(self, longest_s: float) -> Iterable[str]:
        used = {each.place.rest for each in self._live.values() if each.place is not None and each.place.rest}
        return [*self._behind.silent(longest_s), *self._directory.lost_addresses(used)]

    def shutdown(self) -> None:
        for flight in [each for group in self._waiting.values() for each in group.values()]:
            self._refuse(flight, 503, "the gateway is stopping")

    def live(self) -> int:
        """Requests to models that have not ended."""
        return len(self._live)

    def waiting(self) -> dict[str, int]:
        """Requests that wait for a replica, by model."""
        return {model: len(flights) for model, flights in self._waiting.items()}

    def document(self) -> dict[str, Any]:
        """Every model with its places and figures."""
        running, waiting, ends = Counter(self._running()), self.waiting(), self._figures.ends
        return {
            "models": [
                {
                    "name": name, "running": running[name], "waiting": waiting.get(name, 0),
                    "answered": ends[name, True], "failed": ends[name, False],
                    "places": [_shown(each) for each in known.places.values()],
                }
                for name, known in self._directory.models()
            ]
        }  # fmt: skip

    def _running(self) -> Iterable[str]:
        """The model of every request that a replica has."""
        return [each.model for each in self._live.values() if each.place is not None]

    def _new(self, asking: Asking, question: ModelQuestion | None, *, is_grpc: bool = False) -> ModelFlight:
        self._live[asking.id] = flight = ModelFlight(asking, question, monotonic(), is_grpc=is_grpc)
        return flight

    # where to

    def _seek(self, flight: ModelFlight) -> None:
        """Send a request to a place that it has not tried; else let it wait, or refuse it."""
        question = flight.question
        try:
            known, version = self._known(question)
        except QuestionError as problem:
            self._refuse(flight, problem.status, problem.message)
            return
        flight.model = known.name
        serving = known.serving(version)
        if question.is_readiness:
            self._tell_readiness(flight, known, is_ready=bool(serving))
            return
        untried = [
            each for each in serving if flight.may_go(each) and (each.grpc if flight.is_grpc else each.rest) is not None
        ]
        place = self._loads.choose(untried, monotonic())
        if place is not None:
            self._take(flight, place, is_resident=place.is_resident)
        elif flight.is_declined:
            flight.answer(None)
        elif flight.is_grpc and serving and not flight.tried:
            self._refuse(flight, 503, f"no server that holds model {known.name!r} speaks gRPC; use REST")
        elif flight.tried or known.is_coming(version):
            self._wait(flight, known)
        else:
            self._refuse(flight, 503, f"model {known.name!r} is not served: {flight.problem or known.why_not()}")

    def _known(self, question: ModelQuestion) -> tuple[KnownModel, int | None]:
        """The model that is asked for, and the version if one is."""
        name, version = question.model, question.version
        if question.internal is not None:
            place = self._directory.place_named(question.internal)
            name, version = (place.model, place.version) if place is not None else (question.internal, None)
        known = self._directory.get(name)
        if known is None:
            raise QuestionError(404, f"there is no model {name[:200]!r}; {self._names()}")
        if version is not None and version not in known.versions:
            there = ", ".join(map(str, known.versions)) or "none"
            raise QuestionError(404, f"model {name!r} has no version {version}; there are: {there}")
        return known, version

    def _names(self) -> str:
        names = [name for name, _ in self._directory.models()]
        if not names:
            return "there are none"
        more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
        return f"there are: {', '.join(names[:_MOST_LISTED])}{more}"

    def _take(self, flight: ModelFlight, place: ModelPlace, *, is_resident: bool) -> None:
        self._stop_waiting(flight)
        flight.take(place, self._loads)
        self._agents.used(place)
        if is_resident:
            flight.send()
        else:
            flight.was_ensured = True
            self._agents.ensure(place, partial(self._ensured, flight, place))

    def _ensured(self, flight: ModelFlight, place: ModelPlace, problem: str | None) -> None:
        """The agent has loaded a model that was evicted, or says why not."""
        if self._live.get(flight.asking.id) is not flight:
            return
        if problem is None:
            flight.send()
            return
        flight.leave(self._loads)
        flight.problem = problem
        flight.tried.add((place.replica, place.name))
        self._seek(flight)

    # waiting

    def _wait(self, flight: ModelFlight, known: KnownModel) -> None:
        left_s = flight.began_s + self._longest_wait_s - monotonic()
        if left_s <= 0:
            why = flight.problem or known.why_not()
            self._refuse(flight, 503, f"model {known.name!r} is not served after {self._longest_wait_s:g} s: {why}")
            return
        self._waiting.setdefault(known.name, {})[flight.asking.id] = flight
        flight.wake_after(self._loop, min(left_s, _AGAIN_S) if flight.tried else left_s, self._wake)

    def _wake(self, flight: ModelFlight) -> None:
        flight.tried.clear()
        self._seek(flight)

    def _stop_waiting(self, flight: ModelFlight) -> None:
        flight.sleep_no_more()
        group = self._waiting.get(flight.model)
        if group is not None and group.pop(flight.asking.id, None) is not None and not group:
            del self._waiting[flight.model]

    def _changed(self, model: str) -> None:
        for flight in list(self._waiting.get(model, {}).values()):
            self._wake(flight)

    # answers

    def _tell_readiness(self, flight: ModelFlight, known: KnownModel, *, is_ready: bool) -> None:
        if is_ready:
            body = orjson.dumps({"name": known.name, "ready": True})
            flight.answer(Answer(RoutedRequest(flight.asking.id), 200, body=body))
        else:
            self._refuse(flight, 503, f"model {known.name!r} is not served: {known.why_not()}")

    def _refuse(self, flight: ModelFlight, status: int, message: str) -> None:
        """Say why, in the form of the V2 protocol."""
        self._stop_waiting(flight)
        later = {"retry-after": "1"} if status == 503 else {}
        flight.answer(
            Answer(
                RoutedRequest(flight.asking.id), status, message=message, body=orjson.dumps({"error": message}),
                response_headers=later,
            )
        )  # fmt: skip


def _shown(place: ModelPlace) -> dict[str, Any]:
    return {
        "version": place.version, "replica": place.replica, "state": place.state, "loaded": place.is_loaded,
        "resident": place.is_resident,
    }  # fmt: skip

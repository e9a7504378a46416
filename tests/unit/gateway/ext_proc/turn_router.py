"""A router in memory that takes endpoints in turn, and holds or evicts requests when it is told to."""

from __future__ import annotations

from typing import Any

from bayplan.routing.answer import DESTINATION_HEADER, EVICTED, Answer
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.requests.routed_request import RoutedRequest


class TurnRouter:
    """The methods of `bayplan.routing.router.Router` that a picker uses; `heard` is what it was told of requests."""

    next_tick_at: float | None = None

    def __init__(self, *addresses: str, holds: bool = False, **answer: Any) -> None:
        self.endpoints = [Endpoint(f"e{n}", *_parts(each)) for n, each in enumerate(addresses or ("10.0.0.1:8000",))]
        self.holds = holds
        self.heard: list[Any] = []
        self.requests: list[RoutedRequest] = []
        self.waiting: dict[str, RoutedRequest] = {}
        self.flying: dict[str, str] = {}
        self._answer = answer
        self._count = 0

    def parse(self, id, path, headers, body, now, *, subset=None):  # noqa: A002
        request = RoutedRequest(id, path, headers, size_bytes=len(body), subset=subset, model="m", asked_model="m")
        request.stream = b'"stream"' in body
        request.notes["body"] = body
        if body.startswith(b"bad"):
            return Answer(request, 400, message="this is no JSON")
        return request

    def arrive(self, request, now):
        self.requests.append(request)
        self.waiting[request.id] = request
        return [] if self.holds else self.let_go(request.id)

    def let_go(self, *ids: str) -> list[Answer]:
        """Answers for requests that waited."""
        return [self._decide(self.waiting.pop(each)) for each in ids or list(self.waiting)]

    def _decide(self, request: RoutedRequest) -> Answer:
        if "status" in self._answer:
            return Answer(request, **self._answer)
        picked = self.endpoints[self._count % len(self.endpoints)]
        self._count += 1
        self.flying[request.id] = picked.name
        found = {"picked": (picked,), "headers": {}, **self._answer}
        found["headers"] = {DESTINATION_HEADER: ",".join(each.address for each in found["picked"]), **found["headers"]}
        return Answer(request, 200, **found)

    def evict(self, id: str) -> list[Answer]:  # noqa: A002
        """Take a request's place away."""
        del self.flying[id]
        request = next(each for each in self.requests if each.id == id)
        return [Answer(request, 429, EVICTED, "another one came first")]

    def first_token(self, id, now):  # noqa: A002
        self.heard.append(("first token", id))
        return []

    def complete(self, id, now, *, prompt_tokens=None, completion_tokens=None):  # noqa: A002
        self._end(id)
        self.heard.append(("complete", id, prompt_tokens, completion_tokens))
        return []

    def abort(self, id, now):  # noqa: A002
        self._end(id)
        self.heard.append(("abort", id))
        return []

    def _end(self, id: str) -> None:  # noqa: A002
        self.flying.pop(id, None)
        self.waiting.pop(id, None)

    def served_by(self, id, endpoint, now):  # noqa: A002
        self.heard.append(("served by", id, endpoint))
        self.flying[id] = endpoint

    def endpoint_up(self, endpoint, now):
        return []

    def endpoint_down(self, name, now):
        return []

    def tick(self, now):
        return []

    def shutdown(self, now):
        return [Answer(each, 503, "rejected-shutting-down", "stops") for each in self.waiting.values()]

    def inflight(self):
        return {}


def _parts(address: str) -> tuple[str, int]:
    ip, _, port = address.rpartition(":")
    return ip, int(port)

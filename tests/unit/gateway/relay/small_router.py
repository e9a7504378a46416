"""A router that is small enough to be understood at a glance: round robin, with exact accounts and a hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson

from bayplan.routing.answer import NO_ENDPOINTS, SHUTTING_DOWN, Answer
from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass
class SmallRouter:
    """Has the methods of `bayplan.routing.router.Router` that data planes call.

    Requests wait while `is_holding`. `rewrites` renames models. `events` tells what was called, in order.
    """

    is_holding: bool = False
    rewrites: dict[str, str] = field(default_factory=dict)
    endpoints: dict[str, Any] = field(default_factory=dict)
    flights: dict[str, list[str]] = field(default_factory=dict)
    waiting: dict[str, RoutedRequest] = field(default_factory=dict)
    events: list[tuple[str, ...]] = field(default_factory=list)
    response_headers: dict[str, str] = field(default_factory=dict)
    turn: int = 0
    next_tick_at: float | None = None

    def endpoint_up(self, endpoint, now):
        self.endpoints[endpoint.name] = endpoint
        return self._release()

    def endpoint_down(self, name, now):
        self.endpoints.pop(name, None)
        return []

    def report(self, name, metrics, now):
        return []

    def parse(self, name, path, headers, body, now, *, subset=None):
        request = RoutedRequest(name, path, headers, headers_only=not body, size_bytes=len(body), arrived_s=now)
        if body:
            try:
                document = orjson.loads(body)
            except orjson.JSONDecodeError:
                return Answer(request, 400, message="the body is no JSON")
            request.asked_model = document.get("model")
            request.model = self.rewrites.get(request.asked_model, request.asked_model)
            request.notes["body"] = {**document, "model": request.model}
        return request

    def arrive(self, request, now):
        self.events.append(("arrive", request.id))
        self.waiting[request.id] = request
        return self._release()

    def release(self):
        self.is_holding = False
        return self._release()

    def _release(self):
        if self.is_holding:
            return []
        answers = [self._answer(each, ()) for each in self.waiting.values()]
        self.waiting.clear()
        return answers

    def _answer(self, request, failed):
        open_to = [each for each in self.endpoints.values() if each.ready and each.name not in failed]
        if not open_to:
            return Answer(request, 503, NO_ENDPOINTS, "no endpoint is ready")
        self.turn += 1
        picked = open_to[self.turn % len(open_to)]
        self.flights[request.id] = [*failed, picked.name]
        headers = {"x-gateway-destination-endpoint": picked.address}
        body = orjson.dumps(request.notes["body"]) if request.model != request.asked_model else None
        return Answer(
            request, 200, picked=(picked,), headers=headers, response_headers=dict(self.response_headers), body=body
        )

    def first_token(self, name, now):
        self.events.append(("first_token", name))
        return []

    def complete(self, name, now, *, prompt_tokens=None, completion_tokens=None):
        self.events.append(("complete", name, prompt_tokens, completion_tokens))
        self.flights.pop(name, None)
        return []

    def abort(self, name, now):
        self.events.append(("abort", name))
        self.flights.pop(name, None)
        self.waiting.pop(name, None)
        return []

    def failed(self, name, now):
        self.events.append(("failed", name))
        tried = self.flights.pop(name)
        answer = self._answer(RoutedRequest(name), tried)
        return answer if answer.status == 200 else None

    def tick(self, now):
        return []

    def shutdown(self, now):
        answers = [Answer(each, 503, SHUTTING_DOWN, "the relay stops") for each in self.waiting.values()]
        self.waiting.clear()
        return answers

    def explain(self, answer):
        return {"kind": "Route", "request": answer.request.id, "status": answer.status}

    def inflight(self):
        found = {name: [0, 0] for name in self.endpoints}
        for tried in self.flights.values():
            if tried[-1] in found:
                found[tried[-1]][0] += 1
        return {name: tuple(each) for name, each in found.items()}

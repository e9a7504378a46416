"""`GET /v1/models`: the models of all engines as one list."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import orjson

from bayplan.gateway.relay.fetch import Fetch
from bayplan.gateway.relay.messages.refusals import RefusalError, refusal_body, refusal_headers, whole_answer

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle
    from collections.abc import Iterable

    from bayplan.gateway.relay.client_connection import ClientConnection
    from bayplan.gateway.relay.engine_pool import EnginePool
    from bayplan.gateway.relay.messages.request import Request
    from bayplan.routing.endpoints.endpoint import Endpoint

_LONGEST_S: Final = 3.0
"""For all engines together; what one of them did not say by then is missing."""
_MOST_ENGINES: Final = 64
"""One request of a client makes at most this many requests to engines."""


class ModelsAnswer:
    """One request for the list, on its way to all engines."""

    def __init__(self, client: ClientConnection, request: Request, pool: EnginePool, loop: AbstractEventLoop) -> None:
        self._client = client
        self._request = request
        self._head = request.start + client.forwarded + b"\r\n"
        self._pool = pool
        self._loop = loop
        self._fetches: list[Fetch] = []
        self._bodies: list[bytes | None] = []
        self._missing = 0
        self._is_over = False
        self._timer: TimerHandle | None = None

    def ask(self, endpoints: Iterable[Endpoint]) -> None:
        """Ask every endpoint; the answer follows."""
        asked = list(endpoints)[:_MOST_ENGINES]
        if not asked:
            self._refuse(RefusalError(503, "no endpoint is ready", reason="rejected-no-endpoints"))
            return
        self._bodies = [None] * len(asked)
        self._missing = len(asked)
        for index, endpoint in enumerate(asked):
            self._fetches.append(Fetch(self._pool, endpoint, self._head, partial(self._got, index)))
        self._timer = self._loop.call_later(_LONGEST_S, self._end)
        for each in self._fetches:
            each.begin()

    def _got(self, index: int, body: bytes | None) -> None:
        self._bodies[index] = body
        self._missing -= 1
        if not self._missing:
            self._end()

    def _end(self) -> None:
        if self._is_over:
            return
        self.cancel()
        found = [each for each in map(_models, self._bodies) if each is not None]
        if not found:
            self._refuse(RefusalError(502, "no engine told its models; try again later"))
            return
        merged = {str(each.get("id")): each for models in reversed(found) for each in models}
        body = orjson.dumps({"object": "list", "data": [merged[name] for name in sorted(merged)]})
        self._send(200, body)

    def _refuse(self, refusal: RefusalError) -> None:
        self._send(refusal.status, refusal_body(refusal), refusal_headers(refusal))

    def _send(self, status: int, body: bytes, more: str = "") -> None:
        keeps_alive = self._request.keeps_alive and not self._client.is_draining
        answer = whole_answer(status, body, keeps_alive=keeps_alive, more=more)
        self._client.answer(answer, keeps_alive=keeps_alive)

    # the client's connection calls these

    def cancel(self) -> None:
        """Ask no further."""
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
        for each in self._fetches:
            each.give_up()

    def pause(self) -> None:
        """The answer is short."""

    def resume(self) -> None:
        """The answer is short."""


def _models(body: bytes | None) -> list[dict[str, Any]] | None:
    """The list in an engine's answer; None where it is none."""
    if body is None:
        return None
    try:
        data = orjson.loads(body)["data"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return [each for each in data if isinstance(each, dict)] if isinstance(data, list) else None

"""What every request is measured by: its verb, what it is about, its answer and its time."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from bayplan.telemetry.api_metrics import ApiMetrics

ASKED = "asked"
"""In the state of a request: its verb and its resource, once the path was understood."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FIRST_WORDS = frozenset({"api", "apis", "openapi", "version", "metrics", "livez", "readyz", "healthz"})
_OWN_VERBS = frozenset(
    {"plan", "why", "gpus", "queue", "ledger", "records", "doctor", "backup", "tokens", "workers", "replay", "snapshot"}
)
_OTHER = "other"
_CUT_OFF = 499  # the client went away before it was answered; the number that proxies use for it


class RequestMeter:
    """Wraps the application and its guard, so that refused requests are counted too."""

    def __init__(self, app: ASGIApp, metrics: ApiMetrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        code = _CUT_OFF

        def sent(message: Message) -> Awaitable[None]:
            nonlocal code
            if message["type"] == "http.response.start":
                code = message["status"]
            return send(message)

        metrics, started = self._metrics, perf_counter()
        metrics.in_flight += 1
        try:
            await self._app(scope, receive, sent)
        finally:
            metrics.in_flight -= 1
            asked = scope["state"].get(ASKED)
            verb, resource = asked if asked is not None else _by_path(scope["method"], scope["path"])
            metrics.finished(verb, resource, code, perf_counter() - started)


def _by_path(method: str, path: str) -> tuple[str, str]:
    """Of a path that is not about objects; only words that are known, because clients may write anything."""
    verb = method.lower() if method in _METHODS else _OTHER
    first, second, *_ = (*path.removeprefix("/").split("/", 2), "")
    if first == "v1" and second in _OWN_VERBS:
        return verb, f"v1/{second}"
    return verb, first if first in _FIRST_WORDS else _OTHER

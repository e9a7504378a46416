"""The port for operators: metrics, health, endpoints, and decisions that were kept."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

import orjson

from bayplan.gateway.relay.messages.known_requests import KnownRequests
from bayplan.gateway.relay.messages.refusals import JSON, RefusalError, refusal_body, whole_answer
from bayplan.gateway.relay.settings import Limits, Patience
from bayplan.telemetry.metrics.exposition import Style, accepted_style

if TYPE_CHECKING:
    from bayplan.gateway.relay.client_connection import ClientConnection
    from bayplan.gateway.relay.decision_records import DecisionRecords
    from bayplan.gateway.relay.desk import FrontDesk
    from bayplan.gateway.relay.local_desk import LocalDesk
    from bayplan.gateway.relay.messages.request import Request
    from bayplan.telemetry.metrics.registry import Metrics

_TEXT: Final = "text/plain; charset=utf-8"
_NEWEST: Final = 100
_DECISIONS: Final = "/decisions/"


class Draining(Protocol):
    """Something that may be about to stop."""

    is_draining: bool


class AdminService:
    """Answers at once; it has limits of its own, so that clients of the relay cannot lock operators out."""

    def __init__(self, metrics: Metrics, desk: LocalDesk, service: Draining, records: DecisionRecords) -> None:
        self.limits = Limits(body_bytes=1024 * 1024, connections=256)
        self.known = KnownRequests(self.limits)
        self.patience = Patience()
        self.is_draining = False
        self.connections: set[ClientConnection] = set()
        self._metrics = metrics
        self._desk = desk
        self._service = service
        self._records = records
        self.front: FrontDesk | None = None
        """The desk for models by name, where there is one."""

    def joined(self, connection: ClientConnection) -> bool:
        self.connections.add(connection)
        return len(self.connections) <= self.limits.connections

    def left(self, connection: ClientConnection) -> None:
        self.connections.discard(connection)

    def has_room(self, body_bytes: int) -> bool:
        return True

    def cut_slow_client(self) -> None:
        """Nothing to count."""

    def refused(self, status: int) -> None:
        """Nothing to count."""

    def begin(self, request: Request, body: bytes, connection: ClientConnection) -> None:
        kind = JSON
        try:
            kind, told = self._answer(request)
            status = 200
        except RefusalError as refusal:
            status, told = refusal.status, refusal_body(refusal)
        answer = whole_answer(
            status, told, keeps_alive=request.keeps_alive, content_type=kind, is_head=request.method == b"HEAD"
        )
        connection.answer(answer, keeps_alive=request.keeps_alive)

    def _answer(self, request: Request) -> tuple[str, bytes]:
        path = request.path
        if request.method not in (b"GET", b"HEAD"):
            raise RefusalError(405, f"{request.method.decode()} is not answered here; use GET")
        if path == "/metrics":
            style = self._style(request)
            return style.value, self._metrics.text(style).encode()
        if path in ("/healthz", "/livez"):
            return _TEXT, b"ok\n"
        if path == "/readyz":
            return _TEXT, self._readiness()
        if path in ("/endpoints", "/models"):
            return JSON, orjson.dumps(self._world() if path == "/endpoints" else self._models())
        if path == "/decisions":
            return JSON, orjson.dumps({"decisions": self._records.newest(_NEWEST)}, default=str)
        if path.startswith(_DECISIONS):
            return JSON, self._decision(path.removeprefix(_DECISIONS))
        raise RefusalError(
            404, "there are /metrics, /healthz, /readyz, /endpoints, /models, /decisions and /decisions/ID"
        )

    def _world(self) -> dict[str, Any]:
        return {"endpoints": self._endpoints(), "held": self._desk.waiting()}

    def _models(self) -> dict[str, Any]:
        return {"models": []} if self.front is None else self.front.document()

    def _style(self, request: Request) -> Style:
        accepted = b",".join(value for name, value in request.headers if name.lower() == b"accept")
        return accepted_style(accepted.decode("latin-1"))

    def _readiness(self) -> bytes:
        """Ready: not stopping. A pool without endpoints is ready too, because requests may wait for the first one."""
        if self._service.is_draining:
            raise RefusalError(503, "the relay is stopping")
        return b"ok\n"

    def _decision(self, request_id: str) -> bytes:
        found = self._records.get(request_id)
        if found is None:
            raise RefusalError(404, f"no decision about {request_id[:200]!r} is kept")
        return orjson.dumps(found, default=str)

    def _endpoints(self) -> list[dict[str, Any]]:
        inflight, reports = self._desk.inflight(), self._desk.reports()
        figures, now_s = self._desk.figures(), monotonic()
        found = []
        for endpoint in self._desk.all_endpoints():
            requests, tokens = inflight.get(endpoint.name, (0, 0))
            report = reports.get(endpoint.name)
            known = None if report is None else {
                "waiting": report.waiting, "running": report.running, "kvCacheUsage": report.kv_usage,
            }  # fmt: skip
            found.append(
                {
                    "name": endpoint.name, "address": endpoint.address, "ready": endpoint.ready,
                    "inflight": {"requests": requests, "tokens": tokens}, "metrics": known,
                    "lately": figures[endpoint.name].document(now_s),
                }
            )  # fmt: skip
        return found

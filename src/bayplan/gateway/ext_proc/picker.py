"""A picker that listens: the router, its desk, the service for gateways and their ports in one object."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.gateway.ext_proc.answer_replies import AnswerReplies
from bayplan.gateway.ext_proc.body_mode import DUPLEX, Modes
from bayplan.gateway.ext_proc.body_room import BodyRoom
from bayplan.gateway.ext_proc.context import Context
from bayplan.gateway.ext_proc.server import ExtProcServer
from bayplan.gateway.http2.limits import Limits
from bayplan.gateway.http2.protocol import Patience
from bayplan.gateway.relay.admin import AdminService
from bayplan.gateway.relay.decision_records import DecisionRecords
from bayplan.gateway.relay.listening import listen
from bayplan.gateway.relay.local_desk import LocalDesk
from bayplan.gateway.relay.settings import MIB, Records
from bayplan.telemetry.metrics import routing_catalogue
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.routing_metrics import RoutingMetrics

if TYPE_CHECKING:
    from bayplan.routing.answer import Answer
    from bayplan.routing.router import Router


@dataclass(frozen=True, slots=True)
class PickerSettings:
    """What a picker may be told.

    `modes` hold for gateways that do not say theirs. With `tells_scores` gateways are told what every candidate was
    worth, which costs more than the decision. With `asks_notes` an Envoy of ours is asked to tell the first tokens of
    streams.
    """

    modes: Modes = DUPLEX
    body_bytes: int = 32 * MIB
    bodies_bytes: int = 1024 * MIB
    tells_scores: bool = False
    asks_notes: bool = False
    limits: Limits = field(default_factory=Limits)
    patience: Patience = field(default_factory=Patience)
    records: Records = field(default_factory=Records)
    drain_s: float = 8.0


class Picker:
    """A picker in this process. What happens to endpoints is told to its `desk`; then `ready` is called.

    All of it belongs to one event loop.
    """

    def __init__(self, router: Router, settings: PickerSettings | None = None) -> None:
        self.settings = told = settings or PickerSettings()
        self.metrics = Metrics(routing_catalogue.ALL)
        # scores are read from explained decisions, so each one has to be
        self.records = DecisionRecords(Records(every=1) if told.tells_scores else told.records)
        self.is_draining = False
        self._is_ready = False
        self._router = router
        observed = RoutingMetrics(self.metrics)
        self.desk = LocalDesk(router, observed, self.records, asyncio.get_running_loop())
        self._room = BodyRoom(told.body_bytes, told.bodies_bytes)
        replies = AnswerReplies(self._scores if told.tells_scores else None)
        context = Context(self.desk, observed, replies, self._room, told.modes, told.asks_notes)
        self.server = ExtProcServer(context, lambda: self.is_ready, limits=told.limits, patience=told.patience)
        self._admin = AdminService(self.metrics, self.desk, self, self.records)
        self._admin_listener: asyncio.Server | None = None
        self.metrics.ask("picker", self._measure)

    @property
    def is_ready(self) -> bool:
        """Whether gateways should ask here."""
        return self._is_ready and not self.is_draining

    def ready(self) -> None:
        """The endpoints are known: tell whoever watches."""
        self._is_ready = True
        self.server.health.tell()

    async def start_admin(self, host: str, port: int) -> int:
        """Answer operators at an address; the port."""
        self._admin_listener = await listen(self._admin, host, port, flag="--admin-port")
        taken: int = self._admin_listener.sockets[0].getsockname()[1]
        return taken

    async def stop(self) -> None:
        """Refuse what waits, let requests in flight end for a while, and close."""
        self.is_draining = True
        self.server.health.tell()
        await self.server.stop(self.settings.drain_s)
        self.desk.close()
        if self._admin_listener is not None:
            self._admin_listener.close()
        for connection in tuple(self._admin.connections):
            connection.cut()

    def _measure(self) -> None:
        gauge = self.metrics.gauge
        gauge(routing_catalogue.STREAMS).set(self.server.open_streams)
        gauge(routing_catalogue.GATEWAYS).set(self.server.connections)
        gauge(routing_catalogue.PICKER_BODIES).set(self._room.held_bytes)

    def _scores(self, answer: Answer) -> dict[str, float]:
        """What each candidate was worth, by address."""
        known = {each.name: each.address for each in self.desk.all_endpoints()}
        table = self._router.explain(answer)["endpoints"]
        return {
            known[each["endpoint"]]: float(each["total"])
            for each in table
            if each["total"] is not None and each["endpoint"] in known
        }

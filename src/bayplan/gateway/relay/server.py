"""A relay that listens: the router, its desk, the service and their ports in one object."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from bayplan.gateway.relay.admin import AdminService
from bayplan.gateway.relay.decision_records import DecisionRecords
from bayplan.gateway.relay.listening import listen
from bayplan.gateway.relay.local_desk import LocalDesk
from bayplan.gateway.relay.relay_service import RelayService
from bayplan.gateway.relay.settings import Settings
from bayplan.gateway.relay.sharing.owner import Owner
from bayplan.telemetry.metrics import routing_catalogue
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.routing_metrics import RoutingMetrics

if TYPE_CHECKING:
    import ssl
    from pathlib import Path

    from bayplan.gateway.relay.desk import FrontDesk
    from bayplan.routing.router import Router

_log = logging.getLogger("bayplan.gateway")
_LAST_WORDS_S: Final = 0.5
"""Of the time for a drain: for the refusals of requests that still wait then."""


class Relay:
    """A relay in this process. What happens to endpoints is told to its `desk`.

    `start` listens, `stop` answers what was asked before and closes. All of it belongs to one event loop.
    """

    def __init__(self, router: Router, settings: Settings | None = None, metrics: Metrics | None = None) -> None:
        self.settings = settings or Settings()
        self.metrics = metrics or Metrics(routing_catalogue.ALL)
        self.records = DecisionRecords(self.settings.records)
        loop = asyncio.get_running_loop()
        observed = RoutingMetrics(self.metrics)
        self.desk = LocalDesk(router, observed, self.records, loop)
        self.service = RelayService(self.desk, self.settings, observed, loop)
        self.desk.on_gone = lambda endpoint: self.service.pool.forget(endpoint.address)
        self._admin = AdminService(self.metrics, self.desk, self.service, self.records)
        self._listeners: list[asyncio.Server] = []
        self._observed = observed
        self._owner: Owner | None = None
        self._front: FrontDesk | None = None
        observed.ask_relay(self._state, lambda: len(self.records))

    def place_before(self, desk: FrontDesk) -> None:
        """Let another desk hear of every request first; to be called before `share`."""
        self._front = self.service.desk = self._admin.front = desk

    async def start(self, host: str, port: int, *, tls: ssl.SSLContext | None = None, shares_port: bool = False) -> int:
        """Answer requests at an address; the port, which is a free one where 0 is asked for."""
        self.service.start()
        listener = await listen(self.service, host, port, tls=tls, shares_port=shares_port)
        self._listeners.append(listener)
        return _port_of(listener)

    async def start_admin(self, host: str, port: int) -> int:
        """Answer operators at an address; the port."""
        listener = await listen(self._admin, host, port, flag="--admin-port")
        self._listeners.append(listener)
        return _port_of(listener)

    async def share(self, path: Path) -> None:
        """Let other processes ask this one's router, at a UNIX socket."""
        self._owner = Owner(self.desk, self._observed, self.settings.patience.stuck_s, front=self._front)
        await self._owner.listen(path)

    def _state(self) -> dict[str, int]:
        """Figures of all processes together."""
        owner = self._owner
        own = self.service.state()
        return own if owner is None else {name: value + owner.state(name) for name, value in own.items()}

    async def stop(self) -> None:
        """Take no more connections, answer what was asked, and close; in `drain_s` at most."""
        await self.drain()
        self.close()

    async def drain(self) -> None:
        """Take no more connections and answer what was asked; what still waits at the end is refused."""
        for each in self._listeners:
            each.close()
        longest_s = self.settings.patience.drain_s
        last_words_s = min(_LAST_WORDS_S, longest_s / 2)
        if not await self.service.drain(longest_s - last_words_s):
            self.desk.shutdown()
            if self._front is not None:
                self._front.shutdown()
            if not await self.service.drain(last_words_s):
                _log.warning("%d connections were cut off after %g s", len(self.service.connections), longest_s)

    def close(self) -> None:
        """Break off what is left."""
        if self._owner is not None:
            self._owner.close()
        self.desk.close()
        self.service.close()
        for connection in tuple(self._admin.connections):
            connection.cut()


def _port_of(listener: asyncio.Server) -> int:
    port: int = listener.sockets[0].getsockname()[1]
    return port

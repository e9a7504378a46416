"""A relay process without a router of its own."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from bayplan.gateway.relay.listening import listen
from bayplan.gateway.relay.relay_service import RelayService
from bayplan.gateway.relay.sharing.remote_desk import RemoteDesk

if TYPE_CHECKING:
    import ssl
    from pathlib import Path

    from bayplan.gateway.relay.settings import Settings

_log = logging.getLogger("bayplan.gateway")
_STATE_S: Final = 1.0


class RelayWorker:
    """Listens at a port that it shares with the owner of the router, which it asks for every request."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._listener: asyncio.Server | None = None
        self._telling: asyncio.TimerHandle | None = None

    async def start(self, owner: Path, host: str, port: int, *, tls: ssl.SSLContext | None = None) -> None:
        """Connect to the owner at its UNIX socket, then listen."""
        self.desk = await RemoteDesk.connect(owner)
        self.service = RelayService(self.desk, self._settings, self.desk, self._loop)
        self.service.start()
        self._listener = await listen(self.service, host, port, tls=tls, shares_port=True)
        self._tell()

    def _tell(self) -> None:
        self.desk.tell_state(self.service.state())
        self._telling = self._loop.call_later(_STATE_S, self._tell)

    async def stop(self) -> None:
        """Take no more connections, answer what was asked, and close."""
        if self._listener is not None:
            self._listener.close()
        if self._telling is not None:
            self._telling.cancel()
        longest_s = self._settings.patience.drain_s
        if not await self.service.drain(longest_s):
            _log.warning("%d connections were cut off after %g s", len(self.service.connections), longest_s)
        self.service.close()
        self.desk.close()

"""What a relay is told of the world: endpoints of a file, their metrics and their health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bayplan.signals.address_guard import AddressGuard
from bayplan.signals.directory import Directory
from bayplan.signals.discovery.endpoints_file import FileDiscovery
from bayplan.signals.endpoint_health import EndpointHealth
from bayplan.signals.scraping.scraper import Scraper

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan.gateway.relay.local_desk import LocalDesk


class Plane(Protocol):
    """A relay, or a picker."""

    desk: LocalDesk


class FileWorld:
    """The endpoints of a file, which may change while the relay runs."""

    def __init__(self, path: Path, guard: AddressGuard | None = None) -> None:
        self._path = path
        self._guard = guard or AddressGuard()

    async def start(self, plane: Plane) -> None:
        """Tell it of the endpoints, and of what becomes of them from now on."""
        desk = plane.desk
        directory = Directory(desk, self._guard)
        self._health = EndpointHealth(directory.leave_out)
        self._scraper = Scraper(desk, probes=self._health)
        directory.follow(self._health, self._scraper)
        desk.health = self._health
        self._discovery = FileDiscovery(self._path, directory, self._guard)
        await self._discovery.start()

    async def stop(self) -> None:
        await self._discovery.stop()
        self._scraper.close()
        self._health.close()

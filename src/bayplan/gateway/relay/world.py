"""What a data plane is told of the world: its endpoints, what they say, and its configuration when that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bayplan.control.cache import Cache
from bayplan.gateway.relay.config_follower import ConfigFollower
from bayplan.signals.discovery.endpoints_file import FileDiscovery
from bayplan.signals.discovery.pool import PoolDiscovery
from bayplan.signals.discovery.replicas import ReplicaDiscovery
from bayplan.signals.signals import Signals, SignalSettings
from bayplan.stores.server_objects import ServerObjects

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bayplan.gateway.relay.local_desk import LocalDesk
    from bayplan.routing.config.routing_config import RoutingConfig


class Plane(Protocol):
    """A data plane."""

    @property
    def desk(self) -> LocalDesk: ...


class Discovery(Protocol):
    """Finds endpoints, and puts them into the directory of `signals`."""

    async def start(self, signals: Signals) -> None: ...

    async def stop(self) -> None: ...


class World:
    """Signals and discoveries for one data plane. `config_file` is followed: requests are not lost when it changes."""

    def __init__(
        self,
        discoveries: Sequence[Discovery],
        config: RoutingConfig | None = None,
        *,
        config_file: Path | None = None,
        settings: SignalSettings | None = None,
    ) -> None:
        self._discoveries = discoveries
        self._config, self._config_file = config, config_file
        self._settings = settings or SignalSettings()
        self._follower: ConfigFollower | None = None

    async def start(self, plane: Plane) -> None:
        """Tell the plane of its endpoints, and of what becomes of them from now on."""
        desk = plane.desk
        self._signals = signals = Signals(desk, self._config, settings=self._settings)
        desk.health = signals.health
        await signals.start()
        for each in self._discoveries:
            await each.start(signals)
        if self._config_file is not None and self._config is not None:

            async def take(config: RoutingConfig) -> None:
                desk.reconfigure(config)
                await signals.reconfigure(config)

            self._follower = ConfigFollower(self._config_file, self._config, take)
            self._follower.start()

    async def stop(self) -> None:
        if self._follower is not None:
            await self._follower.stop()
        for each in self._discoveries:
            await each.stop()
        await self._signals.stop()


class EndpointsOfFile:
    """The endpoints of a file, which is read again when it changes."""

    def __init__(self, path: Path, settings: SignalSettings | None = None) -> None:
        self._path = path
        self._guard = (settings or SignalSettings()).guard
        self._discovery: FileDiscovery | None = None

    async def start(self, signals: Signals) -> None:
        self._discovery = FileDiscovery(self._path, signals.directory, self._guard)
        await self._discovery.start()

    async def stop(self) -> None:
        if self._discovery is not None:
            await self._discovery.stop()


class EndpointsOfServer:
    """Pods of a running server: those of an InferencePool, or Bayplan's own replicas of a workload or namespace."""

    def __init__(
        self,
        locate: Callable[[], tuple[str, str, str]],
        *,
        pool: str = "",
        workload: str = "",
        namespace: str = "default",
    ) -> None:
        self._objects = ServerObjects(locate)
        self._pool, self._workload, self._namespace = pool, workload, namespace
        self._cache: Cache | None = None

    async def start(self, signals: Signals) -> None:
        directory, namespace = signals.directory, self._namespace
        if self._pool:
            self._cache = Cache(self._objects, PoolDiscovery.collections)
            PoolDiscovery(self._cache, directory, pool=self._pool, namespace=namespace)
        else:
            self._cache = Cache(self._objects, ReplicaDiscovery.collections)
            ReplicaDiscovery(self._cache, directory, workload=self._workload, namespace=namespace)
        await self._cache.start()

    async def stop(self) -> None:
        if self._cache is not None:
            await self._cache.stop()
        await self._objects.close()


class FileWorld(World):
    """The endpoints of one file, and nothing else."""

    def __init__(self, path: Path, config: RoutingConfig | None = None) -> None:
        super().__init__((EndpointsOfFile(path),), config)

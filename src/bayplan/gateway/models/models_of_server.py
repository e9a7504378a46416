"""The models of a running server, put before the router of a relay."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from bayplan.control.cache import Cache
from bayplan.control.store_errors import StoreError
from bayplan.gateway.models.agents import Agents
from bayplan.gateway.models.directory import ModelDirectory
from bayplan.gateway.models.model_desk import ModelDesk
from bayplan.gateway.models.model_figures import ModelFigures
from bayplan.signals.discovery.served_models import ServedModelDiscovery
from bayplan.stores.server_objects import ServerObjects

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.gateway.models.grpc_service import GrpcService
    from bayplan.gateway.relay.server import Relay

_AGAIN_S: Final = 30.0
_log = logging.getLogger("bayplan.gateway")


class ModelsOfServer:
    """Follows the Models and ServerReplicas of one namespace, and sends V2 requests to where models are loaded.

    `grpc_port` None: REST alone.
    """

    def __init__(
        self, locate: Callable[[], tuple[str, str, str]], *, namespace: str = "default", longest_wait_s: float = 30.0,
        grpc_host: str = "127.0.0.1", grpc_port: int | None = None,
    ) -> None:  # fmt: skip
        self._objects = ServerObjects(locate)
        self._namespace = namespace
        self._longest_wait_s = longest_wait_s
        self._grpc_host, self._grpc_port = grpc_host, grpc_port
        self._grpc: GrpcService | None = None
        self._again: asyncio.Task[None] | None = None

    async def start(self, relay: Relay, say: Callable[[str], None]) -> None:
        """Serve models; a server that knows no such objects, as Kubernetes without our kinds, is asked again later."""
        directory = ModelDirectory()
        self._agents = Agents(self._longest_wait_s)
        self._cache = Cache(self._objects, ServedModelDiscovery.collections)
        ServedModelDiscovery(self._cache, directory, namespace=self._namespace)
        desk = ModelDesk(
            relay.desk, directory, self._agents, ModelFigures(relay.metrics), asyncio.get_running_loop(),
            longest_wait_s=self._longest_wait_s,
        )  # fmt: skip
        relay.place_before(desk)
        self._patience = relay.settings.patience
        if self._grpc_port is not None:
            from bayplan.gateway.models.grpc_service import GrpcService  # noqa: PLC0415 (an extra)

            self._grpc = GrpcService(desk, directory, message_bytes=relay.settings.limits.body_bytes)
            say(f"grpc {self._grpc_host}:{await self._grpc.start(self._grpc_host, self._grpc_port)}")
        try:
            await self._cache.start()
        except StoreError as problem:
            _log.warning("models are not served by name yet: %s", problem)
            self._again = asyncio.create_task(self._start_later(), name="models of a server")

    async def _start_later(self) -> None:
        while True:
            await asyncio.sleep(_AGAIN_S)
            await self._cache.stop()
            try:
                await self._cache.start()
            except StoreError as problem:
                _log.debug("models are still not served by name: %s", problem)
            else:
                _log.info("models are served by name now")
                return

    async def drain(self) -> None:
        if self._grpc is not None:
            await self._grpc.stop(self._patience.drain_s)

    async def stop(self) -> None:
        if self._again is not None:
            self._again.cancel()
            await asyncio.gather(self._again, return_exceptions=True)
        await self._cache.stop()
        await self._agents.close()
        await self._objects.close()

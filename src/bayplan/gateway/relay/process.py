"""A relay as a process of its own: it serves until a signal, and stops in order."""

from __future__ import annotations

import asyncio
import gc
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from bayplan.gateway.relay.listening import server_tls
from bayplan.gateway.relay.server import Relay
from bayplan.gateway.relay.sharing.worker import RelayWorker
from bayplan.gateway.relay.sharing.worker_processes import WorkerProcesses
from bayplan.telemetry.process_metrics import LoopDelay, ask_process

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Sequence

    from bayplan.gateway.relay.settings import Settings
    from bayplan.gateway.relay.world import World
    from bayplan.routing.router import Router

_SOCKET: Final = "router"


class Part(Protocol):
    """Something beside the router that a relay serves with."""

    async def start(self, relay: Relay, say: Callable[[str], None]) -> None:
        """Begin, before the relay listens; `say` is told of ports."""

    async def drain(self) -> None:
        """Answer what was asked, while the relay does the same."""

    async def stop(self) -> None:
        """End, after the relay has answered what was asked."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Where a relay listens; port 0 takes a free one, and an admin port of None is none."""

    host: str = "127.0.0.1"
    port: int = 7080
    admin_port: int | None = None
    certificate: Path | None = None
    key: Path | None = None

    def tls(self) -> ssl.SSLContext | None:
        """What the certificate makes possible; None without one."""
        return None if self.certificate is None else server_tls(self.certificate, self.key)

    def url(self, port: int) -> str:
        """What clients call."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'http' if self.certificate is None else 'https'}://{host}:{port}"


async def serve(
    router: Router, world: World, settings: Settings, ports: Ports, say: Callable[[str], None],
    workers: Sequence[str] = (), *, processes: int = 1, parts: Sequence[Part] = (),
) -> None:  # fmt: skip
    """Serve until SIGTERM or SIGINT. `say` is told `admin URL` where there is one, then `ready URL`.

    `workers` is the command of another relay process; the path of a socket and a port are added to it.
    """
    relay = Relay(router, settings)
    ask_process(relay.metrics)
    delay = LoopDelay(relay.metrics)
    delay.start()
    stopped = _stop_on_signals()
    tls = ports.tls()
    with tempfile.TemporaryDirectory(prefix="bayplan-relay-") as folder:
        others = WorkerProcesses([*workers, str(Path(folder) / _SOCKET)])
        try:
            await world.start(relay)
            for each in parts:
                await each.start(relay, say)
            port = await relay.start(ports.host, ports.port, tls=tls, shares_port=processes > 1)
            if ports.admin_port is not None:
                say(f"admin {Ports().url(await relay.start_admin('127.0.0.1', ports.admin_port))}")
            if processes > 1:
                await relay.share(Path(folder) / _SOCKET)
                await others.start(processes - 1, port)
            gc.freeze()  # what is there now stays: the collector need not look at it again
            say(f"ready {ports.url(port)}")
            await stopped.wait()
        finally:
            others.stop()
            draining = [each.drain() for each in parts]
            await asyncio.gather(relay.drain(), others.ended(settings.patience.drain_s), *draining)
            relay.close()
            for each in parts:
                await each.stop()
            await world.stop()
            delay.stop()


async def serve_worker(owner: Path, settings: Settings, ports: Ports, say: Callable[[str], None]) -> None:
    """Serve for the owner of a router until SIGTERM, SIGINT, or the owner's end."""
    worker = RelayWorker(settings)
    stopped = _stop_on_signals()
    await worker.start(owner, ports.host, ports.port, tls=ports.tls())
    gc.freeze()
    say(f"ready {ports.url(ports.port)}")
    waits = [asyncio.ensure_future(each.wait()) for each in (stopped, worker.desk.lost)]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for each in waits:
        each.cancel()
    await worker.stop()


def _stop_on_signals() -> asyncio.Event:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped

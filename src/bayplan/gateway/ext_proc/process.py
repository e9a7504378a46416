"""A picker as a process of its own: it serves until a signal, and stops in order."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.gateway.ext_proc.picker import Picker
from bayplan.gateway.ext_proc.self_signed import self_signed_tls
from bayplan.gateway.relay.listening import server_tls
from bayplan.telemetry.process_metrics import LoopDelay, ask_process

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from pathlib import Path

    from bayplan.gateway.ext_proc.picker import PickerSettings
    from bayplan.gateway.relay.world import World
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.router import Router

_HEAD_START_S = 0.25
"""What Envoy has to read the file of endpoints again; it notices at once, and a request before that would fail."""


@dataclass(frozen=True, slots=True)
class PickerPorts:
    """Where a picker listens: at a port, or at a socket in the file system. Port 0 takes a free one.

    `ends_with_stdin`: whoever started it holds the other end, and the picker ends with them.
    """

    host: str = "127.0.0.1"
    port: int = 9002
    socket: Path | None = None
    health_port: int | None = None
    admin_port: int | None = None
    certificate: Path | None = None
    key: Path | None = None
    self_signed: bool = False
    ends_with_stdin: bool = False

    def tls(self) -> ssl.SSLContext | None:
        """What gateways connect with; None: plain text."""
        if self.certificate is None:
            return self_signed_tls(self.host) if self.self_signed else None
        context = server_tls(self.certificate, self.key)
        context.set_alpn_protocols(["h2"])
        return context


async def serve(
    router: Router,
    world: World,
    settings: PickerSettings,
    ports: PickerPorts,
    say: Callable[[str], None],
    on_endpoints: Callable[[list[Endpoint]], object] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT. `say` is told `health ADDRESS`, `admin URL`, then `ready ADDRESS`.

    `on_endpoints` hears of all endpoints at the start, and whenever one has come, gone or changed.
    """
    picker = Picker(router, settings)
    ask_process(picker.metrics)
    delay = LoopDelay(picker.metrics)
    delay.start()
    stopped = _stop_on_signals()
    if ports.ends_with_stdin:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), _read_end, stopped)

    def tell_endpoints() -> None:
        if on_endpoints is not None:
            on_endpoints(list(picker.desk.all_endpoints()))

    picker.desk.on_endpoints = tell_endpoints
    picker.desk.head_start_s = 0.0 if on_endpoints is None else _HEAD_START_S
    try:
        where = await _listen(picker, ports, say)
        await world.start(picker)
        tell_endpoints()  # there may be none
        await asyncio.sleep(picker.desk.head_start_s)
        picker.ready()
        gc.collect()
        gc.freeze()  # what is there now stays: the collector need not look at it again
        say(f"ready {where}")
        await stopped.wait()
    finally:
        await picker.stop()
        await world.stop()
        delay.stop()


async def _listen(picker: Picker, ports: PickerPorts, say: Callable[[str], None]) -> str:
    """Health is answered from the start, so that a picker that is not ready yet can say so."""
    server = picker.server
    if ports.health_port is not None:
        say(f"health {ports.host}:{await server.listen(ports.host, ports.health_port, health_only=True)}")
    if ports.admin_port is not None:
        say(f"admin http://127.0.0.1:{await picker.start_admin('127.0.0.1', ports.admin_port)}")
    if ports.socket is not None:
        await server.listen_at(ports.socket)
        return str(ports.socket)
    return f"{ports.host}:{await server.listen(ports.host, ports.port, tls=ports.tls())}"


def _stop_on_signals() -> asyncio.Event:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped


def _read_end(stopped: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 1024):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        stopped.set()

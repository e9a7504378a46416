"""Puts the parts of a running system together."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

import bayplan
from bayplan.api.access.certificates import certificates_of
from bayplan.api.access.guard import Guard
from bayplan.api.access.kubeconfig import token_of, write_kubeconfig
from bayplan.api.access.limits import Limits
from bayplan.api.access.tokens import Tokens
from bayplan.api.access.watch_quota import WatchQuota
from bayplan.api.admission import Admission
from bayplan.api.app import build_app
from bayplan.api.backend import Backend
from bayplan.api.request_meter import RequestMeter
from bayplan.api.server import Server, connections_that_fit
from bayplan.control.clock import SYSTEM_CLOCK
from bayplan.control.failpoints import armed
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.system import ControlSystem
from bayplan.framework.errors import InputError
from bayplan.sim.fleet.fleet import SimulatedFleet
from bayplan.sim.fleet.scenario import Scenario
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.faults import file_fault
from bayplan.stores.sqlite.record_archive import RecordArchive
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
from bayplan.telemetry.log import LogForm, log_to_stderr
from bayplan.telemetry.store_metrics import ask_store
from bayplan.telemetry.system_metrics import SystemMetrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.api.access.certificates import Certificates

LOOPBACK = "127.0.0.1"
FIRST_TOKEN = "up"  # noqa: S105 (a name)
"""The name of the administrator's token that a server makes for its kubeconfig."""
_GRACE_S = 3  # watches never end by themselves; with two more seconds for the rest a stop stays well below ten
_LAST_S = 8.0  # the stop ends by force after this time
_ALL_ADDRESSES = ("0.0.0.0", "::")  # noqa: S104 (names that are left out)
_LAST_PORT = 65_535
_WAITING = 2048  # connections that may wait to be accepted


@dataclass(frozen=True, slots=True)
class Options:
    """How a server is started; port 0 takes a free one. Without TLS there are no tokens, on the loopback only."""

    data: Path
    port: int = 0
    host: str = LOOPBACK
    tls: bool = True
    names: tuple[str, ...] = ()
    """Other names and addresses under which clients call, as behind a proxy."""
    limits: Limits = field(default_factory=Limits)
    debug: bool = False
    log: LogForm = LogForm.TEXT
    scenario: Scenario = field(default_factory=Scenario)
    """What happens to workers that are simulated."""

    def check(self) -> None:
        """Refuse what cannot be, and what would let strangers in."""
        if not 0 <= self.port <= _LAST_PORT:
            following = f"choose 1 to {_LAST_PORT}; 0 takes a free one"
            raise InputError(f"{self.port} is no port", place="--port", next=following)
        if not self.tls and not _is_loopback(self.host):
            following = "leave --insecure-http out: other addresses need TLS and tokens"
            raise InputError(
                f"plain HTTP is for this machine alone, not for {self.host}", place="--host", next=following
            )

    @property
    def all_names(self) -> tuple[str, ...]:
        """What clients may call the server; an address that means all addresses is no name."""
        given = (self.host, *self.names, LOOPBACK, "localhost", "::1", socket.gethostname())
        return tuple(each for each in dict.fromkeys(given) if each not in _ALL_ADDRESSES)


def serve(options: Options, ready: Callable[[str], None], stopping: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGTERM or SIGINT; `ready` is called with the URL once requests are answered.

    `stopping` is called in another thread before the stop, while requests are still answered.
    """
    options.check()
    armed()  # a failpoint that does not exist is refused before anything is written
    log_to_stderr(debug=options.debug, form=options.log)
    system = SystemMetrics()
    shelf = SqliteShelf(options.data, observer=system.store)  # first: it refuses a folder that another process uses
    store = EmbeddedStore(shelf)
    ask_store(system.metrics, shelf.database, shelf.revision)
    limits = replace(options.limits, connections=connections_that_fit(options.limits.connections))
    listener = _listener(options.host, options.port)
    scheme = "https" if options.tls else "http"
    url = f"{scheme}://{_shown(options.host)}:{listener.getsockname()[1]}"
    with _files_of(options.data):
        certificates = certificates_of(options.data / "tls", options.all_names) if options.tls else None
    tokens = Tokens(store)
    known = tokens if options.tls else None
    watches = WatchQuota(limits)
    system.api.ask_watches(watches.open)
    archive = RecordArchive(options.data)
    control = ControlSystem(
        store,
        archive=archive,
        observer=system.loops,
        plugin_observers=(system.plugins,),
        holder=f"{socket.gethostname()}-{os.getpid()}",
        nodes=options.scenario.nodes,
    )
    system.follow(control)
    fleet = SimulatedFleet(
        store, control.cache, control.events, SYSTEM_CLOCK, heartbeats=control.heartbeats, scenario=options.scenario
    )
    backend = Backend(
        store, REGISTRY, Admission(), data=options.data, watches=watches, metrics=system.metrics, control=control,
        recorder=control.events, heartbeats=control.heartbeats, silence_s=options.scenario.nodes.silence_s,
    )  # fmt: skip
    guard = Guard(build_app(backend, known), options.all_names, known, limits)

    class Announced(Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            system.start()
            await store.start()
            await tokens.load()
            await control.start()
            fleet.start()
            with _files_of(options.data):
                await _introduce(options, url, tokens, certificates)
            await super().startup(sockets)
            with _files_of(options.data):
                _write_run(options.data, url)
            ready(url)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            _end_at_last(options.data)
            await asyncio.to_thread(stopping)
            await fleet.stop()
            await control.stop()
            store.end_watches()
            await super().shutdown(sockets)
            await store.close()
            await asyncio.to_thread(archive.close)
            system.stop()

    try:
        Announced(RequestMeter(guard, system.api), limits, certificates, _GRACE_S).run([listener])
    finally:
        _run_file(options.data).unlink(missing_ok=True)


@contextmanager
def _files_of(data: Path) -> Iterator[None]:
    """What is wrong with the small files of the data folder, in the words of the store."""
    try:
        yield
    except OSError as error:
        raise file_fault(Path(error.filename or data), error) from error


def _end_at_last(data: Path) -> None:
    """End the process although a thread still works out an answer; what was acknowledged is on the disk by then."""

    def end() -> None:
        _run_file(data).unlink(missing_ok=True)
        os._exit(0)

    timer = threading.Timer(_LAST_S, end)
    timer.daemon = True
    timer.start()


async def _introduce(options: Options, url: str, tokens: Tokens, certificates: Certificates | None) -> None:
    """Write the kubeconfig; the token in it is kept over restarts while it is known."""
    file = options.data / "kubeconfig"
    if certificates is None:
        write_kubeconfig(file, url)
        return
    token = token_of(file)
    if tokens.user(token) is None:
        if any(each.name == FIRST_TOKEN for each in tokens.list()):
            await tokens.revoke(FIRST_TOKEN)
        token = await tokens.create(FIRST_TOKEN, "admin")
    write_kubeconfig(file, url, authority=certificates.authority, token=token)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listener(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise _cannot_listen(host, port, error) from None
    listener.listen(_WAITING)
    return listener


def _cannot_listen(host: str, port: int, error: OSError) -> InputError:
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        following = f"use an address that `ip addr` shows, or leave it out for {LOOPBACK}"
        return InputError(f"{host} is no address of this machine", place="--host", next=following)
    if error.errno == errno.EACCES:
        following = "choose one from 1024 on"
        return InputError(f"port {port} is not open to this user", place="--port", next=following)
    following = "stop the program that uses it, or choose another port; --port 0 takes a free one"
    return InputError(f"{host}:{port} cannot be used: {error.strerror}", place="--port", next=following)


def _write_run(data: Path, url: str) -> None:
    """Tell other programs how to reach this server; by rename, so that it is never read half written."""
    run = {"pid": os.getpid(), "url": url, "kubeconfig": str(data / "kubeconfig"), "version": bayplan.__version__}
    part = data / "run.json.part"
    part.write_bytes(orjson.dumps(run, option=orjson.OPT_INDENT_2))
    part.replace(_run_file(data))


def _run_file(data: Path) -> Path:
    return data / "run.json"

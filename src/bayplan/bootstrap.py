"""Puts the parts of a running system together."""

from __future__ import annotations

import ipaddress
import os
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
import uvicorn

import bayplan
from bayplan.api.access.certificates import certificates_of
from bayplan.api.access.guard import Guard
from bayplan.api.access.kubeconfig import token_of, write_kubeconfig
from bayplan.api.access.tokens import Tokens
from bayplan.api.admission import Admission
from bayplan.api.app import build_app
from bayplan.api.backend import Backend
from bayplan.control.resources.registry import REGISTRY
from bayplan.framework.errors import InputError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bayplan.api.access.certificates import Certificates

LOOPBACK = "127.0.0.1"
FIRST_TOKEN = "up"  # noqa: S105 (a name)
"""The name of the administrator's token that a server makes for its kubeconfig."""
_GRACE_S = 3  # watches never end by themselves; with two more seconds for the rest a stop stays well below ten
_WAITING = 2048  # connections that may wait to be accepted


@dataclass(frozen=True, slots=True)
class Options:
    """How a server is started; port 0 takes a free one. Without TLS there are no tokens, on the loopback only."""

    data: Path
    port: int = 0
    host: str = LOOPBACK
    tls: bool = True

    def check(self) -> None:
        """Refuse what would let strangers in."""
        if not self.tls and not _is_loopback(self.host):
            following = "leave --insecure-http out: other addresses need TLS and tokens"
            raise InputError(
                f"plain HTTP is for this machine alone, not for {self.host}", place="--host", next=following
            )


def serve(options: Options, ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` is called with the URL once requests are answered."""
    options.check()
    options.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    listener = _listener(options.host, options.port)
    scheme = "https" if options.tls else "http"
    url = f"{scheme}://{_shown(options.host)}:{listener.getsockname()[1]}"
    certificates = certificates_of(options.data / "tls", [options.host]) if options.tls else None
    store = EmbeddedStore(SqliteShelf(options.data))
    tokens = Tokens(store)
    known = tokens if options.tls else None
    app = build_app(Backend(store, REGISTRY, Admission()), known)
    guard = Guard(app, _hosts(options.host), known)

    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await store.start()
            await tokens.load()
            await _introduce(options, url, tokens, certificates)
            await super().startup(sockets)
            _write_run(options.data, url)
            ready(url)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            store.end_watches()
            await super().shutdown(sockets)
            await store.close()

    try:
        Announced(_config(guard, certificates)).run([listener])
    finally:
        (options.data / "run.json").unlink(missing_ok=True)


def _config(app: Any, certificates: Certificates | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="uvloop",
        http="httptools",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
        ssl_certfile=None if certificates is None else certificates.server,
        ssl_keyfile=None if certificates is None else certificates.key,
    )


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


def _hosts(host: str) -> frozenset[str]:
    """The names under which clients may call; an address that means all addresses is no name."""
    return frozenset({host.lower(), LOOPBACK, "localhost", "::1", socket.gethostname().lower()})


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listener(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        following = "stop the program that uses it, or choose another port; --port 0 takes a free one"
        raise InputError(f"{host}:{port} cannot be used: {error.strerror}", place="--port", next=following) from None
    listener.listen(_WAITING)
    return listener


def _write_run(data: Path, url: str) -> None:
    """Tell other programs how to reach this server; by rename, so that it is never read half written."""
    run = {"pid": os.getpid(), "url": url, "kubeconfig": str(data / "kubeconfig"), "version": bayplan.__version__}
    part = data / "run.json.part"
    part.write_bytes(orjson.dumps(run, option=orjson.OPT_INDENT_2))
    part.replace(data / "run.json")

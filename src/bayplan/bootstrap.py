"""Puts the parts of a running system together."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import uvicorn

import bayplan
from bayplan.api.admission import Admission
from bayplan.api.app import build_app
from bayplan.api.backend import Backend
from bayplan.api.objects import Objects
from bayplan.control.resources.registry import REGISTRY
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

LOOPBACK = "127.0.0.1"
_GRACE_S = 3  # watches never end by themselves; with two more seconds for the rest a stop stays well below ten


@dataclass(frozen=True, slots=True)
class Options:
    """How a server is started; port 0 takes a free one."""

    data: Path
    port: int = 0
    host: str = LOOPBACK


def serve(options: Options, ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` is called with the URL once requests are answered."""
    listener = _listener(options.host, options.port)
    port = listener.getsockname()[1]
    url = f"http://{options.host}:{port}"
    app = build_app(Objects(_backend(options)))
    config = uvicorn.Config(
        app, loop="uvloop", http="httptools", log_config=None, access_log=False, timeout_graceful_shutdown=_GRACE_S
    )

    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            _write_run(options.data, url)
            ready(url)

    try:
        Announced(config).run([listener])
    finally:
        (options.data / "run.json").unlink(missing_ok=True)


def _backend(options: Options) -> Backend:
    raise NotImplementedError


def _listener(host: str, port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        following = "stop the program that uses it, or choose another port; --port 0 takes a free one"
        raise InputError(f"{host}:{port} cannot be used: {error.strerror}", place="--port", next=following) from None
    listener.listen(2048)
    return listener


def _write_run(data: Path, url: str) -> None:
    """Tell other programs how to reach this server; by rename, so that it is never read half written."""
    run = {"pid": os.getpid(), "url": url, "kubeconfig": str(data / "kubeconfig"), "version": bayplan.__version__}
    part = data / "run.json.part"
    part.write_bytes(orjson.dumps(run, option=orjson.OPT_INDENT_2))
    part.replace(data / "run.json")

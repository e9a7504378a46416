"""The HTTP side of a simulated model server: which path does what, and its process from start to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
from typing import TYPE_CHECKING, Any, Final

import orjson
import uvicorn

from bayplan.framework.errors import InputError
from bayplan.sim.model_server.inference import UnreadableRequestError, answer
from bayplan.sim.model_server.repository import FailedOnPurposeError, Repository, UnknownModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.types import Receive, Scope, Send

    from bayplan.sim.model_server.settings import Settings

BODY_BYTES: Final = 8 * 1024 * 1024
_WAITING: Final = 128  # connections that may wait to be accepted
_GRACE_S: Final = 5  # that requests get to end after SIGTERM
_EXTENSIONS: Final = ["health", "models", "model_repository"]
_MODEL: Final = re.compile(r"/v2/models/([^/]+)(?:/versions/[^/]+)?(?:/(ready|infer))?")
_ORDER: Final = re.compile(r"/v2/repository/models/([^/]+)/(load|unload)")
_STATUSES: Final = {UnknownModelError: 404, UnreadableRequestError: 400, FailedOnPurposeError: 500}


class ModelServer:
    """An ASGI application; versions in paths are accepted and mean nothing."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self._settings = settings
        self.repository = Repository(root, settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        status, document = await self._answered(scope["method"], scope["path"], receive)
        body = b"" if document is None else orjson.dumps(document)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _answered(self, method: str, path: str, receive: Receive) -> tuple[int, Any]:
        try:
            if method == "GET":
                return await self._read(path)
            return await self._done(method, path, await _body(receive))
        except tuple(_STATUSES) as error:
            return _STATUSES[type(error)], {"error": str(error)}

    async def _read(self, path: str) -> tuple[int, Any]:
        if path in ("/v2/health/live", "/v2/health/ready"):
            return 200, None
        if path == "/v2":
            return 200, {"name": self._settings.name, "version": "1", "extensions": _EXTENSIONS}
        found = _MODEL.fullmatch(path)
        if found is None or found[2] == "infer":
            return 404, {"error": "no such path"}
        self.repository.check_loaded(found[1])
        if found[2] == "ready":
            return 200, None
        return 200, {"name": found[1], "versions": [], "platform": "simulated", "inputs": [], "outputs": []}

    async def _done(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        if method != "POST":
            return 405, {"error": f"{method} is not known here"}
        if path == "/v2/repository/index":
            asked = _read_json(body) if body else {}
            return 200, self.repository.index(ready=isinstance(asked, dict) and asked.get("ready") is True)
        if order := _ORDER.fullmatch(path):
            if order[2] == "load":
                await self.repository.load(order[1])
            else:
                self.repository.unload(order[1])
            return 200, None
        found = _MODEL.fullmatch(path)
        if found is None or found[2] != "infer":
            return 404, {"error": "no such path"}
        self.repository.check_loaded(found[1])
        answered = answer(found[1], _read_json(body))
        if self._settings.infer_s:
            await asyncio.sleep(self._settings.infer_s)
        return 200, answered


def serve(root: Path, settings: Settings, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `say` is told `ready URL`."""
    listener = _listener(host, port)
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        ModelServer(root, settings), interface="asgi3", http="httptools", ws="none", lifespan="off", log_config=None,
        access_log=False, server_header=False, proxy_headers=False, timeout_graceful_shutdown=_GRACE_S,
    )  # fmt: skip
    server = _Stoppable(config)

    async def run() -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, server.stop)
        listener.listen(_WAITING)
        say(f"ready http://{shown}:{listener.getsockname()[1]}")
        await server.serve([listener])

    asyncio.run(run())


class _Stoppable(uvicorn.Server):
    """Ends in order on a signal; uvicorn itself would raise the signal again afterwards."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        self.force_exit = self.should_exit  # asked twice: at once
        self.should_exit = True


def _listener(host: str, port: int) -> socket.socket:
    following = "take another one, or 0 for a free one"
    if not 0 <= port <= 65_535:
        raise InputError(f"{port} is not between 0 and 65535", place="--port", next=following)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as problem:
        listener.close()
        reason = os.strerror(problem.errno).lower() if problem.errno and problem.errno > 0 else str(problem)
        message = f"cannot listen on {host} port {port}: {reason}"
        raise InputError(message, place="--port", next=following, code="io") from None
    return listener


async def _body(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > BODY_BYTES:
            raise UnreadableRequestError(f"the body has more than {BODY_BYTES} bytes")
        if not message.get("more_body"):
            return body


def _read_json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UnreadableRequestError(f"the body is no JSON: {error}") from None

"""The HTTP side of the agent: gateways ask it to bring evicted models back, and tell it which models were used."""

from __future__ import annotations

import contextlib
import hmac
import re
import secrets
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import orjson
import uvicorn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.types import Receive, Scope, Send

    from bayplan.runtimes.servers.replica_agent import ReplicaAgent

    Find = Callable[[str, str], ReplicaAgent | None]
    """The agent of a ServerReplica, by its namespace and name."""

_PATH = re.compile(r"/([^/]+)/([^/]+)/([^/]+)/(?:models/([^/]+)/ensure|(used))")
_BODY_BYTES = 1024 * 1024
_WAITING = 128  # connections that may wait to be accepted
_GRACE_S = 1


class ModelWakeups:
    """An HTTP server on one address. Its URLs hold a secret, and are told in the status of ServerReplicas alone."""

    def __init__(self, host: str, find: Find) -> None:
        self._find = find
        self._secret = secrets.token_urlsafe(24)
        self._socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        self._socket.bind((host, 0))
        self._socket.listen(_WAITING)
        shown = f"[{host}]" if ":" in host else host
        self._url = f"http://{shown}:{self._socket.getsockname()[1]}/{self._secret}"
        config = uvicorn.Config(
            self._answer, interface="asgi3", http="httptools", ws="none", lifespan="off", log_config=None,
            access_log=False, server_header=False, proxy_headers=False, timeout_graceful_shutdown=_GRACE_S,
        )  # fmt: skip
        self._server = _Quiet(config)

    def url(self, namespace: str, name: str) -> str:
        """The URL for one ServerReplica; `/models/NAME/ensure` and `/used` are below it."""
        return f"{self._url}/{namespace}/{name}"

    async def run(self) -> None:
        """Until `stop`."""
        await self._server.serve([self._socket])

    def stop(self) -> None:
        self._server.should_exit = True

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, message = await self._done(scope, receive)
        body = orjson.dumps({"message": message} if message else {})
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _done(self, scope: Scope, receive: Receive) -> tuple[int, str]:
        found = _PATH.fullmatch(scope["path"])
        if found is None or not hmac.compare_digest(found[1].encode(), self._secret.encode()):
            return 404, "no such path"
        if scope["method"] != "POST":
            return 405, "only POST is known here"
        agent = self._find(found[2], found[3])
        if agent is None:
            return 404, f"no server replica {found[2]}/{found[3]} runs on this worker"
        if found[4]:
            return await agent.ensure(unquote(found[4]))
        names = _names(await _body(receive))
        if names is None:
            return 400, "names: must be a list of texts"
        agent.use(names)
        return 200, ""


def _names(body: bytes) -> list[str] | None:
    try:
        names: Any = orjson.loads(body)["names"]
    except (orjson.JSONDecodeError, TypeError, KeyError):
        return None
    return names if isinstance(names, list) and all(isinstance(each, str) for each in names) else None


async def _body(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > _BODY_BYTES or not message.get("more_body"):
            return body


class _Quiet(uvicorn.Server):
    """Signals are the worker's business."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

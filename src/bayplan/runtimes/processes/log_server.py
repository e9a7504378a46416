"""Serves the logs of a worker's Pods to its server alone: each request shows the secret of this start."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import re
import socket
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import uvicorn

from bayplan.control.clock import moment_text, seconds_of
from bayplan.runtimes.processes.log_reader import LogQuery, read_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.types import Receive, Scope, Send

    from bayplan.control.clock import Clock
    from bayplan.runtimes.processes.certificate import Certificate

_PATH = re.compile(r"/pods/([A-Za-z0-9-]{1,64})/([a-z0-9-]{1,63})/log")
_RUN = re.compile(r"(\d{1,9})\.log")
_WAITING = 128  # connections that may wait to be accepted
_GRACE_S = 1  # that logs which are followed have when the worker stops


class LogServer:
    """An HTTP server on one address; `running` says whether a container of a Pod is running its latest run."""

    def __init__(
        self, pods: Path, secret: str, running: Callable[[str, str], bool], clock: Clock, host: str,
        certificate: Certificate | None,
    ) -> None:  # fmt: skip
        self._pods, self._running, self._clock = pods, running, clock
        self._expected = f"Bearer {secret}".encode()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family)
        self._socket.bind((host, 0))
        self._socket.listen(_WAITING)
        scheme = "http" if certificate is None else "https"
        shown = f"[{host}]" if ":" in host else host
        self.url = f"{scheme}://{shown}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            self._answer, interface="asgi3", http="httptools", ws="none", lifespan="off", log_config=None,
            access_log=False, server_header=False, proxy_headers=False, timeout_graceful_shutdown=_GRACE_S,
        )  # fmt: skip
        if certificate is not None:
            config.load()
            config.ssl = certificate.context()
        self._server = _Quiet(config)

    async def run(self) -> None:
        """Until `stop`."""
        await self._server.serve([self._socket])

    def stop(self) -> None:
        self._server.should_exit = True

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        code, path, query = self._asked(scope)
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": code, "headers": headers})
        if path is not None:
            leaves = asyncio.create_task(_disconnected(receive))
            try:
                async for piece in read_log(path, query, lambda: leaves.done() or self._ended(path)):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            finally:
                leaves.cancel()
        await send({"type": "http.response.body", "body": b""})

    def _ended(self, path: Path) -> bool:
        """Whether nothing more will be written to a log: its container does not run, or runs anew."""
        uid, container = path.parent.parent.name, path.parent.name
        return self._runs(uid, container)[-1:] != [path.name] or not self._running(uid, container)

    def _asked(self, scope: Scope) -> tuple[int, Path | None, LogQuery]:
        """The status, the log, and what of it is asked for."""
        given = dict(scope["headers"]).get(b"authorization", b"")
        if not hmac.compare_digest(given, self._expected):
            return 401, None, LogQuery()
        found = _PATH.fullmatch(scope["path"])
        if found is None or scope["method"] != "GET":
            return 404, None, LogQuery()
        query = {key: values[-1] for key, values in parse_qs(scope["query_string"].decode()).items()}
        runs = self._runs(found[1], found[2])
        previous = query.get("previous") == "true"
        if len(runs) <= previous:
            return 404, None, LogQuery()
        path = self._pods / found[1] / found[2] / runs[-2 if previous else -1]
        return 200, path, log_query(query, self._clock())

    def _runs(self, uid: str, container: str) -> list[str]:
        """The logs of a container by their runs."""
        folder = self._pods / uid / container
        names = [each.name for each in folder.glob("*.log")]
        return sorted(filter(_RUN.fullmatch, names), key=lambda each: int(each.partition(".")[0]))


def log_query(query: dict[str, str], now_s: float) -> LogQuery:
    """The parameters of Kubernetes; what is no number counts as absent."""
    since_s = seconds_of(query.get("sinceTime"))
    if (seconds := _number(query.get("sinceSeconds"))) is not None:
        since_s = now_s - seconds
    return LogQuery(
        tail=_number(query.get("tailLines")),
        since="" if since_s is None else moment_text(since_s).removesuffix("Z"),
        timestamps=query.get("timestamps") == "true",
        limit_bytes=_number(query.get("limitBytes")),
        follow=query.get("follow") == "true",
    )


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() and len(text) < 19 else None


async def _disconnected(receive: Receive) -> None:
    """Until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        continue


class _Quiet(uvicorn.Server):
    """Signals are the worker's business."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

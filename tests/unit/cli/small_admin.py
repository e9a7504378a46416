"""A relay's admin port and its port for clients in this process, for tests of commands that ask them."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def endpoint(name: str, *, ready: bool = True, metrics: Any = None, **lately: Any) -> dict[str, Any]:
    figures = {"answered": 0, "failed": 0, "requestsPerSecond": 0.0, "ttftSecondsP50": None, "prefixHitRate": None}
    flight = {"requests": 0, "tokens": 0}
    return {
        "name": name, "address": "127.0.0.1:1", "ready": ready, "inflight": flight, "metrics": metrics,
        "lately": figures | lately,
    }  # fmt: skip


class SmallAdmin(ThreadingHTTPServer):
    """Answers with `document`; chats are answered by its endpoints in turn, or with `chat_status`."""

    daemon_threads = True

    def __init__(self, document: Any) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.document = document
        self.status = self.chat_status = 200
        self.chats: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: SmallAdmin

    def log_message(self, *_: object) -> None:
        return

    def do_GET(self) -> None:
        self._answer(self.server.status, self.server.document)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            chats, found = self.server.chats, self.server.document["endpoints"]
            if self.server.chat_status == 200:
                found[len(chats) % len(found)]["lately"]["answered"] += 1
            chats.append(body)
        self._answer(self.server.chat_status, {})

    def _answer(self, status: int, document: Any) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def small_admin(document: Any) -> Iterator[SmallAdmin]:
    with SmallAdmin(document) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()

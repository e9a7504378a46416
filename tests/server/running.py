"""A real server in a process of its own, and raw connections to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

LONGEST_S = 20
ROOT = Path(__file__).parents[2]
START = """
import sys
from pathlib import Path
from bayplan.api.access.limits import Limits
from bayplan.bootstrap import Options, serve
{before}
def ready(url): print("ready", url, flush=True)
serve(Options(Path(sys.argv[1]), tls={tls}, limits=Limits({limits}), debug={debug}), ready)
"""


@dataclass
class Answer:
    """What came back."""

    code: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name.lower()), "")


@dataclass
class Running:
    """A server that runs."""

    process: subprocess.Popen[str]
    data: Path
    url: str
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    @property
    def tls(self) -> bool:
        return self.url.startswith("https")

    def connect(self, *, receive_bytes: int = 0) -> socket.socket:
        plain = socket.socket()
        if receive_bytes:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        plain.settimeout(LONGEST_S)
        plain.connect(("127.0.0.1", self.port))
        if not self.tls:
            return plain
        context = ssl.create_default_context(cafile=str(self.data / "tls" / "ca.crt"))
        return context.wrap_socket(plain, server_hostname="127.0.0.1")

    def admin_token(self) -> str:
        user = yaml.safe_load((self.data / "kubeconfig").read_text())["users"][0]["user"]
        return user.get("token", "")

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, media: str = "application/json"
    ) -> Answer:
        """One request on a connection of its own."""
        text = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        token = self.admin_token() if token is None and self.tls else token
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        if body is not None:
            head += f"Content-Type: {media}\r\nContent-Length: {len(text)}\r\n"
        return self.send(head.encode("latin-1") + b"\r\n" + text)

    def send(self, data: bytes) -> Answer:
        """Raw bytes, and the first answer to them."""
        with self.connect() as connection:
            with suppress(OSError):  # refused before everything was sent
                connection.sendall(data)
            return read_answer(connection)

    def token(self, name: str, role: str, *namespaces: str) -> str:
        """A new token, made by the administrator."""
        if name not in self.tokens:
            made = self.ask("POST", "/v1/tokens", {"name": name, "role": role, "namespaces": list(namespaces)})
            assert made.code == 201, made.body
            self.tokens[name] = made.document["token"]
        return self.tokens[name]

    def stop(self, sign: int = signal.SIGTERM) -> tuple[int, str]:
        """The exit code and what was logged."""
        self.process.send_signal(sign)
        _, log = self.process.communicate(timeout=LONGEST_S)
        return self.process.returncode, log

    @property
    def memory_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


@contextmanager
def running(data: Path, *, tls: bool = False, limits: str = "", debug: bool = False, before: str = ""):
    """Start a server; it is stopped at the end, also where a test failed."""
    code = START.format(tls=tls, limits=limits, debug=debug, before=before)
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        line = process.stdout.readline()
        assert line.startswith("ready "), process.communicate(timeout=LONGEST_S)
        yield Running(process, data, line.split()[1])
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=LONGEST_S)


def read_answer(connection: socket.socket, stream: Any = None) -> Answer:
    """One answer; nothing at all is code 0."""
    stream = stream or connection.makefile("rb")
    try:
        first = stream.readline()
    except OSError:
        first = b""
    if not first:
        return Answer(0, [], b"")
    headers = []
    while (line := stream.readline().strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name.lower(), value.strip()))
    answer = Answer(int(first.split()[1]), headers, b"")
    if length := answer.header("content-length"):
        answer.body = stream.read(int(length))
    return answer

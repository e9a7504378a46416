"""`bayplan up` in a process of its own, for tests that talk to it as users do, or as attackers do."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import yaml

from raw_http import Answer, read_answer

LONGEST_S = 20  # for one answer, and for a stop, which takes at most ten; a loaded machine gets twice that
_SPECIAL = """
import functools
import bayplan.cli.up as up
from bayplan.api.access.limits import Limits
from bayplan.cli.main import main
{before}
up.Options = functools.partial(up.Options, limits=Limits({limits}))
main()
"""


def environment(**more: str) -> dict[str, str]:
    """The surroundings of a process that is started by a test: nothing of Bayplan's own variables but what is given."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("BAYPLAN_")}
    return {**kept, "PYTHONPATH": str(Path(__file__).parents[1] / "src"), **more}


class RunningServer:
    """Use it in a `with`: it serves inside, and is stopped with SIGTERM at the end.

    `limits` are arguments of Limits, `before` is code that runs before the command, `variables` are set for it.
    """

    def __init__(self, data: Path, *flags: str, limits: str = "", before: str = "", **variables: str) -> None:
        self.data = data
        self._flags = flags
        self._start = ["-c", _SPECIAL.format(limits=limits, before=before)] if limits or before else ["-m", "bayplan"]
        self._variables = variables
        self._tokens: dict[str, str] = {}
        self.url = ""

    @property
    def kubeconfig(self) -> Path:
        return self.data / "kubeconfig"

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    @property
    def tls(self) -> bool:
        return self.url.startswith("https")

    def command(self) -> list[str]:
        """What is started."""
        return [sys.executable, *self._start, "up", "--data", str(self.data), "--port", "0", *self._flags]

    def errors_file(self) -> Path:
        """Where its stderr goes."""
        return self.data.parent / f"{self.data.name}.stderr"

    def __enter__(self) -> Self:
        self._errors = self.errors_file().open("w+")
        surroundings = environment(**self._variables)
        self.process = subprocess.Popen(
            self.command(), stdout=subprocess.PIPE, stderr=self._errors, text=True, env=surroundings
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("ready "):
                self.url = line.split()[1]
                return self
        raise AssertionError(f"the server ended with {self.process.wait()}: {self.errors()}")

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self, sign: int = signal.SIGTERM) -> int:
        """End it as a user does; its exit code."""
        self.process.send_signal(sign)
        try:
            return self.process.wait(LONGEST_S)
        finally:
            self.process.kill()
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()
            self._errors.close()

    def errors(self) -> str:
        """What it wrote to stderr so far."""
        return Path(self._errors.name).read_text()

    @property
    def memory_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def admin_token(self) -> str:
        user = yaml.safe_load(self.kubeconfig.read_text())["users"][0]["user"]
        return str(user.get("token", ""))

    def token(self, name: str, role: str, *namespaces: str) -> str:
        """A token of that name, made by the administrator when it is first asked for."""
        if name not in self._tokens:
            made = self.ask("POST", "/v1/tokens", {"name": name, "role": role, "namespaces": list(namespaces)})
            assert made.code == 201, made.body
            self._tokens[name] = made.document["token"]
        return self._tokens[name]

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
        """One request with the administrator's token; header names are written with `_` for `-`."""
        given = {"Content-Type": "application/json"}
        given |= {"Authorization": f"Bearer {self.admin_token()}"} if self.tls else {}
        given |= {key.replace("_", "-"): value for key, value in headers.items()}
        make = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        connection = make("127.0.0.1", self.port, timeout=30, **({"context": self._trust()} if self.tls else {}))
        try:
            connection.request(method, path, None if body is None else json.dumps(body), given)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.data / "tls" / "ca.crt"))

    def connect(self, *, receive_bytes: int = 0) -> socket.socket:
        """A connection for bytes of any kind; `receive_bytes` makes the window of the reader small."""
        plain = socket.socket()
        if receive_bytes:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        plain.settimeout(LONGEST_S)
        plain.connect(("127.0.0.1", self.port))
        return self._trust().wrap_socket(plain, server_hostname="127.0.0.1") if self.tls else plain

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, media: str = "application/json"
    ) -> Answer:
        """One request as raw bytes on a connection of its own; any token, any bytes as its body."""
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

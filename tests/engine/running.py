"""`bayplan engine` in a process of its own, and plain HTTP to it."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from exposition import Exposition, read_exposition

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_S = 30  # for one answer; a loaded machine gets it too
MODEL = "org/model"


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        """The refusal, whose form is checked."""
        (error,) = self.document.values()
        assert error.keys() == {"message", "type", "param", "code"}
        assert error["code"] == self.status
        return error

    @property
    def events(self) -> list[Any]:
        """The events of a stream; the last one must be [DONE]."""
        *events, done, rest = self.body.decode().split("\n\n")
        assert (done, rest) == ("data: [DONE]", "")
        return [json.loads(each.removeprefix("data: ")) for each in events]


@dataclass
class Engine:
    """An engine that runs."""

    process: subprocess.Popen[str]
    port: int
    said: list[str] = field(default_factory=list)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request on a connection of its own; bodies that are no bytes are sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_S)
        try:
            return ask(connection, method, path, body, **headers)
        finally:
            connection.close()

    def complete(self, prompt: str = "hello", **asked: Any) -> Answer:
        return self.ask("POST", "/v1/completions", {"prompt": prompt, **asked})

    def chat(self, content: str = "hello", **asked: Any) -> Answer:
        return self.ask("POST", "/v1/chat/completions", {"messages": [{"role": "user", "content": content}], **asked})

    def break_by(self, **faults: Any) -> Answer:
        return self.ask("POST", "/faults", faults, content_type="application/json")

    def metrics(self) -> Exposition:
        answer = self.ask("GET", "/metrics")
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        return read_exposition(answer.body.decode())

    def metric(self, name: str, **labels: str) -> float:
        return self.metrics().value(f"vllm:{name}", **labels)

    def until(self, name: str, value: float, **labels: str) -> None:
        """Ask for a metric until it has a value, for so long at most."""
        for _ in range(LONGEST_S * 20):
            if (found := self.metric(name, **labels)) == value:
                return
            time.sleep(0.05)
        raise AssertionError(f"{name} is {found}, not {value}")

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST_S)

    def stop(self) -> int:
        """End it as the worker does; its exit code."""
        self.process.terminate()
        return self.process.wait(LONGEST_S)


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """One request on an open connection."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body)
    connection.request(method, path, data, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    found = {name.lower(): value for name, value in answer.getheaders()}
    return Answer(answer.status, found, answer.read())


@contextmanager
def running(*flags: str, until: str = "ready", speed: str = "1000") -> Iterator[Engine]:
    """Start one on a free port, so fast that times do not matter; it is stopped at the end."""
    command = [sys.executable, "-m", "bayplan", "engine", "--model", MODEL, "--port", "0", "--speed", speed, *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        said: list[str] = []
        for line in process.stdout:
            said.append(line.strip())
            if line.startswith(until):
                yield Engine(process, int(line.rsplit(":", 1)[1]), said)
                return
        raise AssertionError(f"the engine ended with {process.wait()}: {process.stderr.read()}")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def errors(engine: Engine) -> str:
    """What it wrote to stderr; only after it has ended."""
    assert engine.process.stderr is not None
    return engine.process.stderr.read()

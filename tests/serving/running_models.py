"""A server, a worker with model servers and a relay, each in a process of its own; and plain V2 requests to models."""

from __future__ import annotations

import http.client
import json
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import grpc

from bayplan.gateway.protobuf.writer import message, text
from workers.machines import LONGEST_S, Machines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SELDON = "/apis/mlops.seldon.io/v1alpha1/namespaces/default"
ROWS = "/apis/bayplan.io/v1alpha1/namespaces/default/serverreplicas"
QUESTION = {"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [5.1, 3.5, 1.4, 0.2]}]}
MERGE = {"Content-Type": "application/merge-patch+json"}
MEMORY = {"containerName": "mlserver", "resource": "requests.memory"}


class Models(Machines):
    """One worker; `backend` is that of all servers."""

    def __init__(self, folder: Path, backend: str) -> None:
        super().__init__(folder)
        self.backend = backend
        self.files = folder / "models"
        self.relay: subprocess.Popen[str] | None = None
        self.port = self.grpc_port = 0

    def close(self) -> None:
        if self.relay is not None:
            self.relay.terminate()
            self.relay.wait(LONGEST_S)
            assert self.relay.stdout is not None
            self.relay.stdout.close()
        for each in self.workers:
            if each.process.poll() is None:
                each.stop()
        super().close()

    def start_relay(self, *flags: str) -> None:
        """A relay that finds models at the server."""
        self.grpc_port = _free_port()
        command = [sys.executable, "-m", "bayplan", "gateway", "relay", "--server", str(self.server.kubeconfig)]
        command += ["--port", "0", "--grpc-port", str(self.grpc_port), *flags]
        with (self.folder / "relay.stderr").open("w") as errors:
            self.relay = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert self.relay.stdout is not None
        for line in self.relay.stdout:
            if line.startswith("ready "):
                self.port = int(line.strip().rpartition(":")[2])
                return
        raise AssertionError((self.folder / "relay.stderr").read_text())

    def make_server(self, name: str, replicas: int, memory: str = "256Mi", **more: Any) -> None:
        agent = {"name": "agent", "env": [
            {"name": "SELDON_SERVER_CAPABILITIES", "value": "mlserver,sklearn"},
            {"name": "MEMORY_REQUEST", "valueFrom": {"resourceFieldRef": MEMORY}},
            *more.pop("env", ()),
        ]}  # fmt: skip
        server = {"name": "mlserver", "image": "mlserver", "resources": {"requests": {"memory": memory}}}
        spec = {"serverConfig": "mlserver", "replicas": replicas, "podSpec": {"containers": [agent, server]}, **more}
        metadata = {"name": name, "annotations": {"bayplan.io/backend": self.backend}}
        self.ask("POST", f"{SELDON}/servers", _object("Server", metadata, spec))

    def make_model(self, name: str, files: str = "", **spec: Any) -> None:
        place = f"file://{self.files / (files or name)}"
        spec = {"storageUri": place, "requirements": ["sklearn"], "memory": "50Mi", **spec}
        self.ask("POST", f"{SELDON}/models", _object("Model", {"name": name}, spec))

    def change(self, kind: str, name: str, spec: dict[str, Any]) -> None:
        self.ask("PATCH", f"{SELDON}/{kind}/{name}", {"spec": spec}, **MERGE)

    def model_state(self, name: str) -> str:
        """The state of a model."""
        told = self.ask("GET", f"{SELDON}/models/{name}").get("status", {}).get("conditions") or ()
        return next((each["message"] for each in told if each["type"] == "ModelReady"), "")

    def available(self, name: str) -> int:
        return int(self.ask("GET", f"{SELDON}/models/{name}").get("status", {}).get("availableReplicas", 0))

    def wait_available(self, name: str, replicas: int = 1) -> None:
        self.wait(lambda: self.model_state(name) == "ModelAvailable" and self.available(name) == replicas)

    def rows(self) -> dict[str, Any]:
        return {each["metadata"]["name"]: each for each in self.ask("GET", ROWS)["items"]}

    def holders(self, name: str) -> set[str]:
        """The server replicas on which a model is available."""
        return {
            row for row, each in self.rows().items() for booked in each["spec"].get("models") or ()
            if booked["model"] == name and booked["state"] == "available"
        }  # fmt: skip

    def infer(self, name: str, **headers: str) -> tuple[int, Any]:
        """A question to a model through the relay."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_S)
        try:
            sent = {
                "content-type": "application/json",
                **{key.replace("_", "-"): text for key, text in headers.items()},
            }
            connection.request("POST", f"/v2/models/{name}/infer", json.dumps(QUESTION), sent)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            connection.close()

    def infer_grpc(self, name: str) -> bytes:
        """The same over gRPC; the answer as it came."""
        contents = message(6, struct.pack("<4f", *QUESTION["inputs"][0]["data"]))
        tensor = text(1, "x") + text(2, "FP32") + message(3, bytes((1, 4))) + message(5, contents)
        with grpc.insecure_channel(f"127.0.0.1:{self.grpc_port}") as channel:
            call = channel.unary_unary("/inference.GRPCInferenceService/ModelInfer")
            answer: bytes = call(text(1, name) + message(5, tensor), timeout=LONGEST_S)
            return answer

    @contextmanager
    def load(self, *names: str) -> Iterator[Load]:
        """Questions to these models, one after the other, until the end; each answer is kept."""
        running = Load(self, names)
        running.start()
        try:
            yield running
        finally:
            running.stop()


class Load(threading.Thread):
    """Asks models in turn."""

    def __init__(self, models: Models, names: tuple[str, ...]) -> None:
        super().__init__(daemon=True)
        self._models, self._names, self._ends = models, names, threading.Event()
        self.answered = 0
        self.failures: list[tuple[str, int, Any]] = []

    def run(self) -> None:
        while not self._ends.is_set():
            for name in self._names:
                status, body = self._models.infer(name)
                self.answered += 1
                if status != 200:
                    self.failures.append((name, status, body))
            time.sleep(0.005)

    def stop(self) -> None:
        self._ends.set()
        self.join(LONGEST_S)

    def answers_more(self, number: int = 20) -> None:
        """Wait until so many further questions were answered."""
        wanted = self.answered + number
        end_s = time.monotonic() + LONGEST_S
        while self.answered < wanted:
            assert time.monotonic() < end_s
            time.sleep(0.01)


def _object(kind: str, metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


def _free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port: int = tried.getsockname()[1]
        return port

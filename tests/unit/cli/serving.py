"""A real server for tests of commands, and commands that ask it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from bayplan.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

    from bayplan_up import RunningServer

POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: NAMESPACE, labels: {app: chat}}
spec:
  schedulerName: bayplan
  containers: [{name: main, image: vllm, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
IDLE = ("schedulerName: bayplan", "schedulerName: another")
"""What to replace in a Pod that no loop shall touch."""
SECRET = """
apiVersion: v1
kind: Secret
metadata: {name: key}
data: {password: aHVudGVyMg==}
"""  # noqa: S105 (a manifest)
HIDDEN = "aHVudGVyMg=="
WORKER = """
apiVersion: v1
kind: Node
metadata: {name: w1, labels: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, nvidia.com/gpu.memory: "81920"}}
status:
  capacity: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "4"}
  allocatable: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "4"}
  conditions: [{type: Ready, status: "True"}]
"""


def pod(name: str = "chat", namespace: str = "default") -> str:
    return POD.replace("NAMESPACE", namespace).replace("NAME", name)


@dataclass
class Said:
    """What a command printed, and its exit code."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def yaml(self) -> Any:
        return yaml.safe_load(self.out)


@dataclass
class Commands:
    """Commands that ask one server; `folder` is for their files."""

    capsys: Any
    folder: Path
    server: RunningServer | None = None

    def __call__(self, *words: str) -> Said:
        self.capsys.readouterr()
        status = run(list(words))
        captured = self.capsys.readouterr()
        return Said(status, captured.out, captured.err)

    def file(self, text: str, name: str = "given.yaml") -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def applied(self, *texts: str) -> Said:
        said = self("apply", "-f", self.file("---".join(texts)))
        assert said.status == 0, said.err
        return said


@contextmanager
def emptied(server: RunningServer):
    """The server, without the objects of earlier tests."""
    yield server
    for kind in ("pods", "secrets", "configmaps", "events"):
        server.ask("DELETE", f"/api/v1/namespaces/default/{kind}?gracePeriodSeconds=0")

"""The worker on this machine that the demo starts: `bayplan worker`, which takes its lock itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bayplan.cli.demo.local_process import LocalProcess, LocalProcessError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "local"
_GPUS = "2xL4:24Gi"
_HEARTBEAT_S = "2"
_BACKENDS = """\
# Engines of the demo: replicas of vLLM on this machine are simulated engines with its API, in processes of their own.
apiVersion: bayplan.io/v1alpha1
kind: Backends
backends:
  vllm:
    command: [{python}, -m, bayplan, engine, --model, '{{model}}', --host, '{{host}}', --port, '{{port}}', '{{args}}']
    images: ['*vllm*']
"""


class LocalWorkerError(LocalProcessError):
    """The worker of the demo cannot be started; the rest of the demo goes on without it."""

    code = "local-worker"


class LocalWorker(LocalProcess):
    """The worker of one data folder. Killed, its supervisors notice and end the replicas."""

    error = LocalWorkerError
    stop_s = 6.5  # the worker gives its replicas five seconds

    def __init__(self, data: Path) -> None:
        self._data = data
        self.folder = data / "workers" / NAME
        super().__init__("worker local", self.folder / "worker.lock", data / "workers" / f"{NAME}.log")

    def start(self) -> None:
        """Start it, unless one of an earlier server still runs."""
        if self.pid() is not None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            backends = self.folder / "backends.yaml"
            backends.write_text(_BACKENDS.format(python=f'"{sys.executable}"'), encoding="utf-8")
            self.launch(self._words(backends))
        except OSError as error:
            raise self.unstartable(error) from None

    def _words(self, backends: Path) -> list[str]:
        return [
            "worker", "--name", NAME, "--gpus", _GPUS,
            "--kubeconfig", str(self._data / "kubeconfig"), "--work-dir", str(self.folder),
            "--backends", str(backends), "--heartbeat", _HEARTBEAT_S, "--label", "pool=local",
        ]  # fmt: skip

"""The worker on this machine that the demo starts: `bayplan worker` as a process of its own.

It outlives a server that is killed, and the next server goes on with it; a server that is stopped stops it.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "local"
_GPUS = "2xL4:24Gi"
_HEARTBEAT_S = "2"
_STOP_S = 6.5  # the worker gives its replicas five seconds
_PAUSE_S = 0.05
_BACKENDS = """\
# Engines of the demo: replicas of vLLM on this machine are simulated engines with its API, in processes of their own.
apiVersion: bayplan.io/v1alpha1
kind: Backends
backends:
  vllm:
    command: [{python}, -m, bayplan, engine, --model, '{{model}}', --host, '{{host}}', --port, '{{port}}', '{{args}}']
    images: ['*vllm*']
"""


class LocalWorkerError(BayplanError):
    """The worker of the demo cannot be started; the rest of the demo goes on without it."""

    code = "local-worker"


class LocalWorker:
    """The worker of one data folder; whether it runs is told by the lock that it holds."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self.folder = data / "workers" / NAME
        self.log = data / "workers" / f"{NAME}.log"
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, unless one of an earlier server still runs."""
        if self.pid() is not None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            backends = self.folder / "backends.yaml"
            backends.write_text(_BACKENDS.format(python=f'"{sys.executable}"'), encoding="utf-8")
            with self.log.open("ab") as log:
                self._child = subprocess.Popen(  # noqa: S603 (our own command)
                    self._command(backends), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
        except OSError as error:
            following = "look whether the folder may be written to, and whether too many processes run"
            raise LocalWorkerError(
                f"cannot be started: {error.strerror}", place="worker local", next=following
            ) from None

    def check(self) -> None:
        """LocalWorkerError where the process that was started has ended."""
        if self._child is not None and self._child.poll() is not None:
            message = f"ended with {self._child.returncode}"
            raise LocalWorkerError(message, place="worker local", next=f"see {self.log}")

    def stop(self) -> None:
        """End it and its replicas; the objects stay."""
        pid = self._child.pid if self._child is not None and self._child.poll() is None else self.pid()
        if pid is None:
            return
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        end_s = time.monotonic() + _STOP_S
        while time.monotonic() < end_s:
            if self._child is not None:
                self._child.poll()  # its end is noticed only by who asks
            if self.pid() is None and (self._child is None or self._child.returncode is not None):
                return
            time.sleep(_PAUSE_S)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # its supervisors notice and end the replicas
        if self._child is not None:
            self._child.wait()

    def pid(self) -> int | None:
        """The process that holds the folder; None where none does."""
        try:
            lock = os.open(self.folder / "worker.lock", os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            text = os.pread(lock, 32, 0).decode(errors="replace").strip()
            return int(text) if text.isdecimal() else None
        else:
            return None
        finally:
            os.close(lock)

    def _command(self, backends: Path) -> list[str]:
        return [
            sys.executable, "-m", "bayplan", "worker", "--name", NAME, "--gpus", _GPUS,
            "--kubeconfig", str(self._data / "kubeconfig"), "--work-dir", str(self.folder),
            "--backends", str(backends), "--heartbeat", _HEARTBEAT_S, "--label", "pool=local",
        ]  # fmt: skip

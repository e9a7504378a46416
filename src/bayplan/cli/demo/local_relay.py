"""The relay that the demo starts before its engines: `bayplan gateway relay` with a lock that it inherits."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from typing import TYPE_CHECKING

from bayplan.cli.demo.local_process import LocalProcess, LocalProcessError
from bayplan.cli.server.data_folder import KUBECONFIG
from bayplan.cli.server.relay_folder import RelayFolder
from bayplan.sim.demo.contents import NAMESPACE

if TYPE_CHECKING:
    from pathlib import Path
    from threading import Event

WORKLOAD = "local-chat"
"""The workload of the demo whose replicas run on this machine."""
_HOST = "127.0.0.1"
_PORT, _ADMIN_PORT = 7080, 7081
_DRAIN_S = "1"
_PAUSE_S = 0.05


class LocalRelayError(LocalProcessError):
    """The relay of the demo cannot be started; the rest of the demo goes on without it."""

    code = "local-relay"


class LocalRelay(LocalProcess):
    """The relay of one data folder.

    The lock is taken here and inherited: it is held from before the process starts until the process has ended, also
    when this one is killed in between.
    """

    error = LocalRelayError
    stop_s = 4.0

    def __init__(self, data: Path) -> None:
        self._data = data
        self.folder = RelayFolder(data)
        self._has_usual_ports = True
        super().__init__("relay", self.folder.lock, self.folder.log)

    def start(self) -> None:
        """Start it, unless one of an earlier server still runs."""
        try:
            self.folder.path.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self.unstartable(error) from None
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return  # it runs
            os.ftruncate(lock, 0)
            with self.folder.printed.open("wb") as output:
                pid = self.launch(self._words(), held=lock, output=output)
            os.pwrite(lock, str(pid).encode(), 0)
        except OSError as error:
            raise self.unstartable(error) from None
        finally:
            os.close(lock)

    def await_url(self, longest_s: float, ends: Event) -> str | None:
        """Wait until it serves; its URL, None where that takes too long. LocalRelayError where it has ended."""
        end_s = time.monotonic() + longest_s
        while (url := self.folder.url()) is None and time.monotonic() < end_s and not ends.is_set():
            self._go_on()
            ends.wait(_PAUSE_S)
        return url

    def _go_on(self) -> None:
        """Where it has ended, it may be that another one took a port in the meantime: try others once."""
        try:
            self.check()
        except LocalRelayError:
            if not self._has_usual_ports:
                raise
            self._has_usual_ports = False
            self.start()

    def _words(self) -> list[str]:
        port, admin_port = (_free(each) if self._has_usual_ports else 0 for each in (_PORT, _ADMIN_PORT))
        self._has_usual_ports = (port, admin_port) != (0, 0)
        return [
            "gateway", "relay", "--server", str(self._data / KUBECONFIG), "--namespace", NAMESPACE,
            "--workload", WORKLOAD, "--host", _HOST, "--port", str(port), "--admin-port", str(admin_port),
            "--drain-seconds", _DRAIN_S,
        ]  # fmt: skip


def _free(port: int) -> int:
    """The port where nobody listens there, else 0, which takes a free one."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((_HOST, port))
        except OSError:
            return 0
    return port

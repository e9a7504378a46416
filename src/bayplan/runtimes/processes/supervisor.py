"""The parent of one replica: a small program that keeps its log, stops it, and never lets it outlive the worker.

It is started as a process of its own. The first line of its stdin says what to start; `{"stop": SECONDS}` ends the
replica with that much grace; the end of stdin means that the worker is gone. It tells on stdout, as JSON lines, that
the replica was started, could not be, or has ended. It needs the standard library alone, so that it is light.
"""

from __future__ import annotations

import fcntl
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from bayplan.runtimes.processes.process_tree import adopt_orphans, below, die_with_parent, kill_below, signal_group
from bayplan.runtimes.processes.rotated_log import RotatedLog

LOST_GRACE_S = 5.0
"""How long a replica may take to end after its worker was lost; with killing it is gone well within ten seconds."""
_FOLLOWERS_S = 2.0  # what a replica leaves behind may take that long to end by itself
_TICK_S = 0.2
_CHUNK = 1 << 16


class Supervisor:
    """One replica from start to end."""

    def __init__(self, order: dict[str, Any], commands: bytes = b"") -> None:
        self._order = order
        self._log = RotatedLog(Path(order["log"]), order["log_bytes"], order["log_files"])
        self._events = selectors.DefaultSelector()
        self._commands = commands
        self._deadline_s: float | None = None
        self._replica: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Until the replica and everything that it started are gone."""
        adopt_orphans()
        lock = os.open(self._order["lock"], os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_SH)  # held until this process is gone: a new worker waits for it
        try:
            replica = self._replica = self._start()
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._log.close()
            Path(self._order["log"]).unlink(missing_ok=True)  # what was not started has no log
            tell(failed=str(error))
            return 1
        began_s = time.time()
        tell(started=replica.pid, at=began_s)
        self._watch(replica)
        self._clear(replica)
        code = replica.returncode
        tell(ended=code if code >= 0 else 128 - code, signal=max(0, -code), began=began_s, at=time.time())
        return 0

    def _start(self) -> subprocess.Popen[bytes]:
        order = self._order
        return subprocess.Popen(  # noqa: S603 (running what a Pod says is what a worker is for)
            order["argv"],
            cwd=order["cwd"],
            env=order["env"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509 (this process has one thread)
        )

    def _watch(self, replica: subprocess.Popen[bytes]) -> None:
        """Keep the log and obey, until the replica itself has ended."""
        output = replica.stdout
        assert output is not None  # noqa: S101 (it was asked for)
        for stream in (output.fileno(), sys.stdin.fileno()):
            os.set_blocking(stream, False)
            self._events.register(stream, selectors.EVENT_READ)
        signal.set_wakeup_fd(self._wake_up())
        self._obey_lines()
        while replica.poll() is None:
            for key, _ in self._events.select(self._wait_s()):
                self._read(key.fd, output.fileno())
            if self._deadline_s is not None and time.monotonic() >= self._deadline_s:
                signal_group(replica.pid, signal.SIGKILL)

    def _wake_up(self) -> int:
        """SIGCHLD ends the wait for output, so that the end of a replica is told at once."""
        reading, writing = os.pipe()
        for end in (reading, writing):
            os.set_blocking(end, False)
        self._events.register(reading, selectors.EVENT_READ)
        signal.signal(signal.SIGCHLD, _nothing)
        return writing

    def _wait_s(self) -> float | None:
        return None if self._deadline_s is None else _TICK_S

    def _read(self, stream: int, output: int) -> None:
        try:
            data = os.read(stream, _CHUNK)
        except BlockingIOError:
            return
        if stream == output:
            self._log.write(data)
        elif stream == sys.stdin.fileno():
            self._obey(data)
        if not data:
            self._events.unregister(stream)

    def _obey(self, data: bytes) -> None:
        if not data:
            self._stop(LOST_GRACE_S)
            return
        self._commands += data
        self._obey_lines()

    def _obey_lines(self) -> None:
        *lines, self._commands = self._commands.split(b"\n")
        for line in lines:
            self._stop(float(json.loads(line)["stop"]))

    def _stop(self, grace_s: float) -> None:
        """Ask the replica to end; a later stop can only shorten the time."""
        if self._replica is None:
            return
        deadline_s = time.monotonic() + max(0.0, grace_s)
        if self._deadline_s is None:
            signal_group(self._replica.pid, signal.SIGTERM)
        self._deadline_s = deadline_s if self._deadline_s is None else min(self._deadline_s, deadline_s)

    def _clear(self, replica: subprocess.Popen[bytes]) -> None:
        """End what the replica left behind: what was asked to stop with it gets a moment, the rest none."""
        if self._deadline_s is not None:
            until_s = min(self._deadline_s, time.monotonic() + _FOLLOWERS_S)
            while below(os.getpid()) and time.monotonic() < until_s:
                self._drain(replica)
                time.sleep(_TICK_S / 10)
        kill_below(replica.pid)
        self._drain(replica)
        self._log.close()

    def _drain(self, replica: subprocess.Popen[bytes]) -> None:
        assert replica.stdout is not None  # noqa: S101 (it was asked for)
        with suppress(BlockingIOError):
            while data := os.read(replica.stdout.fileno(), _CHUNK):
                self._log.write(data)


def tell(**event: Any) -> None:
    """One event to the worker; where it is gone, nothing is left to be told."""
    with suppress(OSError):
        os.write(sys.stdout.fileno(), json.dumps(event).encode() + b"\n")


def main() -> int:
    """Read the order and carry it out; signals are for the worker, not for this process."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, _nothing)  # not SIG_IGN, which the replica would inherit
    order, commands = _first_line()
    if not order:
        return 0
    try:
        return Supervisor(json.loads(order), commands).run()
    except OSError as error:  # such as a full disk, before the replica is started
        tell(failed=str(error))
        return 1


def _nothing(*_: object) -> None:
    """Handle a signal by doing nothing."""


def _first_line() -> tuple[bytes, bytes]:
    """The order, and the beginning of what follows it; no order where the worker ended before it gave one."""
    data = b""
    while b"\n" not in data:
        read = os.read(sys.stdin.fileno(), _CHUNK)
        if not read:
            return b"", b""
        data += read
    order, _, commands = data.partition(b"\n")
    return order, commands


if __name__ == "__main__":
    sys.exit(main())

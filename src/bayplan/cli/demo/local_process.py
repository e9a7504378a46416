"""A command of Bayplan that the demo runs beside its server, as a process of its own.

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
from typing import IO, TYPE_CHECKING, ClassVar

from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_PAUSE_S = 0.05
_PID_BYTES = 32


class LocalProcessError(BayplanError):
    """A process of the demo cannot be started, or has ended; the rest of the demo goes on without it."""

    code = "local-process"


class LocalProcess:
    """Whether it runs is told by the lock that it holds; the lock's file has its process id."""

    error: ClassVar[type[LocalProcessError]] = LocalProcessError
    stop_s: ClassVar[float] = 5.0
    """How long it is given to end; after that it is killed."""

    def __init__(self, place: str, lock: Path, log: Path) -> None:
        self._place = place
        self._lock = lock
        self.log = log
        self._child: subprocess.Popen[bytes] | None = None

    def launch(self, words: Sequence[str], *, held: int | None = None, output: IO[bytes] | None = None) -> int:
        """Start `bayplan WORDS`; its pid. `held` is a lock that it inherits; `output` gets its stdout, else the log."""
        command = [sys.executable, "-m", "bayplan", *words]
        with self.log.open("ab") as log:
            self._child = subprocess.Popen(  # noqa: S603 (our own command)
                command, stdin=subprocess.DEVNULL, stdout=output or log, stderr=log, start_new_session=True,
                pass_fds=() if held is None else (held,),
            )  # fmt: skip
        return self._child.pid

    def unstartable(self, error: OSError) -> LocalProcessError:
        """What to raise where it cannot be started."""
        following = "look whether the folder may be written to, and whether too many processes run"
        return self.error(f"cannot be started: {error.strerror}", place=self._place, next=following)

    def check(self) -> None:
        """Raise `error` where the process that was started has ended."""
        if self._child is not None and self._child.poll() is not None:
            message = f"ended with {self._child.returncode}"
            raise self.error(message, place=self._place, next=f"see {self.log}")

    def terminate(self) -> int | None:
        """Ask it to end; its pid, None where it does not run."""
        pid = self._child.pid if self._child is not None and self._child.poll() is None else self.pid()
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        return pid

    def stop(self) -> None:
        """End it; what it has kept stays."""
        pid = self.terminate()
        if pid is not None:
            self.await_end(pid)

    def await_end(self, pid: int) -> None:
        """Wait for the end of a process that was asked to end, and kill it if that takes too long."""
        end_s = time.monotonic() + self.stop_s
        while time.monotonic() < end_s:
            if self._child is not None:
                self._child.poll()  # its end is noticed only by who asks
            if self.pid() is None and (self._child is None or self._child.returncode is not None):
                return
            time.sleep(_PAUSE_S)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        if self._child is not None:
            self._child.wait()

    def pid(self) -> int | None:
        """The process that holds the lock; None where none does."""
        try:
            lock = os.open(self._lock, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            text = os.pread(lock, _PID_BYTES, 0).decode(errors="replace").strip()
            return int(text) if text.isdecimal() else None
        else:
            return None
        finally:
            os.close(lock)

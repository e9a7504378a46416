"""`bayplan up --demo` as a process of its own, for the guided tour."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self

from bayplan.cli.text import write
from bayplan.framework.errors import BayplanError

_STOP_S = 15.0  # it ends within ten; a loaded machine gets a little more
_READY = "ready "


class ServerEndedError(BayplanError):
    """The server of the tour did not start."""

    code = "no-server"


class ChildServer:
    """Use it in a `with`: the server is stopped at the end, whatever happens inside."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        command = [sys.executable, *_program(), "up", "--demo", "--data", str(self.data), "--port", "0"]
        # A session of its own: Ctrl-C reaches the tour alone, which then stops the server in order.
        self._process = subprocess.Popen(  # noqa: S603 (our own command)
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        return self

    def show_until_ready(self) -> None:
        """Pass on what the server prints, up to the line that says that it is ready."""
        if self._process is None or self._process.stdout is None:
            return
        for line in self._process.stdout:
            if line.startswith(_READY):
                return
            write(line)
            sys.stdout.flush()
        message = f"the server ended with {self._process.wait()}"
        raise ServerEndedError(message, place="bayplan demo", next="see what it says above")

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> int:
        """Stop the server and its worker; the exit code."""
        if self._process is None:
            return 0
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
        try:
            code = self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            code = self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process = None
        return code


def _program() -> list[str]:
    """As this process was started, so that the server names itself in the same way."""
    called = Path(sys.argv[0])
    return [str(called)] if called.name == "bayplan" and called.is_file() else ["-m", "bayplan"]

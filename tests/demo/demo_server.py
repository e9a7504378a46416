"""`bayplan up --demo` and `bayplan demo` as processes, as users start them, and what is left of them."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

PATIENCE_S = 90  # for a machine with much else to do; it takes about ten seconds
STOP_S = 20  # it ends within ten; a loaded machine gets twice that


def environment():
    """Without MLServer: servers of models are simulated, which takes less time."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("BAYPLAN_")}
    return {**kept, "BAYPLAN_MLSERVER": os.devnull}


class DemoServer:
    """Use it in a `with`; its lines are collected while it runs."""

    def __init__(self, data: Path, *flags: str) -> None:
        self.data = data
        command = [sys.executable, "-m", "bayplan", "up", "--data", str(data), "--port", "0", *flags]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
        )
        self.out: list[str] = []
        self.err: list[str] = []
        self._news = threading.Condition()
        streams = ((self.process.stdout, self.out), (self.process.stderr, self.err))
        self._readers = [threading.Thread(target=self._read, args=each, daemon=True) for each in streams]
        for each in self._readers:
            each.start()

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        for each in self._readers:
            each.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def _read(self, stream, lines) -> None:
        for line in stream:
            with self._news:
                lines.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            lines.append("<end>")
            self._news.notify_all()

    def seen(self, beginning: str) -> str:
        """Wait for a line that begins like this; the line."""
        end_s = time.monotonic() + PATIENCE_S
        with self._news:
            while True:
                for line in (*self.out, *self.err):
                    if line.startswith(beginning):
                        return line
                ended = "<end>" in self.out and "<end>" in self.err
                if ended or not self._news.wait(end_s - time.monotonic()):
                    raise AssertionError(f"no line {beginning!r} in {self.out} {self.err}")

    def interrupt(self) -> int:
        """Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(STOP_S)


def processes_of(folder: Path) -> list[str]:
    """Command lines of living processes that name a folder."""
    found = []
    for each in Path("/proc").iterdir():
        try:
            words = (each / "cmdline").read_bytes().split(b"\0") if each.name.isdecimal() else []
        except OSError:
            continue
        if any(str(folder).encode() in word for word in words) and int(each.name) != os.getpid():
            found.append(b" ".join(words).decode(errors="replace"))
    return found

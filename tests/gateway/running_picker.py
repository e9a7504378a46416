"""`bayplan gateway ext-proc` in a process of its own, with endpoints that nobody listens at."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.running import LONGEST_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENDPOINTS = [{"name": f"e{port}", "address": "127.0.0.1", "port": port} for port in (1, 2, 3)]


@dataclass
class RunningPicker:
    """A picker that runs; `said` are its lines by their first words."""

    process: subprocess.Popen[str]
    said: dict[str, str]

    @property
    def address(self) -> str:
        return self.said["ready"]

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])

    def stop(self) -> int:
        """End it as a supervisor does; its exit code."""
        self.process.terminate()
        return self.process.wait(LONGEST_S)


@contextmanager
def running_picker(folder: Path, *flags: str) -> Iterator[RunningPicker]:
    """Start one, and stop it at the end."""
    file = folder / "endpoints.json"
    file.write_text(json.dumps({"endpoints": ENDPOINTS}))
    command = [sys.executable, "-m", "bayplan", "gateway", "ext-proc", "--endpoints", str(file), "--port", "0", *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    said: dict[str, str] = {}
    try:
        for line in process.stdout:
            word, _, rest = line.strip().partition(" ")
            said[word] = rest
            if word == "ready":
                yield RunningPicker(process, said)
                return
        raise AssertionError(f"the picker ended with {process.wait()}: {process.stderr.read()}")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

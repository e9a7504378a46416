"""Processes of the benchmark: started, waited for, measured with all their children, and ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PATIENCE_S = 60.0


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def running(command: Sequence[str], port: int, log: Path, env: dict[str, str] | None = None) -> Iterator[int]:
    """A process that listens at a port; its id. It is ended with its children, which share its process group."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, env={**os.environ, **(env or {})}
        )
    try:
        _wait_for(port, process, log)
        yield process.pid
    finally:
        _end(process)


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        with socket.socket() as client:
            client.settimeout(1)
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"{process.args!r} does not listen at {port}: {log.read_text(errors='replace')[-1500:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(10)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
        else:
            break


def cpu_s(pid: int, named: str = "") -> float:
    """CPU seconds of a process and its children so far; of those alone whose program has `named` in its name."""
    return sum(_cpu_s(each) for each in _family(pid) if named in _program(each))


def _family(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, left = [], [pid]
    while left:
        each = left.pop()
        found.append(each)
        left += parents.get(each, [])
    return found


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _cpu_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S  # utime and stime, counted from the state

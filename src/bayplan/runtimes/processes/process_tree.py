"""Processes below this one: found, signalled and reaped, also where they left their group or their parent died."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # of linux/prctl.h
_LIBC = ctypes.CDLL(None)
_PAUSE_S = 0.01


def adopt_orphans() -> None:
    """From now on processes below this one whose parent dies become children of this one, not of init."""
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """The kernel kills this process when its parent ends; called between fork and exec."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def below(pid: int) -> list[int]:
    """All processes below one, children before grandchildren."""
    found = [pid]
    for each in found:
        found.extend(_children(each))
    return found[1:]


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with suppress(OSError):  # a process that ended meanwhile
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                children += map(int, (thread / "children").read_text().split())
    return children


def signal_group(leader: int, number: int) -> None:
    """Signal a process group; one that is gone is no error."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def kill_below(leader: int) -> None:
    """Kill everything below this process, and the group of `leader`, and wait until nothing is left."""
    while True:
        signal_group(leader, signal.SIGKILL)
        for pid in below(os.getpid()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not reap():
            return
        time.sleep(_PAUSE_S)


def reap() -> bool:
    """Collect children that have ended; whether any are left."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True

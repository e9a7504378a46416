"""What a replica writes, line by line with its time, in files of limited size.

A line on disk is `TIME TAG TEXT`, as container runtimes of Kubernetes write it; TAG is F, or P where the line goes on.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WHOLE, PART = b"F", b"P"
LONGEST_LINE = 16 * 1024
"""Bytes after which a line is written as a part: progress bars never end their lines."""


class RotatedLog:
    """Appends to `path`; a full file becomes `path.1`, that one `path.2`, and the oldest is deleted."""

    def __init__(self, path: Path, most_bytes: int, files: int) -> None:
        self._path = path
        self._most_bytes, self._files = most_bytes, max(1, files)
        self._rest = b""
        self._open()

    def write(self, data: bytes) -> None:
        """Write the whole lines of what came so far; a full disk loses lines, but never stops the replica."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._line(WHOLE, line)
        while len(self._rest) >= LONGEST_LINE:
            self._line(PART, self._rest[:LONGEST_LINE])
            self._rest = self._rest[LONGEST_LINE:]

    def close(self) -> None:
        """Write the last line, although it was not ended."""
        if self._rest:
            self._line(WHOLE, self._rest)
        os.close(self._descriptor)

    def _line(self, tag: bytes, text: bytes) -> None:
        line = b"%b %b %b\n" % (stamp().encode(), tag, text)
        if self._size and self._size + len(line) > self._most_bytes:
            self._rotate()
        try:
            self._size += os.write(self._descriptor, line)
        except OSError:
            return

    def _open(self) -> None:
        self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._size = os.fstat(self._descriptor).st_size

    def _rotate(self) -> None:
        os.close(self._descriptor)
        names = [self._path, *(older(self._path, number) for number in range(1, self._files))]
        try:
            names[-1].unlink(missing_ok=True)
            for source, target in zip(names[-2::-1], names[:0:-1], strict=True):
                if source.exists():
                    source.rename(target)
        finally:
            self._open()


def older(path: Path, number: int) -> Path:
    """The file that `path` became when it was full; 1 is the newest."""
    return path.with_name(f"{path.name}.{number}")


def stamp() -> str:
    """The time in the form that kubectl shows: nanoseconds, so that lines sort by it."""
    now = time.time_ns()
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
    return f"{whole}.{now % 10**9:09d}Z"

"""The log of one run of a container, as `kubectl logs` asks for it: the end of it, since a time, and what follows."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from bayplan.runtimes.processes.rotated_log import PART, older

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

_CHUNK = 1 << 16
_LOOK_S = 0.2  # between two looks at a log that is followed


@dataclass(frozen=True, slots=True)
class LogQuery:
    """What is asked for; `since` is a time as in the log, `limit_bytes` counts what is answered."""

    tail: int | None = None
    since: str = ""
    timestamps: bool = False
    limit_bytes: int | None = None
    follow: bool = False


async def read_log(path: Path, query: LogQuery, ended: Callable[[], bool]) -> AsyncIterator[bytes]:
    """Pieces of the log; a log that is followed ends with the container."""
    left = query.limit_bytes
    async for lines in _pieces(path, query, ended):
        piece = b"".join(_shown(line, query) for line in lines)
        if left is not None:
            piece = piece[:left]
            left -= len(piece)
        if piece:
            yield piece
        if left == 0:
            return


def _shown(line: bytes, query: LogQuery) -> bytes:
    """A line without its tag; the end of a part is not the end of the line."""
    stamp, _, rest = line.partition(b" ")
    tag, _, text = rest.partition(b" ")
    if query.since and stamp.decode(errors="replace") < query.since:
        return b""
    text = text.removesuffix(b"\n") if tag == PART else text
    return stamp + b" " + text if query.timestamps else text


async def _pieces(path: Path, query: LogQuery, ended: Callable[[], bool]) -> AsyncIterator[list[bytes]]:
    files = _files(path)
    with ExitStack() as closing:
        streams: list[BinaryIO] = [closing.enter_context(each.open("rb")) for each in files]
        if query.tail is not None:
            streams = _from_the_end(streams, query.tail)
        for stream in streams[:-1]:
            for lines in _whole_lines(stream):
                yield lines
                await asyncio.sleep(0)
        if streams:
            async for lines in _last(path, streams[-1], query, ended, closing):
                yield lines


async def _last(
    path: Path, stream: BinaryIO, query: LogQuery, ended: Callable[[], bool], closing: ExitStack
) -> AsyncIterator[list[bytes]]:
    """The newest file, and those that take its place while it is followed."""
    while True:
        over = not query.follow or ended()  # asked before reading: what came before the end must be read
        for lines in _whole_lines(stream):
            yield lines
            await asyncio.sleep(0)
        newer = _newer(path, stream)
        if newer is not None:
            stream = closing.enter_context(newer.open("rb"))
        elif over:
            return
        else:
            await asyncio.sleep(_LOOK_S)


def _files(path: Path) -> list[Path]:
    """The files of a log, the oldest first."""
    numbered = sorted((int(each.name.rpartition(".")[2]), each) for each in path.parent.glob(f"{path.name}.*[0-9]"))
    return [each for _, each in reversed(numbered)] + ([path] if path.exists() else [])


def _newer(path: Path, stream: BinaryIO) -> Path | None:
    """The file that was begun after this one was full; None where this one is the newest."""
    own = os.fstat(stream.fileno()).st_ino
    newer: Path | None = None
    for number in range(len(_files(path))):
        each = path if number == 0 else older(path, number)
        try:
            if each.stat().st_ino == own:
                return newer
        except FileNotFoundError:
            continue
        newer = each
    return newer


def _whole_lines(stream: BinaryIO) -> Iterator[list[bytes]]:
    """Lines up to the last that is whole; the stream stays behind it."""
    while True:
        at = stream.tell()
        data = stream.read(_CHUNK)
        end = data.rfind(b"\n") + 1
        stream.seek(at + end)
        if not end:
            return
        yield data[:end].splitlines(keepends=True)


def _from_the_end(streams: list[BinaryIO], lines: int) -> list[BinaryIO]:
    """The streams from the one in which the last `lines` begin, at the place where they begin."""
    for place in range(len(streams) - 1, -1, -1):
        found = _seek_back(streams[place], lines)
        lines -= found
        if lines <= 0:
            return streams[place:]
    return streams


def _seek_back(stream: BinaryIO, lines: int) -> int:
    """Go to the beginning of the last `lines`, or of the file; how many there are from there on."""
    at = stream.seek(0, os.SEEK_END)
    if lines <= 0:
        return 0
    found = 0
    while at:
        step = min(_CHUNK, at)
        at -= step
        stream.seek(at)
        data = stream.read(step)
        place = len(data)
        while (place := data.rfind(b"\n", 0, place)) >= 0:
            if found == lines:
                stream.seek(at + place + 1)
                return found
            found += 1
    stream.seek(0)
    return found

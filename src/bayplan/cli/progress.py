"""A message on the terminal while something takes long."""

from __future__ import annotations

import contextlib
import sys
from threading import Timer
from typing import TYPE_CHECKING

from bayplan.cli.output import has_colours

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_S = 1.5  # below this a message would only flicker
_ERASE = "\r\x1b[K"


@contextlib.contextmanager
def told_when_slow(text: str, *, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Print to stderr what is going on once it takes long; only on a terminal."""
    stream = sys.stderr
    if stream is None or not has_colours(stream):
        yield
        return
    said = False

    def say() -> None:
        nonlocal said
        said = True
        stream.write(f"{text} ...")
        stream.flush()

    timer = Timer(patience_s, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if said:
            stream.write(_ERASE)

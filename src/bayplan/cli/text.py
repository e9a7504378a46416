"""Plain text for terminals and pipes: one line, some columns."""

from __future__ import annotations

import sys
from itertools import zip_longest
from typing import TYPE_CHECKING

from bayplan.cluster.identity import WorkloadKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

GAP = "  "


def write(text: str) -> None:
    """Write text to stdout; characters that it cannot encode become escapes. A closed stdout is no error."""
    if sys.stdout is not None:
        sys.stdout.write(text if can_show(text) else text.encode("ascii", "backslashreplace").decode())


def can_show(text: str) -> bool:
    """Whether stdout can encode every character of the text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def one_line(text: str) -> str:
    """The text without line breaks and without control characters, which could steer a terminal."""
    joined = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in joined)


def workload_text(document: Mapping[str, Any]) -> str:
    """The workload that a document is about, with its namespace where that is not the default one."""
    return str(WorkloadKey(document["namespace"], document["workload"]))


def columns(rows: Iterable[Sequence[str]], *, indent: str = "") -> str:
    """The rows as lines, their cells aligned in columns."""
    cells = [tuple(map(one_line, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*cells, fillvalue="")]
    lines = (
        indent + GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip() for row in cells
    )
    return "".join(f"{line}\n" for line in lines)

"""What commands print: a document for programs, or text and tables for people.

With `-o json` or `-o yaml` stdout holds the document and nothing else. Colours and drawn tables are for terminals;
a pipe gets plain columns.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from bayplan.cli.text import can_show, columns, one_line, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

Format: TypeAlias = Annotated[
    Literal["table", "wide", "json", "yaml"],
    Parameter(name=("--output", "-o"), negative=(), help="How to print it."),
]


_MANY_LETTERS = "\u00e4\u0434\u4e2d\U0001f600"
"""Letters of four widths: an encoding that holds them holds all."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table for people; its last `wide` columns are shown with `-o wide` only."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    wide: int = 0

    def narrowed(self) -> Sheet:
        """Without the columns that only `-o wide` shows."""
        kept = len(self.header) - self.wide
        return Sheet(self.header[:kept], [row[:kept] for row in self.rows])


@dataclass(frozen=True, slots=True)
class Title:
    """A line that stands out on a terminal; `style` is a colour as rich names it."""

    text: str
    style: str = "bold cyan"


Part: TypeAlias = str | Sheet | Title


def emit(document: Any, output: str, *parts: Part) -> None:
    """Print the document as it is, or the parts that people read, as `output` says."""
    if output == "json":
        write(as_json(document))
        return
    if output == "yaml":
        for piece in as_yaml(document):
            write(piece)
        return
    for part in parts:
        if isinstance(part, str):
            write(f"{part}\n")
        elif isinstance(part, Title):
            heading(one_line(part.text), part.style)
        else:
            draw(part if output == "wide" else part.narrowed())


def as_json(document: Any) -> str:
    """Indented JSON, its keys in the order in which they were made; escaped where stdout cannot hold a letter."""
    import orjson  # noqa: PLC0415 (only who prints JSON pays for it)

    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    return text if can_show(text) else json.dumps(document, indent=2) + "\n"


def as_yaml(document: Any) -> Iterator[str]:
    """YAML in pieces, its keys in the order in which they were made; escaped where stdout cannot hold every letter."""
    from bayplan.cli.yaml_output import yaml_pieces  # noqa: PLC0415 (only who prints YAML pays for it)

    return yaml_pieces(document, unicode=can_show(_MANY_LETTERS))


def draw(sheet: Sheet) -> None:
    """A table on a terminal, aligned columns in a pipe."""
    if not is_terminal(sys.stdout):
        write(columns([sheet.header, *sheet.rows]))
        return
    from rich.table import Table  # noqa: PLC0415 (rich is slow to import, and a pipe does not need it)
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="bold cyan")
    for name in sheet.header:
        table.add_column(name)
    for row in sheet.rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    console().print(table)


def heading(text: str, style: str = "bold cyan") -> None:
    """A line that stands out on a terminal."""
    if has_colours(sys.stdout):
        console().print(text, style=style, markup=False, highlight=False, soft_wrap=True)
    else:
        write(f"{text}\n")


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a person is likely to look at it."""
    return stream is not None and stream.isatty()


def has_colours(stream: IO[str] | None) -> bool:
    """Whether colours are welcome: on a terminal that can show them, unless NO_COLOR (or `--no-color`) says no."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def console() -> Console:
    """The terminal, with colours where they are welcome."""
    from rich.console import Console  # noqa: PLC0415 (as above)

    return Console(file=sys.stdout, color_system="auto" if has_colours(sys.stdout) else None)

"""What commands print: a document for programs, or text and tables for people.

With `-o json` or `-o yaml` stdout holds the document and nothing else. Colours and drawn tables are for terminals;
a pipe gets plain columns.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from shutil import get_terminal_size
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from bayplan.cli.layout import Sheet, in_lines, laid_out
from bayplan.cli.text import can_show, columns, one_line, write

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Format", "Part", "Sheet", "Style", "Title", "Verbatim", "emit"]

Format: TypeAlias = Annotated[
    Literal["table", "wide", "json", "yaml"],
    Parameter(name=("--output", "-o"), negative=(), help="How to print it."),
]


Style: TypeAlias = Literal["title", "good", "doubtful", "bad"]
_STYLES: dict[Style, str] = {"title": "1;36", "good": "1;32", "doubtful": "1;33", "bad": "1;31"}
"""Bold, in cyan, green, yellow and red, as terminals number them."""
_MANY_LETTERS = "\u00e4\u0434\u4e2d\U0001f600"
"""Characters of one to four bytes: an encoding that has all of them has every character."""


@dataclass(frozen=True, slots=True)
class Title:
    """A line that stands out on a terminal."""

    text: str
    style: Style = "title"


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A line that is copied, such as a command: it is never wrapped."""

    text: str


Part: TypeAlias = str | Sheet | Title | Verbatim
"""What people read: a string is one sentence or several, wrapped at the width of the terminal."""


def emit(document: Any, output: str, *parts: Part) -> None:
    """Print the document as it is, or the parts that people read, in the format `output`."""
    if output == "json":
        write(as_json(document))
        return
    if output == "yaml":
        for piece in as_yaml(document):
            write(piece)
        return
    for part in parts:
        if isinstance(part, str):
            write(f"{_wrapped(part)}\n")
        elif isinstance(part, Verbatim):
            write(f"{part.text}\n")
        elif isinstance(part, Title):
            heading(_wrapped(one_line(part.text)), part.style)
        else:
            draw(part if output == "wide" else part.narrowed(), spare=output != "wide")


def as_json(document: Any) -> str:
    """Indented JSON, keys in their order; characters that stdout cannot encode are escaped."""
    import orjson  # noqa: PLC0415 (only who prints JSON pays for it)

    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    return text if can_show(text) else json.dumps(document, indent=2) + "\n"


def as_yaml(document: Any) -> Iterator[str]:
    """YAML in pieces, keys in their order; characters that stdout cannot encode are escaped."""
    from bayplan.cli.yaml_output import yaml_pieces  # noqa: PLC0415 (only who prints YAML pays for it)

    return yaml_pieces(document, unicode=can_show(_MANY_LETTERS))


def draw(sheet: Sheet, *, spare: bool = True) -> None:
    """Print a table: fitted to the width of a terminal, with columns of full width in a pipe."""
    if not is_terminal(sys.stdout):
        write(columns([sheet.header, *sheet.rows]))
        return
    first, *lines = laid_out(sheet, get_terminal_size().columns, spare=spare) or [""]
    heading(first)
    write("".join(f"{line}\n" for line in lines))


def _wrapped(text: str) -> str:
    if not is_terminal(sys.stdout):
        return text
    return "\n".join(line for each in text.split("\n") for line in in_lines(each, get_terminal_size().columns))


def heading(text: str, style: Style = "title") -> None:
    """A line that stands out on a terminal."""
    write(f"\x1b[{_STYLES[style]}m{text}\x1b[0m\n" if has_colours(sys.stdout) else f"{text}\n")


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether the stream is a terminal, so that a person is likely to read it."""
    return stream is not None and stream.isatty()


def has_colours(stream: IO[str] | None) -> bool:
    """Whether to use colours: on a terminal that can show them, unless NO_COLOR or `--no-color` forbids it."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

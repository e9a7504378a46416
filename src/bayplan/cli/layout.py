"""How a table is laid out on a terminal of a given width: nothing is ever shortened.

A table that is too wide first wraps its columns of sentences, then leaves out columns that the sheet allows to be left
out, and at last becomes a list of records, one field a line. Words are never broken, so that names and codes can be
copied.
"""

from __future__ import annotations

import textwrap
import unicodedata
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from bayplan.cli.text import GAP, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NARROWEST_SENTENCE = 24
"""A column of sentences narrower than this is hard to read, so other columns are left out first."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table for people.

    The last `wide` columns are shown with `-o wide` only. `sentences` are columns whose cells may be wrapped.
    `spare` are groups of columns that a narrow terminal may leave out, the first group first.
    """

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    wide: int = 0
    sentences: tuple[str, ...] = ()
    spare: tuple[tuple[str, ...], ...] = ()

    def narrowed(self) -> Sheet:
        """Without the columns that only `-o wide` shows."""
        kept = len(self.header) - self.wide
        return Sheet(self.header[:kept], [row[:kept] for row in self.rows], 0, self.sentences, self.spare)

    def without(self, names: Sequence[str]) -> Sheet:
        """Without some columns."""
        kept = [place for place, name in enumerate(self.header) if name not in names]
        rows = [tuple(row[place] for place in kept) for row in self.rows]
        return Sheet(tuple(self.header[place] for place in kept), rows, 0, self.sentences, self.spare)


def laid_out(sheet: Sheet, width: int, *, spare: bool) -> list[str]:
    """The lines of a sheet, the header first where there is one; columns are left out only if `spare` allows it."""
    cleaned = Sheet(sheet.header, [tuple(map(one_line, row)) for row in sheet.rows], 0, sheet.sentences, sheet.spare)
    tries = [cleaned]
    if spare:
        for names in sheet.spare:
            tries.append(tries[-1].without(names))
    for each in tries:
        if (widths := _widths(each, width)) is not None:
            return [line for row in (each.header, *each.rows) for line in _wrapped(row, widths)]
    return list(_records(tries[-1], width))


def cells(text: str) -> int:
    """The width of a text on a terminal: East Asian wide characters take two cells."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def _widths(sheet: Sheet, width: int) -> list[int] | None:
    """The widths of the columns, with sentences narrowed as far as needed; None if even that is too wide."""
    columns = list(zip(sheet.header, *sheet.rows, strict=True))
    widths = [max(map(cells, column)) for column in columns]
    least = [
        max(min(own, NARROWEST_SENTENCE), *(cells(word) for cell in column for word in cell.split() or [""]))
        if column[0] in sheet.sentences
        else own
        for column, own in zip(columns, widths, strict=True)
    ]
    room = width - len(GAP) * (len(columns) - 1)
    if sum(least) > room:
        return None
    while sum(widths) > room:
        widest = max(range(len(widths)), key=lambda place: widths[place] - least[place])
        widths[widest] -= min(widths[widest] - least[widest], sum(widths) - room)
    return widths


def _wrapped(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """One row, in as many lines as its longest cell needs."""
    parts = [in_lines(cell, width) for cell, width in zip(row, widths, strict=True)]
    for line in zip_longest(*parts, fillvalue=""):
        yield GAP.join(text + " " * (width - cells(text)) for text, width in zip(line, widths, strict=True)).rstrip()


def _records(sheet: Sheet, width: int) -> Iterator[str]:
    """Each row as lines `NAME: value`, with an empty line between two rows; empty cells are left out."""
    for number, row in enumerate(sheet.rows):
        if number:
            yield ""
        for name, cell in zip(sheet.header, row, strict=True):
            if cell:
                first, *more = in_lines(f"{name}: {cell}", width - len(GAP))
                yield first
                yield from (f"{GAP}{line}" for line in more)


def in_lines(text: str, width: int) -> list[str]:
    """A text as lines of at most this width; words are not broken."""
    if cells(text) <= width:
        return [text]
    return textwrap.wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False) or [""]

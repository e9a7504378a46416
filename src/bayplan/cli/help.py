"""The layout of help: the same two columns for the overview and for each command."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from itertools import zip_longest
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from bayplan.cli.commands import COMMANDS, GLOBAL_FLAGS, PURPOSE
from bayplan.cli.layout import in_lines
from bayplan.cli.text import columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions


_NARROWEST = 24
"""Below this width wrapped help is harder to read than lines that overflow."""


def overview() -> str:
    """The text of `bayplan --help`, made without cyclopts: importing it would take most of the time of this command."""
    commands = [(" ".join(command.words), command.help) for command in COMMANDS]
    return (
        "Usage: bayplan COMMAND\n\n"
        f"{PURPOSE}\n\n"
        f"{_section('Commands', commands)}\n"
        f"{_section('Options', GLOBAL_FLAGS)}\n"
        "Every command explains itself: bayplan COMMAND --help\n"
    )


class PlainHelp:
    """Help of one command, called by cyclopts, in the layout of the overview."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        if panel.entries:
            _print(console, "\n" + _section(str(panel.title), map(_entry, panel.entries)))

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        _print(console, f"Usage: {_plain(usage).removeprefix('Usage: ')}\n")

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        text = _plain(description)
        _print(console, "".join(f"\n{_paragraph(part)}\n" for part in (text, *_details(text))))


def _details(purpose: str) -> list[str]:
    """The docstring of a command without its first line; its code is imported already at this point."""
    target = next((command.target for command in COMMANDS if command.help == purpose), None)
    if target is None:
        return []
    module, _, function = target.partition(":")
    _, *paragraphs = inspect.cleandoc(getattr(import_module(module), function).__doc__ or "").split("\n\n")
    return paragraphs


def _section(title: str, rows: Iterable[Sequence[str]]) -> str:
    """Two columns; on a terminal the second is wrapped at its width."""
    listed = [(label, text) for label, text in rows]
    if not _on_terminal():
        return f"{title}:\n{columns(listed, indent='  ')}"
    first = max(len(label) for label, _ in listed)
    width = max(_NARROWEST, get_terminal_size().columns - first - 4)
    lines = [
        f"  {label.ljust(first)}  {line}".rstrip()
        for name, text in listed
        for label, line in zip_longest([name], in_lines(text, width), fillvalue="")
    ]
    return f"{title}:\n" + "".join(f"{line}\n" for line in lines)


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _paragraph(text: str) -> str:
    """A paragraph, wrapped at the width of a terminal; in a pipe with the lines of the docstring."""
    if not _on_terminal():
        return text
    return "\n".join(in_lines(" ".join(text.split()), get_terminal_size().columns))


def _entry(entry: HelpEntry) -> tuple[str, str]:
    label = ", ".join(entry.display_labels)
    notes = []
    if entry.choices:
        notes.append(f"one of {', '.join(entry.choices)}")
    if entry.default is not None:
        notes.append(f"default {_plain(entry.default)}")
    if entry.required:
        notes.append("required")
    text = _plain(entry.description)
    return label, f"{text} ({'; '.join(notes)})" if notes else text


def _plain(shown: Any) -> str:
    """Plain text from cyclopts: from a string, rich text, or an object that holds either."""
    if shown is None:
        return ""
    inner = getattr(shown, "primary_renderable", shown)
    return str(getattr(inner, "plain", inner)).strip()


def _print(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True, end="")

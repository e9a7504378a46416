"""The layout of Triton: folders of versions, and a config.pbtxt that names the folder of the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from bayplan.runtimes.servers.load_errors import FinalLoadError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from bayplan.runtimes.servers.bookings import Booking

CONFIG: Final = "config.pbtxt"
_NAME: Final = re.compile(r'name\s*:\s*(?:"[^"\n]*"|\'[^\'\n]*\')')
_GROUP: Final = re.compile(r"instance_group\s*:?\s*(?=[\[{])")
_COUNT: Final = re.compile(r"count\s*:\s*(\d{1,6})")
_OPENING, _CLOSING = "[{", "]}"


def lay_out_for_triton(folder: Path, booking: Booking, env: Mapping[str, str]) -> int:
    """Give the model its name, and files without a version version 1. The number of instances that will run."""
    if not any(each.is_dir() and each.name.isdigit() for each in folder.iterdir()):
        _make_version(folder)
    file = folder / CONFIG
    if not file.exists():
        return 1  # Triton works out the rest by itself
    try:
        config = file.read_text()
    except UnicodeDecodeError:
        raise FinalLoadError(f"{booking.storage_uri}: its {CONFIG} is no text") from None
    file.write_text(named(config, booking.name))
    return instances(config)


def _make_version(folder: Path) -> None:
    moved = [each for each in folder.iterdir() if each.name != CONFIG]
    version = folder / "1"
    version.mkdir()
    for each in moved:
        each.rename(version / each.name)


def named(config: str, name: str) -> str:
    """The same configuration under another name; names of inputs and outputs, which are nested, stay."""
    for start, depth in _starts(config, _NAME):
        if depth == 0:
            end = _NAME.match(config, start)
            assert end is not None  # noqa: S101 (it was found there)
            return f'{config[:start]}name: "{name}"{config[end.end() :]}'
    return f'name: "{name}"\n{config}'


def instances(config: str) -> int:
    """How many copies of the model run: the counts of its instance groups, each 1 where it has none."""
    total = 0
    for start, depth in _starts(config, _GROUP):
        found = _GROUP.match(config, start)
        if depth == 0 and found is not None:
            part = _bracketed(config, found.end())
            total += sum(int(each[1]) for each in _COUNT.finditer(part)) or 1
    return max(1, total)


def _starts(config: str, wanted: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where words begin that match, with the depth of brackets there."""
    for position, depth in _depths(config):
        before = config[position - 1] if position else " "
        if not (before.isalnum() or before in "_\"'") and wanted.match(config, position):
            yield position, depth


def _depths(config: str) -> Iterator[tuple[int, int]]:
    """Each position outside of texts and comments, with the depth of brackets there."""
    depth, quote, comment = 0, "", False
    for position, letter in enumerate(config):
        if comment or quote:
            comment = comment and letter != "\n"
            quote = "" if letter == quote else quote
            continue
        yield position, depth
        if letter in "\"'":
            quote = letter
        comment = letter == "#"
        depth += (letter in _OPENING) - (letter in _CLOSING)


def _bracketed(config: str, start: int) -> str:
    """The text from a bracket to the one that closes it."""
    depth = 0
    for position, letter in enumerate(config[start:], start):
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if depth == 0:
            return config[start : position + 1]
    return config[start:]

"""Files and folders that a command names: which files of a folder are read, and in which order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STDIN = "-"
ENDINGS = (".yaml", ".yml", ".json")


class Named(NamedTuple):
    """One file to read. With `in_folder` only its folder was named, so the file may be about something else."""

    name: str
    in_folder: bool


def files_of(names: Iterable[str]) -> Iterator[Named]:
    """Every file in order; of a folder all .yaml, .yml and .json files, also in folders inside it, sorted by path.

    Hidden files and folders are skipped.
    """
    for name in names:
        if name != STDIN and os.path.isdir(name):  # noqa: PTH112 (says no where Path.is_dir would raise)
            yield from (Named(str(path), in_folder=True) for path in _files_in(name))
        else:
            yield Named(name, in_folder=False)


def _files_in(folder: str) -> list[Path]:
    found = []
    for path, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(path, name) for name in files if not name.startswith(".") and name.lower().endswith(ENDINGS)]
    if not found:
        message = "there is no .yaml, .yml or .json file in this folder"
        raise InputError(message, place=folder, next="name a folder with documents, or the files themselves")
    return sorted(found)


def _refuse(error: OSError) -> None:
    message = f"this folder cannot be read: {error.strerror or error}"
    raise InputError(message, place=str(error.filename), next="check its permissions", code="io") from None

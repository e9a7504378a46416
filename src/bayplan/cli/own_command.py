"""The command `bayplan` as the reader of a message can call it."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from shutil import which

from bayplan.cli.server.data_folder import usual_folder


def own_command() -> str:
    """By name, or by path where the shell would not find the name."""
    called = sys.argv[0]
    return called if Path(called).name == "bayplan" and which("bayplan") is None else "bayplan"


def folder_flag(folder: Path) -> str:
    """The flag that names a data folder, with a space before it; nothing where commands look there anyway.

    The variable of this terminal does not count: the next one may not have it.
    """
    return "" if usual_folder().absolute() == folder.absolute() else f" --data {quote(str(folder))}"

"""The folder in which a server keeps its data, and in which commands find out how to reach it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

DATA = "BAYPLAN_DATA"
KUBECONFIG = "kubeconfig"

DataFolder: TypeAlias = Annotated[
    Path | None, Parameter(name="--data", help="The folder of the server's data; $BAYPLAN_DATA by default.")
]


def data_folder(given: Path | None) -> Path:
    """Where a server keeps its data: what is given, else $BAYPLAN_DATA, else a folder of the user's own."""
    if given is not None:
        return given
    if named := os.environ.get(DATA):
        return Path(named)
    return usual_folder()


def usual_folder() -> Path:
    """Where data are kept of users who say nothing."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "bayplan"

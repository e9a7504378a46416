"""`bayplan help [COMMAND]`: the same as `bayplan COMMAND --help`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from bayplan.cli.help import overview
from bayplan.cli.text import write


def show_help(*command: Annotated[str, Parameter(help="The command, such as plan or config check.")]) -> None:
    """Show help about all commands, or about one: bayplan help plan, bayplan help config check."""
    if not command:
        write(overview())
        return
    from bayplan.cli.app import build  # noqa: PLC0415 (it imports this command in turn)

    build()([*command, "--help"])

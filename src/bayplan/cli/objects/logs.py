"""`bayplan logs`: what a container wrote."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from bayplan.cli.objects.flags import Namespace
from bayplan.cli.objects.targets import one_target
from bayplan.cli.server.connection import connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.text import write

COMMAND = "bayplan logs"


def logs(
    pod: Annotated[str, Parameter(help="The Pod: NAME or pod/NAME.")],
    *,
    container: Annotated[
        str | None, Parameter(name=("--container", "-c"), help="The container, where a Pod has several.")
    ] = None,
    follow: Annotated[
        bool, Parameter(name=("--follow", "-f"), negative=(), help="Go on with what is written.")
    ] = False,
    tail: Annotated[int | None, Parameter(help="Only the last lines, that many.")] = None,
    previous: Annotated[
        bool, Parameter(name=("--previous", "-p"), negative=(), help="Of the run before the last start.")
    ] = False,
    namespace: Namespace = None,
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """Print what a container of a Pod wrote."""
    target = one_target([pod if "/" in pod else f"pod/{pod}"], namespace, COMMAND)
    query = {"container": container, "follow": follow, "tailLines": tail, "previous": previous}
    with connect(server, data) as connection:
        for piece in connection.stream("GET", f"{target.path}/log", query, place=target.place, endless=follow):
            write(piece.decode("utf-8", "replace"))
            sys.stdout.flush()

"""`bayplan logs`: what a container wrote."""

from __future__ import annotations

import codecs
import math
import sys
from typing import Annotated

from cyclopts import Parameter

from bayplan.cli.objects.flags import Namespace
from bayplan.cli.objects.targets import one_target
from bayplan.cli.server.connection import connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.text import write
from bayplan.cluster.quantities import parse_duration_s

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
    since: Annotated[str | None, Parameter(help="Only what was written since then: 30s, 5m, 2h.")] = None,
    timestamps: Annotated[bool, Parameter(negative=(), help="Each line with its time.")] = False,
    previous: Annotated[
        bool, Parameter(name=("--previous", "-p"), negative=(), help="Of the run before the last start.")
    ] = False,
    namespace: Namespace = None,
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """Print what a container of a Pod wrote."""
    target = one_target([pod if "/" in pod else f"pod/{pod}"], namespace, COMMAND)
    query = {"container": container, "follow": follow, "tailLines": _tail(tail), "previous": previous}
    query |= {"timestamps": timestamps, "sinceSeconds": _seconds(since)}
    decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a piece may end inside a letter
    with connect(server, data) as connection:
        for piece in connection.stream("GET", f"{target.path}/log", query, place=target.place, endless=follow):
            write(decoder.decode(piece))
            sys.stdout.flush()


def _tail(lines: int | None) -> str | None:
    """As text, because 0 is a number of lines too; kubectl's -1 means all of them."""
    return None if lines is None or lines < 0 else str(lines)


def _seconds(since: str | None) -> str | None:
    return None if since is None else str(max(1, math.ceil(parse_duration_s(since, "--since"))))

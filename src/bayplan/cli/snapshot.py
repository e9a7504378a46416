"""`bayplan snapshot`: the cluster of a server as a file."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from bayplan.cli.commit import Target, write_document
from bayplan.cli.server.connection import connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.text import write
from bayplan.manifests.native.short_forms import shortened

COMMAND = "bayplan snapshot"


def snapshot(
    file: Annotated[str, Parameter(help="The file to write; one that ends in .json is JSON, any other YAML.")],
    *,
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """Write the cluster as the scheduler sees it, with all bookings, into a Cluster file.

    `bayplan plan`, `why` and `gpus` take it with --cluster, without a server. The file appears under its name when it
    is complete; one that is there is replaced.
    """
    target = Target.of(file, COMMAND)
    with connect(server, data) as connection:
        document = connection.get("/v1/snapshot", place=COMMAND)
    write_document(target, shortened(document))
    workers, bookings = len(document["workers"]), len(document["bookings"])
    write(f"{file}: written, {workers:,} workers and {bookings:,} bookings; try: bayplan gpus --cluster {file}\n")

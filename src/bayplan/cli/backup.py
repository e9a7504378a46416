"""`bayplan backup` and `bayplan restore`: the whole store in one file, and a data folder from such a file."""

from __future__ import annotations

import os
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from bayplan.cli.errors import USAGE
from bayplan.cli.server.connection import Connection, connect
from bayplan.cli.server.data_folder import DataFolder, data_folder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.server.refusals import UnreachableError
from bayplan.cli.text import write
from bayplan.framework.errors import InputError
from bayplan.stores.sqlite.backup import back_up
from bayplan.stores.sqlite.folder import DATABASE
from bayplan.stores.sqlite.integrity import verify
from bayplan.stores.sqlite.restore import restore as restore_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

Force: TypeAlias = Annotated[bool, Parameter(negative=(), help="Replace what is there.")]


def backup(
    file: Annotated[Path, Parameter(help="The file to write.")],
    *,
    force: Force = False,
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """Write all objects of a server into one file, while it runs and writes; also when none runs.

    The file holds the state of one moment, Secrets and the hashes of tokens too, and is readable by its owner alone. It
    appears under its name when it is complete and checked. A server in another place is asked over the network.
    """
    folder = data_folder(data)
    if server is None and "BAYPLAN_SERVER" not in os.environ and (folder / DATABASE).exists():
        revision = back_up(folder, file, force=force)
    else:
        with connect(server, data) as connection:
            revision = _fetched(connection, file, force=force)
    write(f"{file}: written, revision {revision}, {file.stat().st_size:,} bytes\n")


def restore(
    file: Annotated[Path, Parameter(help="A file that bayplan backup wrote.")],
    *,
    force: Force = False,
    data: DataFolder = None,
) -> None:
    """Make a data folder hold what a backup holds; no server may run with it.

    A folder that holds objects already is refused; with --force they are kept beside the restored ones, in
    bayplan.db.replaced. Clients that watch have to list again.
    """
    folder = data_folder(data)
    revision = restore_folder(file, folder, force=force)
    write(f"{folder}: restored, revision {revision}; start it: bayplan up --data {folder}\n")


def _fetched(connection: Connection, file: Path, *, force: bool) -> int:
    """The backup of a server, written beside the file, checked, and renamed."""
    if file.exists() and not force:
        raise InputError("exists already", place=str(file), next="choose another name, or use --force", code=USAGE)
    part = file.with_name(f"{file.name}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as stream:  # noqa: PTH123 (an open descriptor has no path)
            stream.writelines(_pieces(connection))
            stream.flush()
            os.fsync(stream.fileno())
        revision = verify(part)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return revision


def _pieces(connection: Connection) -> Iterator[bytes]:
    try:
        yield from connection.stream("POST", "/v1/backup", place="bayplan backup")
    except UnreachableError as error:
        message = f"{error.message}; there is no data folder to read either"
        raise UnreachableError(message, place=error.place, next=error.next) from error

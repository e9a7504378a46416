"""A copy of the database in one file, taken while the system runs and writes."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from bayplan.control.store_errors import StoreFailedError
from bayplan.stores.sqlite.faults import database_fault, file_fault
from bayplan.stores.sqlite.folder import DATABASE
from bayplan.stores.sqlite.integrity import verify
from bayplan.stores.sqlite.layout import connect, sync_file, sync_folder

if TYPE_CHECKING:
    from pathlib import Path

_STEP_PAGES = 256  # 1 MiB: between two steps other threads of this process run


def back_up(folder: Path, file: Path, *, force: bool = False) -> int:
    """Copy the database of a data folder, running or not, to a file; the revision that the copy holds.

    The copy is the state of one moment. It appears under its name when it is complete, checked and on the disk.
    """
    database = folder / DATABASE
    if not database.exists():
        raise StoreFailedError("holds no database", place=str(folder), next="name a data folder with --data")
    if file.exists() and not force:
        raise StoreFailedError("exists already", place=str(file), next="choose another name, or use --force")
    part = file.with_name(file.name + ".part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))  # objects may be secrets
        copy_database(database, part)
        revision = verify(part)
        part.replace(file)
        sync_folder(file.absolute().parent)
    except OSError as error:
        raise file_fault(file, error) from error
    finally:
        part.unlink(missing_ok=True)
    return revision


def copy_database(source: Path, target: Path) -> None:
    """Copy one moment of a database into an empty file, in steps; writers go on meanwhile."""
    reading, writing = connect(source, query_only=True), connect(target)
    try:
        reading.execute("BEGIN")
        # The first read fixes the moment: without it every commit of a writer would make the copy begin again.
        reading.execute("SELECT value FROM counters LIMIT 1").fetchone()
        reading.backup(writing, pages=_STEP_PAGES)
        writing.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
    except sqlite3.Error as error:
        raise database_fault(source, error) from error
    finally:
        reading.close()
        writing.close()
    sync_file(target)

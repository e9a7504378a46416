"""A data folder from a backup: checked before anything is touched, then put in place in one step."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from bayplan.control.failpoints import failpoint
from bayplan.control.store_errors import StoreFailedError
from bayplan.stores.sqlite.backup import copy_database
from bayplan.stores.sqlite.faults import database_fault, file_fault
from bayplan.stores.sqlite.folder import DataFolder
from bayplan.stores.sqlite.integrity import verify
from bayplan.stores.sqlite.layout import connect, sync_folder

if TYPE_CHECKING:
    from pathlib import Path

REVISIONS_AHEAD = 1_000_000_000
"""Added to the revision of a backup: more than any system wrote after it, so no revision number comes twice."""

_LOGS = ("-wal", "-shm")


def restore(file: Path, folder: Path, *, force: bool = False) -> int:
    """Make the data folder hold what a backup holds; the revision that it goes on from.

    A folder that another process uses, or that holds a database already, is refused; with `force` the database there is
    kept beside the restored one as `bayplan.db.replaced`. Clients that watched the old system have to list again.
    """
    if not file.exists():
        raise StoreFailedError("there is no such file", place=str(file), next="name a file that `bayplan backup` wrote")
    verify(file)
    held = DataFolder(folder)
    try:
        if held.database.exists() and not force:
            raise StoreFailedError(
                "holds a database already", place=str(folder), next="choose an empty folder, or use --force"
            )
        return _replace(file, held.database)
    except OSError as error:
        raise file_fault(folder, error) from error
    finally:
        held.release()


def _replace(file: Path, database: Path) -> int:
    fresh = database.with_name(database.name + ".restored")
    try:
        os.close(os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        copy_database(file, fresh)
        revision = _move_ahead(fresh)
        failpoint("restore-copied")
        _put_away(database)
        failpoint("restore-moved")
        fresh.replace(database)
        sync_folder(database.parent)
    finally:
        fresh.unlink(missing_ok=True)
    return revision


def _move_ahead(path: Path) -> int:
    """Go on from a higher revision and forget the history: what clients read from the old system is not ours."""
    connection = connect(path)
    try:
        (latest,) = connection.execute(
            "SELECT max((SELECT max(revision) FROM revisions), (SELECT value FROM counters WHERE name = 'revision'))"
        ).fetchone()
        ahead = (latest or 0) + REVISIONS_AHEAD
        connection.execute("UPDATE counters SET value = ?", (ahead,))  # both: where it goes on, and what is forgotten
        connection.execute(
            "DELETE FROM revisions WHERE NOT EXISTS (SELECT 1 FROM objects WHERE objects.revision = revisions.revision)"
        )
    except sqlite3.Error as error:
        raise database_fault(path, error) from error
    finally:
        connection.close()
    return int(ahead)


def _put_away(database: Path) -> None:
    """Keep what was there: with a second name, so that the first is never missing; a log goes with its database."""
    if not database.exists():
        return
    _empty_log(database)
    kept = database.with_name(database.name + ".replaced")
    for ending in ("", *_LOGS):
        kept.with_name(kept.name + ending).unlink(missing_ok=True)
    os.link(database, kept)
    for ending in _LOGS:
        log = database.with_name(database.name + ending)
        if log.exists():
            log.replace(kept.with_name(kept.name + ending))


def _empty_log(database: Path) -> None:
    """Bring what the log holds into the database, if that can still be read."""
    try:
        connection = connect(database)
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
    except (sqlite3.Error, StoreFailedError):
        return  # damaged: its log is kept beside it as it is

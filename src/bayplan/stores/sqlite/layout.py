"""The format of the database: its tables, its version, and the steps from older versions."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from bayplan.control.failpoints import failpoint
from bayplan.control.store_errors import StoreFailedError
from bayplan.stores.sqlite.faults import damaged, database_fault, file_fault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

APPLICATION = int.from_bytes(b"BAYP")
"""In the header of the file, so that another program's database is not taken for ours."""

VERSION = 1
"""The format that this program reads and writes."""

_OLDEST_SQLITE = (3, 37, 0)  # the first with STRICT tables

# `revisions` is the log: every version of every object that is kept, with the one before it (0: none).
# `objects` says which revision is the present one; a compaction never removes what it points to.
# `owners` says which objects refer to a uid as their owner.
SCHEMA = """
CREATE TABLE revisions (
  revision INTEGER PRIMARY KEY,
  collection TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  change TEXT NOT NULL,
  previous INTEGER NOT NULL,
  object BLOB NOT NULL
) STRICT;
CREATE TABLE objects (
  collection TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL,
  uid TEXT NOT NULL,
  deleting INTEGER NOT NULL,
  PRIMARY KEY (collection, namespace, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX objects_by_uid ON objects (uid);
CREATE INDEX objects_deleting ON objects (deleting) WHERE deleting = 1;
CREATE TABLE owners (
  owner TEXT NOT NULL,
  collection TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (owner, collection, namespace, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('compacted', 0), ('revision', 0);
"""

MIGRATIONS: dict[int, str] = {}
"""The statements that lead from a version to the next; each version that was ever released has a file in the tests."""


def connect(path: Path, *, query_only: bool = False) -> sqlite3.Connection:
    """A connection for one thread at a time; transactions are begun and ended by statements."""
    try:
        connection = sqlite3.connect(
            f"file:{_quoted(path)}?mode=rw",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=10.0,
            cached_statements=512,  # statements differ by their number of rows
        )
        connection.execute("PRAGMA synchronous = FULL")  # a commit is on the disk when it returns
        connection.execute("PRAGMA cache_size = -8192")  # KiB: the memory does not grow with the database
        if query_only:
            connection.execute("PRAGMA query_only = ON")
    except sqlite3.Error as error:
        raise database_fault(path, error) from error
    return connection


def _quoted(path: Path) -> str:
    """A path as a URI has it: these signs would end it."""
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def open_database(path: Path, migrations: Mapping[int, str] = MIGRATIONS, version: int = VERSION) -> sqlite3.Connection:
    """The database in the present format: a new one, or the old one after its checks and migrations."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        needed = ".".join(map(str, _OLDEST_SQLITE))
        raise StoreFailedError(
            f"SQLite {sqlite3.sqlite_version} is too old", next=f"use a Python with {needed} or newer"
        )
    if not path.exists():
        _create(path)
    connection = connect(path)
    try:
        check_header(path, connection, version)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA journal_size_limit = {64 * 2**20}")  # bytes that the log keeps after a peak
        _migrate(path, connection, migrations, version)
    except sqlite3.Error as error:
        connection.close()
        raise database_fault(path, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _create(path: Path) -> None:
    """Make the file under another name first: an empty file of the right name is then always damage."""
    if path.with_name(path.name + "-wal").exists():
        raise damaged(path, f"the file is missing, but its log {path.name}-wal is there")
    fresh = path.with_name(path.name + ".new")
    try:
        fresh.unlink(missing_ok=True)
        os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # objects may be secrets
        write_schema(fresh)
        failpoint("store-created")
        fresh.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise file_fault(path, error) from error


def write_schema(path: Path) -> None:
    """Fill an empty file."""
    connection = connect(path)
    try:
        connection.executescript(
            f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {SCHEMA} COMMIT;"
        )
    except sqlite3.Error as error:
        raise database_fault(path, error) from error
    finally:
        connection.close()


def sync_file(path: Path) -> None:
    """What SQLite copied page by page is durable when the file is."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def sync_folder(path: Path) -> None:
    """Names of files are durable when their folder is."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def check_header(path: Path, connection: sqlite3.Connection, version: int = VERSION) -> int:
    """Our own file, whole, of a format that this program knows: its version."""
    if path.stat().st_size == 0:
        raise damaged(path, "the file is empty")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        raise damaged(path, "the file is a database, but not one of Bayplan")
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found < 1:
        raise damaged(path, f"the file has format {found}, which no program ever wrote")
    if found > version:
        raise StoreFailedError(
            f"the file has format {found}, and this program knows up to {version}",
            place=str(path),
            next="use the newer program that wrote it",
        )
    (problem,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if problem != "ok":
        raise damaged(path, f"the file is damaged: {problem}")
    return int(found)


def _migrate(path: Path, connection: sqlite3.Connection, migrations: Mapping[int, str], version: int) -> None:
    """Step by step to the present format, in one transaction; the old file is kept beside it."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == version:
        return
    _keep_copy(path, connection, found)
    connection.execute("BEGIN IMMEDIATE")
    for step in range(found, version):
        for statement in filter(str.strip, migrations[step].split(";")):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version}")
    failpoint("store-migrating")
    connection.execute("COMMIT")


def _keep_copy(path: Path, connection: sqlite3.Connection, found: int) -> None:
    """The old file under another name, complete and on the disk before anything is changed."""
    kept = path.with_name(f"{path.name}.format-{found}")
    try:
        kept.unlink(missing_ok=True)
        os.close(os.open(kept, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # objects may be secrets
        copy = connect(kept)
        try:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        finally:
            copy.close()
        sync_file(kept)
        sync_folder(kept.parent)
    except OSError as error:
        raise file_fault(kept, error) from error

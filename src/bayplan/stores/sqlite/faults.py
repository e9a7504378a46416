"""What went wrong with a file, in words, with the next step."""

from __future__ import annotations

import errno
import sqlite3
from typing import TYPE_CHECKING

from bayplan.control.store_errors import StoreFailedError

if TYPE_CHECKING:
    from pathlib import Path

_FREE_SPACE = "free some space; nothing that was accepted is lost"
_LOOK = "run `bayplan doctor`, or restore a backup with `bayplan restore`"
_WRITABLE = "make the folder writable for this user"

# By the beginning of SQLite's own name of the error; whether later writes may still succeed.
_SQLITE = (
    ("SQLITE_FULL", "the disk is full", _FREE_SPACE, True),
    ("SQLITE_IOERR_SHMSIZE", "the disk is full", _FREE_SPACE, True),  # no room for the index of the log
    ("SQLITE_BUSY", "another program holds the database", "close it: one process writes at a time", True),
    ("SQLITE_READONLY", "the database cannot be written", _WRITABLE, False),
    ("SQLITE_CANTOPEN", "the database cannot be opened", "check that the folder exists and is writable", False),
    ("SQLITE_PERM", "the database cannot be opened", _WRITABLE, False),
    ("SQLITE_CORRUPT", "the database is damaged", _LOOK, False),
    ("SQLITE_NOTADB", "the file is no database, or its beginning is damaged", _LOOK, False),
    (
        "SQLITE_IOERR",
        "the disk failed, and it is not known whether the last writes were kept",
        "check the disk, then start again",
        False,
    ),
)
_OS = {
    errno.EACCES: ("is not accessible for this user", _WRITABLE),
    errno.EPERM: ("is not accessible for this user", _WRITABLE),
    errno.EROFS: ("is on a read-only file system", "choose another folder with --data"),
    errno.ENOSPC: ("cannot be written because the disk is full", _FREE_SPACE),
    errno.ENOTDIR: ("is no folder", "choose another folder with --data"),
    errno.EEXIST: ("is no folder", "choose another folder with --data"),
}


class DamagedError(StoreFailedError):
    """The file cannot be trusted."""

    code = "store-damaged"


def database_fault(path: Path, error: sqlite3.Error) -> StoreFailedError:
    """The error of SQLite about a file."""
    name = getattr(error, "sqlite_errorname", "") or ""
    for beginning, message, following, _ in _SQLITE:
        if name.startswith(beginning):
            kind = DamagedError if beginning in {"SQLITE_CORRUPT", "SQLITE_NOTADB"} else StoreFailedError
            return kind(f"{message} ({name}: {error})", place=str(path), next=following)
    return StoreFailedError(f"the database failed ({name}: {error})", place=str(path), next=_LOOK)


def passes(error: sqlite3.Error) -> bool:
    """Whether later writes may succeed without a new start, because the failed one left no trace."""
    name = getattr(error, "sqlite_errorname", "") or ""
    return any(name.startswith(beginning) and later for beginning, _, _, later in _SQLITE)


def full_disk() -> sqlite3.OperationalError:
    """The error that SQLite gives where the disk is full, for tests of what follows from it."""
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorname = "SQLITE_FULL"
    return error


def unexpected_fault(path: Path, error: Exception) -> StoreFailedError:
    """A fault of this program while it wrote; its text is left out, because it may repeat what a client sent."""
    message = f"writing ended with {type(error).__name__}, and nothing of it was kept"
    return StoreFailedError(message, place=str(path), next="report it; other objects can be written")


def file_fault(path: Path, error: OSError) -> StoreFailedError:
    """The error of the operating system about a file or folder."""
    message, following = _OS.get(error.errno or 0, (f"cannot be used ({error.strerror})", "check the folder"))
    return StoreFailedError(message, place=str(path), next=following)


def damaged(path: Path, message: str) -> DamagedError:
    """A file that SQLite opens, but whose content is wrong."""
    return DamagedError(message, place=str(path), next=_LOOK)

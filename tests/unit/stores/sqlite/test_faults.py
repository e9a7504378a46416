import errno
import os
import sqlite3

import pytest

from bayplan.stores.sqlite.faults import DamagedError, database_fault, file_fault, passes

DATABASE = {
    "full": ("SQLITE_FULL", "the disk is full", "free some space", True, False),
    "busy": ("SQLITE_BUSY_SNAPSHOT", "another program holds the database", "close it", True, False),
    "read-only": ("SQLITE_READONLY_DBMOVED", "cannot be written", "make the folder writable", False, False),
    "torn": ("SQLITE_CORRUPT_INDEX", "is damaged", "bayplan restore", False, True),
    "no database": ("SQLITE_NOTADB", "is no database", "bayplan doctor", False, True),
    "a failed disk": ("SQLITE_IOERR_FSYNC", "not known whether the last writes", "check the disk", False, False),
    "anything else": ("SQLITE_MISUSE", "the database failed", "bayplan doctor", False, False),
    "without a name": ("", "the database failed", "bayplan doctor", False, False),
}  # fmt: skip


@pytest.mark.parametrize(("name", "problem", "following", "later", "damaged"), DATABASE.values(), ids=DATABASE)
def test_errors_of_the_database(tmp_path, name, problem, following, later, damaged):
    error = sqlite3.OperationalError("words of SQLite")
    error.sqlite_errorname = name
    fault = database_fault(tmp_path / "bayplan.db", error)

    assert str(fault).startswith(f"{tmp_path / 'bayplan.db'}: ")
    assert problem in str(fault)
    assert following in str(fault)
    assert "words of SQLite" in str(fault)
    assert passes(error) is later
    assert isinstance(fault, DamagedError) is damaged


FILES = {
    errno.EACCES: "is not accessible for this user; make the folder writable",
    errno.EROFS: "is on a read-only file system; choose another folder with --data",
    errno.ENOSPC: "cannot be written because the disk is full; free some space",
    errno.ENOTDIR: "is no folder; choose another folder with --data",
    errno.EIO: "cannot be used (Input/output error); check the folder",
}


@pytest.mark.parametrize("number", FILES, ids=errno.errorcode.get)
def test_errors_of_files(tmp_path, number):
    assert FILES[number] in str(file_fault(tmp_path, OSError(number, os.strerror(number))))

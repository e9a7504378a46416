"""Forgetting old revisions: what was replaced or deleted before the kept history begins.

The version of an object that was in effect at the beginning of the history is kept, so lists at every kept revision and
the object before each kept change can still be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.failpoints import failpoint

if TYPE_CHECKING:
    import sqlite3

_REPLACED = """
DELETE FROM revisions WHERE revision IN (SELECT previous FROM revisions WHERE revision > ? AND revision <= ?)
"""
_DELETED = "DELETE FROM revisions WHERE revision > ? AND revision <= ? AND change = 'DELETED'"
_STEP = 5_000  # revisions of one transaction, so that writers do not wait long


def compact(connection: sqlite3.Connection, oldest: int, until: int) -> int:
    """Forget how objects were before `until`, a step of it at a time; how far it came."""
    reached = min(until, oldest + _STEP)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_REPLACED, (oldest, reached))
    connection.execute(_DELETED, (oldest, reached))
    connection.execute("UPDATE counters SET value = ? WHERE name = 'compacted'", (reached,))
    failpoint("store-compacting")
    connection.execute("COMMIT")
    failpoint("store-compacted")
    return reached

"""A group of writes in one transaction: what was accepted is written by few statements, each for many rows.

Every call of SQLite lets other threads run Python and then has to wait for its turn again. A statement for each row
would make the writer thread wait once a row while the event loop is busy, so statements take as many rows as there are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.failpoints import failpoint
from bayplan.control.store import Change, ChangeType, Key, Stored
from bayplan.control.store_errors import InvalidObjectError
from bayplan.stores.refusals import lost_race
from bayplan.stores.shelf import Entry, facts_of, text_of
from bayplan.stores.sqlite.row_keys import collection_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from bayplan.control.store_errors import StoreError
    from bayplan.stores.shelf import Write

_MOST_ROWS = 256  # of one statement: SQLite takes 32,766 values, and longer texts save nothing more

_STORED = """
WITH asked(number, collection, namespace, name) AS (VALUES {})
SELECT json_group_array(json_array(asked.number, o.revision)) FROM asked CROSS JOIN objects o
ON o.collection = asked.collection AND o.namespace = asked.namespace AND o.name = asked.name
"""
_LOG = "INSERT INTO revisions (revision, collection, namespace, name, change, previous, object) VALUES {}"
_KEEP = """
INSERT INTO objects (collection, namespace, name, revision, uid, deleting) VALUES {}
ON CONFLICT DO UPDATE SET revision = excluded.revision, deleting = excluded.deleting
"""
_REMOVE = "DELETE FROM objects WHERE (collection, namespace, name) IN (VALUES {})"
_DISOWN = "DELETE FROM owners WHERE (owner, collection, namespace, name) IN (VALUES {})"
_OWN = "INSERT OR IGNORE INTO owners (owner, collection, namespace, name) VALUES {}"


class Group:
    """Collects what the batches of a group write; a batch is taken as a whole or refused as a whole."""

    def __init__(self, connection: sqlite3.Connection, revision: int) -> None:
        self._connection = connection
        self.revision = revision
        self.entries: list[Entry] = []
        self._stored: dict[Key, int] = {}

    def look_up(self, keys: Iterable[Key]) -> None:
        """Read which revisions are stored now."""
        asked = list(dict.fromkeys(keys))
        rows = [(number, *_named(key)) for number, key in enumerate(asked)]
        for chunk in _chunks(rows):
            (found,) = self._run(_STORED, chunk).fetchone()
            for number, revision in orjson.loads(found):
                self._stored[asked[number]] = revision

    def take(self, writes: Sequence[Write]) -> tuple[Stored, ...] | StoreError:
        """Accept a batch, or say why not."""
        for write in writes:
            found = self._stored.get(write.key, 0)
            if found != (write.previous.revision if write.previous else 0):
                return lost_race(write, Stored(b"", found) if found else None)
        began = self.revision, len(self.entries)
        try:
            return tuple(self._accept(write) for write in writes)
        except InvalidObjectError as error:
            self._take_back(writes, *began)
            return error

    def _take_back(self, writes: Sequence[Write], revision: int, entries: int) -> None:
        """Forget a batch of which a part was accepted."""
        self.revision = revision
        del self.entries[entries:]
        for write in writes:
            self._stored[write.key] = write.previous.revision if write.previous else 0

    def _accept(self, write: Write) -> Stored:
        self.revision += 1
        write.document["metadata"]["resourceVersion"] = str(self.revision)
        stored = Stored(text_of(write.key, write.document), self.revision)
        change = Change(write.type, stored)
        self.entries.append(Entry(write.key, change, write.previous, facts_of(write.document), write.before))
        self._stored[write.key] = 0 if write.gone else self.revision
        return stored

    def write(self) -> None:
        """Write all that was accepted."""
        failpoint("store-checked")
        last = {entry.key: entry for entry in self.entries}
        gone = [entry.key for entry in self.entries if entry.change.type is ChangeType.DELETED]
        kept = [entry for entry in last.values() if entry.change.type is not ChangeType.DELETED]
        self._each(_LOG, [_log_row(entry) for entry in self.entries])
        self._each(_REMOVE, [_named(key) for key in gone])
        self._each(_KEEP, [_object_row(entry) for entry in kept])
        self._write_owners()
        failpoint("store-written")

    def _write_owners(self) -> None:
        """References change rarely: nothing is done where they did not."""
        left: dict[tuple[str, ...], bool] = {}
        for entry in self.entries:
            before = entry.before.owners if entry.before else ()
            after = entry.facts.owners if entry.facts and entry.change.type is not ChangeType.DELETED else ()
            if before != after:
                left |= {(owner, *_named(entry.key)): False for owner in before}
                left |= {(owner, *_named(entry.key)): True for owner in after}
        self._each(_DISOWN, [row for row, there in left.items() if not there])
        self._each(_OWN, [row for row, there in left.items() if there])

    def _each(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        for chunk in _chunks(rows):
            self._run(statement, chunk)

    def _run(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> sqlite3.Cursor:
        text = _filled(statement, len(rows), len(rows[0]))
        return self._connection.execute(text, [value for row in rows for value in row])


@lru_cache(maxsize=4_096)  # statements × numbers of rows
def _filled(statement: str, rows: int, columns: int) -> str:
    row = f"({','.join('?' * columns)})"
    return statement.format(",".join([row] * rows))


def _chunks(rows: Sequence[tuple[Any, ...]]) -> Iterable[Sequence[tuple[Any, ...]]]:
    return (rows[start : start + _MOST_ROWS] for start in range(0, len(rows), _MOST_ROWS))


def _named(key: Key) -> tuple[str, str, str]:
    return collection_text(key.collection), key.namespace, key.name


def _log_row(entry: Entry) -> tuple[Any, ...]:
    stored = entry.change.stored
    previous = entry.previous.revision if entry.previous else 0
    return (stored.revision, *_named(entry.key), entry.change.type.value, previous, stored.text)


def _object_row(entry: Entry) -> tuple[Any, ...]:
    facts = entry.facts
    assert facts is not None  # noqa: S101 (entries of a group have facts)
    return (*_named(entry.key), entry.revision, facts.uid, int(facts.deleting))

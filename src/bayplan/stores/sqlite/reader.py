"""What is read from the database: always committed, at one moment for each call."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bayplan.control.store import Change, ChangeType, Stored
from bayplan.stores.refusals import expired
from bayplan.stores.shelf import Entry, Row
from bayplan.stores.sqlite.row_keys import collection_text, key_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from bayplan.control.store import Collection, Key

_ONE = """
SELECT r.object, r.revision FROM objects o JOIN revisions r ON r.revision = o.revision
WHERE o.collection = ? AND o.namespace = ? AND o.name = ?
"""
_IN_ALL = "o.collection = ? AND (o.namespace, o.name) > (?, ?)"
_IN_ONE = "o.collection = ? AND o.namespace = ? AND o.name > ?"
_PRESENT = """
SELECT o.namespace, o.name, r.object, r.revision FROM objects o JOIN revisions r ON r.revision = o.revision
WHERE o.revision <= ? AND {} ORDER BY o.namespace, o.name LIMIT ?
"""
_LATER = "SELECT namespace, name, previous FROM revisions WHERE revision > ? AND collection = ? ORDER BY revision"
_COUNT = "SELECT count(*) FROM objects o WHERE {}"
_CHANGES = """
SELECT r.revision, r.collection, r.namespace, r.name, r.change, r.object, p.revision, p.object
FROM revisions r LEFT JOIN revisions p ON p.revision = r.previous
WHERE r.revision > ? AND r.collection = ? ORDER BY r.revision LIMIT ?
"""
_STRAYS = """
SELECT collection, namespace, name FROM owners WHERE NOT EXISTS (
  SELECT 1 FROM objects o WHERE o.uid = owners.owner AND o.namespace IN ('', owners.namespace)
) UNION
SELECT d.collection, d.namespace, d.name FROM owners w
JOIN objects o ON o.uid = w.owner
JOIN objects d ON d.collection = w.collection AND d.namespace = w.namespace AND d.name = w.name
JOIN revisions r ON r.revision = d.revision
JOIN json_each(CAST(r.object AS TEXT), '$.metadata.ownerReferences') said
WHERE json_extract(said.value, '$.uid') = w.owner AND json_extract(said.value, '$.name') <> o.name
"""  # the names are in the objects alone; reading those of 50,000 dependents takes 0.2 s, once at the start


class Reader:
    """Questions to the database, on a connection of their own."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def read(self, key: Key) -> Stored | None:
        named = (collection_text(key.collection), key.namespace, key.name)
        row = self._connection.execute(_ONE, named).fetchone()
        return None if row is None else Stored(*row)

    def counter(self, name: str) -> int:
        (value,) = self._connection.execute("SELECT value FROM counters WHERE name = ?", (name,)).fetchone()
        return int(value)

    def latest(self) -> int:
        """The latest revision; where nothing was written since a restore, the one that the restore set."""
        (latest,) = self._connection.execute("SELECT max(revision) FROM revisions").fetchone()
        return max(latest or 0, self.counter("revision"))

    def scan(
        self, collection: Collection, namespace: str, *, after: tuple[str, str], limit: int, revision: int
    ) -> Sequence[Row]:
        """The present objects that are not newer, and the objects that a later change replaced or removed."""
        named = collection_text(collection)
        with self._moment():
            self._check(revision)
            place, given = _place(named, namespace, after)
            rows = self._connection.execute(_PRESENT.format(place), (revision, *given, limit))
            found = [Row(space, name, Stored(text, at)) for space, name, text, at in rows]
            former = self._former(named, namespace, after, revision)
            if former:
                found = sorted((*found, *former))[:limit]
        return found

    def _former(self, collection: str, namespace: str, after: tuple[str, str], revision: int) -> list[Row]:
        """Objects that changed after the revision, as they were: what their first later change calls previous."""
        first: dict[tuple[str, str], int] = {}
        for space, name, previous in self._connection.execute(_LATER, (revision, collection)):
            first.setdefault((space, name), previous)
        return [
            Row(*where, self._at(previous))
            for where, previous in first.items()
            if previous and where > after and namespace in {"", where[0]}
        ]

    def _at(self, revision: int) -> Stored:
        (text,) = self._connection.execute("SELECT object FROM revisions WHERE revision = ?", (revision,)).fetchone()
        return Stored(text, revision)

    def count(self, collection: Collection, namespace: str, *, after: tuple[str, str]) -> int:
        place, given = _place(collection_text(collection), namespace, after)
        (number,) = self._connection.execute(_COUNT.format(place), given).fetchone()
        return int(number)

    def changes(self, collection: Collection, since: int, limit: int) -> Sequence[Entry]:
        with self._moment():
            self._check(since)
            rows = self._connection.execute(_CHANGES, (since, collection_text(collection), limit))
            return [_entry(*row) for row in rows]

    def _check(self, revision: int) -> None:
        oldest = self.counter("compacted")
        latest = self.latest()
        if not oldest <= revision <= latest:
            raise expired(revision, oldest, latest)

    @contextmanager
    def _moment(self) -> Iterator[None]:
        """Several statements that see the same state."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    def find(self, uid: str) -> Key | None:
        rows = self._keys("SELECT collection, namespace, name FROM objects WHERE uid = ?", uid)
        return rows[0] if rows else None

    def dependents(self, uid: str) -> Sequence[Key]:
        return self._keys("SELECT collection, namespace, name FROM owners WHERE owner = ?", uid)

    def strays(self) -> Sequence[Key]:
        return self._keys(_STRAYS)

    def deleting(self) -> Sequence[Key]:
        return self._keys("SELECT collection, namespace, name FROM objects WHERE deleting = 1")

    def inside(self, namespace: str, limit: int) -> Sequence[Key]:
        return self._keys(
            "SELECT collection, namespace, name FROM objects WHERE namespace = ? LIMIT ?", namespace, limit
        )

    def _keys(self, statement: str, *given: object) -> list[Key]:
        return [key_of(*row) for row in self._connection.execute(statement, given)]


def _place(collection: str, namespace: str, after: tuple[str, str]) -> tuple[str, tuple[str, str, str]]:
    """The condition of a list with its values; one namespace is a range of its own in the index."""
    if not namespace:
        return _IN_ALL, (collection, *after)
    return _IN_ONE, (collection, namespace, after[1] if after[0] == namespace else "")


def _entry(
    revision: int, collection: str, namespace: str, name: str, change: str, text: bytes, previous: Any, before: Any
) -> Entry:
    former = None if previous is None else Stored(before, previous)
    return Entry(key_of(collection, namespace, name), Change(ChangeType(change), Stored(text, revision)), former)

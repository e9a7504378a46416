"""Whether a database is whole: what `bayplan doctor` says about the file, and what backups are checked with."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import orjson

from bayplan.stores.shelf import facts_of
from bayplan.stores.sqlite.faults import damaged, database_fault
from bayplan.stores.sqlite.layout import check_header, connect
from bayplan.stores.sqlite.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST_SHOWN = 20  # problems: the first ones say enough

_WRONG_POINTERS = """
SELECT o.collection, o.namespace, o.name, o.revision FROM objects o
LEFT JOIN revisions r ON r.revision = o.revision
  AND r.collection = o.collection AND r.namespace = o.namespace AND r.name = o.name AND r.change <> 'DELETED'
WHERE r.revision IS NULL
"""
# A column beside max() is that of the row with the largest revision.
_OUTDATED = """
SELECT n.collection, n.namespace, n.name, o.revision, n.newest FROM (
  SELECT collection, namespace, name, max(revision) AS newest, change FROM revisions
  GROUP BY collection, namespace, name
) n LEFT JOIN objects o ON o.collection = n.collection AND o.namespace = n.namespace AND o.name = n.name
WHERE o.revision IS NOT CASE n.change WHEN 'DELETED' THEN NULL ELSE n.newest END
"""
_BROKEN_CHAINS = """
SELECT r.revision, r.previous FROM revisions r LEFT JOIN revisions p ON p.revision = r.previous
WHERE r.previous > 0 AND p.revision IS NULL AND r.revision > (SELECT value FROM counters WHERE name = 'compacted')
"""
_PRESENT = """
SELECT o.collection, o.namespace, o.name, o.uid, o.deleting, r.revision, r.object
FROM objects o JOIN revisions r ON r.revision = o.revision
"""


def verify(path: Path) -> int:
    """The revision of a database that is whole; DamagedError with the first problem otherwise."""
    for problem in problems(path):
        raise damaged(path, f"the file is damaged: {problem}")
    connection = connect(path, query_only=True)
    try:
        return Reader(connection).latest()
    finally:
        connection.close()


def problems(path: Path) -> list[str]:
    """What is wrong with a database, running or not; nothing where it is whole."""
    connection = connect(path, query_only=True)
    try:
        connection.execute("BEGIN")
        check_header(path, connection)
        found = [text for (text,) in connection.execute("PRAGMA integrity_check(20)") if text != "ok"]
        return found or [text for _, text in zip(range(_MOST_SHOWN), _wrong_rows(connection), strict=False)]
    except sqlite3.Error as error:
        raise database_fault(path, error) from error
    finally:
        connection.close()


def _wrong_rows(connection: sqlite3.Connection) -> Iterator[str]:
    for *key, revision in connection.execute(_WRONG_POINTERS):
        yield f"{_shown(key)}: its revision {revision} is not in the log"
    for *key, revision, newest in connection.execute(_OUTDATED):
        yield f"{_shown(key)}: stored at revision {revision}, but its last change is {newest}"
    for revision, previous in connection.execute(_BROKEN_CHAINS):
        yield f"revision {revision}: the revision before it, {previous}, is missing"
    indexed = set(connection.execute("SELECT collection, namespace, name, owner FROM owners"))
    said = set()
    for collection, namespace, name, uid, deleting, revision, text in connection.execute(_PRESENT):
        key = (collection, namespace, name)
        yield from (f"{_shown(key)}: {each}" for each in _wrong_object(text, uid, deleting, revision))
        said |= {(*key, owner) for owner in _owners(text)}
    for *key, owner in indexed ^ said:
        yield f"{_shown(key)}: the object and the index of owners disagree about {owner}"


def _owners(text: bytes) -> tuple[str, ...]:
    try:
        return facts_of(orjson.loads(text)).owners
    except (ValueError, KeyError, TypeError):
        return ()


def _wrong_object(text: bytes, uid: str, deleting: int, revision: int) -> Iterator[str]:
    try:
        document = orjson.loads(text)
        facts = facts_of(document)
        said = document["metadata"]["resourceVersion"]
    except (ValueError, KeyError, TypeError):
        yield "the object cannot be read"
        return
    if said != str(revision):
        yield f"resourceVersion {said} is not its revision {revision}"
    if (facts.uid, int(facts.deleting)) != (uid, deleting):
        yield "the index says another uid or deletion than the object"


def _shown(key: tuple[str, ...] | list[str]) -> str:
    collection, namespace, name = key
    return f"{collection} {namespace}/{name}" if namespace else f"{collection} {name}"

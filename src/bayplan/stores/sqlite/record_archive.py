"""Records of decisions in a file beside the store: written in batches behind the loops, bounded, not worth an fsync."""

from __future__ import annotations

import logging
import sqlite3
import threading
import zlib
from contextlib import closing
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FILE = "records.db"
MOST = 20_000
"""Records that are kept."""
_MOST_QUEUED = 10_000  # records that wait; further ones are dropped, because recording must never hold up deciding
_SWEEP_EVERY = 500  # writes after which old records are deleted
_TABLE = "CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY, id TEXT UNIQUE, record BLOB)"
_OLD = "DELETE FROM records WHERE number <= (SELECT max(number) - ? FROM records)"
_LAST_TERM = "SELECT max(CAST(substr(id, 1, instr(id, '-') - 1) AS INTEGER)) FROM records"

_log = logging.getLogger("bayplan.store")


class RecordArchive:
    """One thread writes; reading opens a connection of its own.

    It is only a memory: a damaged file is begun anew, and a disk that is full or cannot be written costs records,
    never decisions.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._queue: list[dict[str, Any]] = []
        self._wakes = threading.Condition()
        self._ends = False
        self._failing = False
        self._unswept = 0
        self._thread = threading.Thread(target=self._work, name="records", daemon=True)
        self._thread.start()

    def write(self, record: dict[str, Any]) -> None:
        with self._wakes:
            if len(self._queue) < _MOST_QUEUED:
                self._queue.append(dict(record))
                self._wakes.notify()

    def read(self, id: str) -> dict[str, Any] | None:  # noqa: A002
        found = self._rows("SELECT record FROM records WHERE id = ?", id)
        return next(_unpacked(found), None)

    def newest(self, most: int) -> list[dict[str, Any]]:
        return list(_unpacked(self._rows("SELECT record FROM records ORDER BY number DESC LIMIT ?", most)))

    def last_term(self) -> int:
        """The largest number of a term of which there is a record; 0 where there is none."""
        found = self._rows(_LAST_TERM)
        return int(found[0][0] or 0) if found else 0

    def close(self) -> None:
        """Write what is queued, then end."""
        with self._wakes:
            self._ends = True
            self._wakes.notify()
        self._thread.join(timeout=5)

    def _rows(self, query: str, *given: object) -> list[tuple[Any, ...]]:
        """What is found; nothing where the file cannot be read."""
        if not self._path.exists():
            return []
        try:
            with closing(sqlite3.connect(self._path, timeout=5)) as connection:
                return connection.execute(query, given).fetchall()
        except sqlite3.Error as error:
            _log.warning("%s: older records of decisions cannot be read: %s", self._path, error)
            return []

    def _work(self) -> None:
        connection: sqlite3.Connection | None = None
        while batch := self._taken():
            rows = list(_packed(batch))
            try:
                connection = connection or self._opened()
                self._keep(connection, rows)
                self._failing = False
            except sqlite3.OperationalError as error:  # such as a full disk: records are the first thing to go without
                self._missed(len(rows), error)
            except sqlite3.DatabaseError as error:
                connection = self._begun_anew(connection, rows, error)
        if connection is not None:
            connection.close()

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=5)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(_TABLE)
            connection.commit()
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _keep(self, connection: sqlite3.Connection, rows: list[tuple[str, bytes]]) -> None:
        with connection:
            connection.executemany("INSERT OR REPLACE INTO records (id, record) VALUES (?, ?)", rows)
            self._unswept += len(rows)
            if self._unswept >= _SWEEP_EVERY:
                self._unswept = 0
                connection.execute(_OLD, (MOST,))

    def _begun_anew(
        self, connection: sqlite3.Connection | None, rows: list[tuple[str, bytes]], error: sqlite3.Error
    ) -> sqlite3.Connection | None:
        """An empty file in the place of a damaged one, with these records; None where that fails, too."""
        _log.warning("%s is damaged (%s); older records of decisions are lost", self._path, error)
        if connection is not None:
            connection.close()
        try:
            for ending in ("", "-wal", "-shm"):  # a log that is left would be applied to the new file
                self._path.with_name(FILE + ending).unlink(missing_ok=True)
            made = self._opened()
            self._keep(made, rows)
        except (OSError, sqlite3.Error) as failure:
            self._missed(len(rows), failure)
            return None
        return made

    def _missed(self, records: int, error: Exception) -> None:
        """Say once that records are lost, until one is kept again."""
        if not self._failing:
            _log.warning("%d records of decisions are not kept: %s", records, error)
        self._failing = True

    def _taken(self) -> list[dict[str, Any]]:
        """What is queued; empty at the end."""
        with self._wakes:
            while not self._queue and not self._ends:
                self._wakes.wait()
            batch, self._queue = self._queue, []
            return batch


def _packed(records: Iterable[dict[str, Any]]) -> Iterator[tuple[str, bytes]]:
    for each in records:
        try:
            yield each["id"], zlib.compress(orjson.dumps(each), 1)
        except TypeError as error:
            _log.warning("the record %s is not kept: %s", each["id"], error)


def _unpacked(rows: Iterable[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    for (data,) in rows:
        try:
            yield orjson.loads(zlib.decompress(data))
        except (zlib.error, orjson.JSONDecodeError, TypeError) as error:
            _log.warning("a record of a decision is damaged: %s", error)

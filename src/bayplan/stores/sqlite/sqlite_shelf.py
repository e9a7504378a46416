"""The shelf in SQLite: one writer thread, and a connection for reading in the thread of the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING

from bayplan.control.observing import UNOBSERVED_STORE
from bayplan.stores.sqlite.faults import database_fault
from bayplan.stores.sqlite.folder import DataFolder
from bayplan.stores.sqlite.layout import connect, open_database
from bayplan.stores.sqlite.reader import Reader
from bayplan.stores.sqlite.recent_objects import RecentObjects
from bayplan.stores.sqlite.writer import Job, Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from bayplan.control.observing import StoreObserver
    from bayplan.control.store import Key, Stored
    from bayplan.stores.shelf import Entry, Write

HISTORY = 20_000
"""Changes that are kept: at 10 a second, clients may be away for half an hour without listing everything again."""

_MOST_QUEUED = 32  # a commit of more costs each of them hardly less, and the first would wait too long


class SqliteShelf(Reader):
    """The revisions in a data folder, which belongs to this process until `close`."""

    def __init__(self, folder: Path, *, history: int = HISTORY, observer: StoreObserver = UNOBSERVED_STORE) -> None:
        self._folder = DataFolder(folder)
        path = self._folder.database
        try:
            self._connection_of_writer = open_database(path)
            super().__init__(connect(path, query_only=True))
            revision, oldest = self.latest(), self.counter("compacted")
        except sqlite3.Error as error:
            self._folder.release()
            raise database_fault(path, error) from error
        except BaseException:
            self._folder.release()
            raise
        self._writer = Writer(path, self._connection_of_writer, revision, oldest, history, observer)
        self._writer.done = self._done
        self._heard: Callable[[Sequence[Entry]], None] = lambda _: None
        self._recent = RecentObjects()
        self._queued: list[Job] = []

    @property
    def database(self) -> Path:
        """The file that everything is in."""
        return self._folder.database

    def read(self, key: Key) -> Stored | None:
        return self._recent.get(key) or super().read(key)

    def revision(self) -> int:
        return self._writer.revision

    def write(self, writes: Sequence[Write]) -> Awaitable[tuple[Stored, ...]]:
        loop = asyncio.get_running_loop()
        job = Job(writes, loop, loop.create_future())
        self._recent.begin(writes)
        self._queued.append(job)
        if len(self._queued) == 1:
            loop.call_soon(self._hand_over, 1)
        return job.answer

    def _hand_over(self, seen: int) -> None:
        """Hand the queue to the writer thread once nothing joins it while the event loop goes round.

        The thread and the loop take turns in the interpreter: a commit for each of a few requests while others are
        being read would cost both more time than one commit for all of them.
        """
        queued = len(self._queued)
        if seen < queued < _MOST_QUEUED:
            asyncio.get_running_loop().call_soon(self._hand_over, queued)
        else:
            self._hand_over_all()

    def _hand_over_all(self) -> None:
        queued, self._queued = self._queued, []
        self._writer.put(queued)

    def listen(self, heard: Callable[[Sequence[Entry]], None]) -> None:
        self._heard = heard

    def _done(self, jobs: Sequence[Job], entries: Sequence[Entry]) -> None:
        """Called by the writer in the thread of the event loop, for all batches of a commit."""
        for job in jobs:
            self._recent.end(job.writes)
        if entries:
            self._recent.keep(entries)
            self._heard(entries)

    async def close(self) -> None:
        """Write what is queued, empty the log into the database, and let another process have the folder."""
        self._hand_over_all()
        await asyncio.to_thread(self._writer.end)
        await asyncio.sleep(0)  # answers of the last commit arrive before the loop may end
        self._connection.close()
        self._connection_of_writer.close()
        self._folder.release()

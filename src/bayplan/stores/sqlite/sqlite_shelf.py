"""The shelf in SQLite: one writer thread, and a connection for reading in the thread of the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING

from bayplan.stores.sqlite.faults import database_fault
from bayplan.stores.sqlite.folder import DataFolder
from bayplan.stores.sqlite.layout import connect, open_database
from bayplan.stores.sqlite.reader import Reader
from bayplan.stores.sqlite.writer import Job, Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from bayplan.control.store import Stored
    from bayplan.stores.shelf import Entry, Write

HISTORY = 20_000
"""Changes that are kept: at 10 a second, clients may be away for half an hour without listing everything again."""


class SqliteShelf(Reader):
    """The revisions in a data folder, which belongs to this process until `close`."""

    def __init__(self, folder: Path, *, history: int = HISTORY) -> None:
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
        self._writer = Writer(path, self._connection_of_writer, revision, oldest, history)

    def revision(self) -> int:
        return self._writer.revision

    def write(self, writes: Sequence[Write]) -> Awaitable[tuple[Stored, ...]]:
        loop = asyncio.get_running_loop()
        job = Job(writes, loop, loop.create_future())
        self._writer.put(job)
        return job.answer

    def listen(self, heard: Callable[[Sequence[Entry]], None]) -> None:
        self._writer.heard = heard

    async def close(self) -> None:
        """Write what is queued, empty the log into the database, and let another process have the folder."""
        await asyncio.to_thread(self._writer.end)
        await asyncio.sleep(0)  # answers of the last commit arrive before the loop may end
        self._connection.close()
        self._connection_of_writer.close()
        self._folder.release()

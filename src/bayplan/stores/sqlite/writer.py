"""The one thread that writes: it takes all batches that wait, commits them together, then has each answered."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from bayplan.control.failpoints import failpoint
from bayplan.control.store_errors import StoreError, StoreFailedError
from bayplan.stores.sqlite.compaction import compact
from bayplan.stores.sqlite.faults import database_fault, passes
from bayplan.stores.sqlite.group import Group

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bayplan.control.store import Stored
    from bayplan.stores.shelf import Entry, Write

_MOST_WRITES = 1_000  # of one commit, so that the first of them does not wait for ever


@dataclass(slots=True)
class Job:
    """A batch that waits for its commit, and what became of it."""

    writes: Sequence[Write]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[tuple[Stored, ...]]
    outcome: tuple[Stored, ...] | StoreError = field(default=())

    def finish(self) -> None:
        """Answer the caller, unless it went away meanwhile."""
        if self.answer.done():
            return
        if isinstance(self.outcome, StoreError):
            self.answer.set_exception(self.outcome)
        else:
            self.answer.set_result(self.outcome)


class Writer:
    """Writes in the order of the calls. After the disk failed, everything is refused until a new start."""

    def __init__(self, path: Path, connection: sqlite3.Connection, revision: int, oldest: int, history: int) -> None:
        self._path = path
        self._connection = connection
        self._history = history
        self.revision = revision
        """The latest that is committed."""
        self.oldest = oldest
        """The oldest at which objects can be listed."""
        self.heard: Callable[[Sequence[Entry]], None] = lambda _: None
        self._failed: StoreFailedError | None = None
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a batch."""
        self._jobs.put(job)
        failpoint("store-queued")

    def end(self) -> None:
        """Write what is queued, then stop; waits for that."""
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        ended = False
        while not ended:
            jobs, ended = self._take()
            if jobs:
                entries = self._commit(jobs)
                self._answer(jobs, entries)
                if entries:
                    self._compact()

    def _take(self) -> tuple[list[Job], bool]:
        """At least one batch, and all others that wait; whether it was the last."""
        jobs: list[Job] = []
        job = self._jobs.get()
        size = 0
        try:
            while job is not None:
                jobs.append(job)
                size += len(job.writes)
                if size >= _MOST_WRITES:
                    return jobs, False
                job = self._jobs.get_nowait()
        except Empty:
            return jobs, False
        return jobs, True

    def _commit(self, jobs: list[Job]) -> list[Entry]:
        try:
            if self._failed:
                raise self._failed
            return self._transaction(jobs)
        except sqlite3.Error as error:
            fault = database_fault(self._path, error)
            self._abandon(fault if not passes(error) else None)
        except StoreFailedError as error:
            fault = error
        for job in jobs:
            job.outcome = fault
        return []

    def _transaction(self, jobs: list[Job]) -> list[Entry]:
        self._connection.execute("BEGIN IMMEDIATE")
        failpoint("store-begun")
        group = Group(self._connection, self.revision)
        group.look_up(write.key for job in jobs for write in job.writes)
        for job in jobs:
            job.outcome = group.take(job.writes)
        if not group.entries:
            self._connection.execute("ROLLBACK")
            return []
        group.write()
        self._connection.execute("COMMIT")
        failpoint("store-committed")
        self.revision = group.revision
        return group.entries

    def _abandon(self, fault: StoreFailedError | None) -> None:
        """Take back an open transaction; with a fault, refuse everything from now on."""
        self._failed = fault
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            self._failed = database_fault(self._path, error)

    def _answer(self, jobs: list[Job], entries: list[Entry]) -> None:
        try:
            jobs[0].loop.call_soon_threadsafe(self._finish, jobs, entries)
        except RuntimeError:
            return  # the loop is closed: the callers went away, what they wrote is kept

    def _finish(self, jobs: list[Job], entries: list[Entry]) -> None:
        """In the thread of the event loop."""
        try:
            if entries:
                self.heard(entries)
            failpoint("store-published")
        finally:
            for job in jobs:
                job.finish()
        failpoint("store-answered")

    def _compact(self) -> None:
        """Forget revisions once enough of them are older than the history."""
        slack = max(1, self._history // 8)  # a commit of its own for each revision would halve the speed of writing
        if self.revision - self.oldest < self._history + slack:
            return
        try:
            self.oldest = compact(self._connection, self.oldest, self.revision - self._history)
        except sqlite3.Error as error:
            self._abandon(database_fault(self._path, error) if not passes(error) else None)

"""The one thread that writes: it takes all batches that wait, commits them together, then has each answered."""

from __future__ import annotations

import logging
import sqlite3
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING

from bayplan.control.failpoints import failpoint
from bayplan.control.observing import UNOBSERVED_STORE
from bayplan.control.store_errors import StoreError, StoreFailedError
from bayplan.stores.sqlite.compaction import compact
from bayplan.stores.sqlite.faults import database_fault, full_disk, passes, unexpected_fault
from bayplan.stores.sqlite.group import Group

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bayplan.control.observing import StoreObserver
    from bayplan.control.store import Stored
    from bayplan.stores.shelf import Entry, Write

_LOG = logging.getLogger("bayplan.store")
_MOST_WRITES = 1_000  # of one commit, so that the first of them does not wait for ever


@dataclass(slots=True)
class Job:
    """A batch that waits for its commit, and what became of it."""

    writes: Sequence[Write]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[tuple[Stored, ...]]
    outcome: tuple[Stored, ...] | StoreError = field(default=())
    queued: float = field(default_factory=perf_counter)

    def finish(self) -> None:
        """Answer the caller, unless it went away meanwhile."""
        if self.answer.done():
            return
        if isinstance(self.outcome, StoreError):
            self.answer.set_exception(self.outcome)
        else:
            self.answer.set_result(self.outcome)


def _refused(jobs: Sequence[Job], fault: StoreFailedError) -> list[Entry]:
    """Refuse all batches of a commit; nothing was written."""
    for job in jobs:
        job.outcome = fault
    return []


class Writer:
    """Writes in the order of the calls. After the disk failed, everything is refused until a new start."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, revision: int, oldest: int, history: int,
        observer: StoreObserver = UNOBSERVED_STORE,
    ) -> None:  # fmt: skip
        self._path = path
        self._connection = connection
        self._history = history
        self.revision = revision
        """The latest that is committed."""
        self.oldest = oldest
        """The oldest at which objects can be listed."""
        self.done: Callable[[Sequence[Job], Sequence[Entry]], None] = lambda _, __: None
        """Called in the thread of the event loop before the batches of a commit are answered."""
        self._observer = observer
        self._failed: StoreFailedError | None = None
        self._keeps: bool | None = None  # whether the last write was kept; None before the first that was
        self._jobs: SimpleQueue[Sequence[Job] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def put(self, jobs: Sequence[Job]) -> None:
        """Queue batches."""
        if jobs:
            self._jobs.put(jobs)
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
                began = perf_counter()
                entries = self._commit(jobs)
                self._answer(jobs, entries, (perf_counter() - began, began - jobs[0].queued))
                if entries:
                    self._compact(jobs[0].loop)

    def _take(self) -> tuple[list[Job], bool]:
        """At least one batch, and all others that wait; whether it was the last."""
        jobs: list[Job] = []
        more = self._jobs.get()
        size = 0
        try:
            while more is not None:
                jobs += more
                size += sum(len(job.writes) for job in more)
                if size >= _MOST_WRITES:
                    return jobs, False
                more = self._jobs.get_nowait()
        except Empty:
            return jobs, False
        return jobs, True

    def _commit(self, jobs: list[Job]) -> list[Entry]:
        if self._failed:
            return _refused(jobs, self._failed)
        try:
            entries = self._transaction(jobs)
        except sqlite3.Error as error:
            fault = database_fault(self._path, error)
            self._abandon(fault if not passes(error) else None)
        except Exception as error:  # if the thread ended, every later write would wait for ever
            fault = unexpected_fault(self._path, error)
            self._abandon(None if self._connection.in_transaction else fault)
        else:
            if entries:  # a group in which all was refused says nothing about the disk
                self._report(None)
            return entries
        self._report(fault)
        return _refused(jobs, fault)

    def _report(self, fault: StoreFailedError | None) -> None:
        """One line when writes begin to fail, and one when they succeed again; a failing start is told by itself."""
        if fault is not None and self._keeps:
            _LOG.error("%s", fault)
        elif fault is None and self._keeps is False:
            _LOG.warning("%s: writes are kept again", self._path)
        self._keeps = None if fault and self._keeps is None else fault is None

    def _transaction(self, jobs: list[Job]) -> list[Entry]:
        self._connection.execute("BEGIN IMMEDIATE")
        failpoint("store-begun")
        if failpoint("disk-full"):
            raise full_disk()
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

    def _answer(self, jobs: list[Job], entries: list[Entry], took: tuple[float, float]) -> None:
        """`took`: the seconds of the commit, and those that its first batch had waited."""
        try:
            jobs[0].loop.call_soon_threadsafe(self._finish, jobs, entries, took)
        except RuntimeError:
            return  # the loop is closed: the callers went away, what they wrote is kept

    def _finish(self, jobs: list[Job], entries: list[Entry], took: tuple[float, float]) -> None:
        """In the thread of the event loop."""
        try:
            self.done(jobs, entries)
            failpoint("store-published")
        finally:
            for job in jobs:
                job.finish()
        failpoint("store-answered")
        self._tell(jobs, len(entries), *took)

    def _tell(self, jobs: list[Job], writes: int, seconds: float, waited_s: float) -> None:
        refused = [each.outcome for each in jobs if isinstance(each.outcome, StoreError)]
        if writes:
            self._observer.committed(writes, seconds, waited_s)
        if refused and isinstance(refused[0], StoreFailedError):  # the commit failed as a whole
            self._observer.failed()
        elif refused:
            self._observer.conflicted(len(refused))

    def _compact(self, loop: asyncio.AbstractEventLoop) -> None:
        """Forget revisions once enough of them are older than the history."""
        slack = max(1, self._history // 8)  # a commit of its own for each revision would halve the speed of writing
        if self.revision - self.oldest < self._history + slack:
            return
        began = perf_counter()
        try:
            self.oldest = compact(self._connection, self.oldest, self.revision - self._history)
        except sqlite3.Error as error:
            self._abandon(database_fault(self._path, error) if not passes(error) else None)
            return
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._observer.compacted, perf_counter() - began)

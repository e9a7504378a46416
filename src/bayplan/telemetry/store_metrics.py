"""Metrics of the store: its commits, and how large its file is."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from bayplan.control.observing import StoreObserver
from bayplan.telemetry.metrics import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bayplan.telemetry.metrics.registry import Metrics

_LOG_SUFFIX = "-wal"  # SQLite's log beside the database


class StoreMetrics(StoreObserver):
    """Counts what the store does."""

    def __init__(self, metrics: Metrics) -> None:
        self._commit = metrics.histogram(catalogue.COMMIT)
        self._wait = metrics.histogram(catalogue.COMMIT_WAIT)
        self._size = metrics.histogram(catalogue.COMMIT_WRITES)
        self._writes = metrics.counter(catalogue.STORE_WRITES)
        self._conflicts = metrics.counter(catalogue.STORE_CONFLICTS)
        self._failures = metrics.counter(catalogue.STORE_FAILURES)
        self._compaction = metrics.histogram(catalogue.COMPACTION)

    def committed(self, writes: int, seconds: float, waited_s: float) -> None:
        self._commit.observe(seconds)
        self._wait.observe(waited_s)
        self._size.observe(writes)
        self._writes.add(by=writes)

    def conflicted(self, batches: int) -> None:
        self._conflicts.add(by=batches)

    def failed(self) -> None:
        self._failures.add()

    def compacted(self, seconds: float) -> None:
        self._compaction.observe(seconds)


def ask_store(metrics: Metrics, database: Path, revision: Callable[[], int]) -> None:
    """Ask at each scrape how large the database is, and at which revision."""
    size, latest = metrics.gauge(catalogue.STORE_BYTES), metrics.gauge(catalogue.REVISION)

    def ask() -> None:
        size.set(sum(map(_size, (database, database.with_name(database.name + _LOG_SUFFIX)))))
        latest.set(revision())

    metrics.ask("store", ask)


def _size(file: Path) -> int:
    with suppress(OSError):  # there is no log after a clean start
        return file.stat().st_size
    return 0

"""What a store in SQLite tells."""

import asyncio

import pytest

from bayplan.control.observing import UNOBSERVED_STORE, StoreObserver
from bayplan.control.store_errors import StoreFailedError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.store_metrics import StoreMetrics, ask_store
from metrics_text import shown
from unit.stores.databases import MAPS, config_map, where


def used(folder, scenario, **options):
    """The metrics of a store after a scenario."""
    metrics = Metrics()

    async def whole():
        shelf = SqliteShelf(folder, observer=StoreMetrics(metrics), **options)
        ask_store(metrics, shelf.database, shelf.revision)
        async with EmbeddedStore(shelf) as store:
            await asyncio.wait_for(scenario(store), 60)

    asyncio.run(whole())
    return metrics


def test_commits_are_measured(tmp_path):
    async def scenario(store):
        await asyncio.gather(*(store.create(MAPS, config_map(f"m{number}")) for number in range(300)))

    metrics = used(tmp_path, scenario)
    commits = shown(metrics, "bayplan_store_commit_duration_seconds_count")
    writes = shown(metrics, "bayplan_store_writes_total")
    assert writes >= 300
    assert commits < writes
    assert shown(metrics, "bayplan_store_commit_writes_sum") == writes
    assert shown(metrics, "bayplan_store_commit_wait_seconds_count") == commits
    assert shown(metrics, "bayplan_store_revision") == writes
    assert shown(metrics, "bayplan_store_size_bytes") > 4096
    assert shown(metrics, "bayplan_store_conflicts_total") == 0


def test_writes_that_lose_are_counted(tmp_path):
    async def scenario(store):
        made = [store.create(MAPS, config_map("same")) for _ in range(5)]
        await asyncio.gather(*made, return_exceptions=True)

    metrics = used(tmp_path, scenario)
    assert shown(metrics, "bayplan_store_conflicts_total") == 4
    assert shown(metrics, "bayplan_store_failures_total") == 0


def test_a_full_disk_is_counted(tmp_path):
    async def scenario(store):
        connection = store._shelf._writer._connection
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreFailedError):
            await store.create(MAPS, config_map("big", "x" * 100_000))

    metrics = used(tmp_path, scenario)
    assert shown(metrics, "bayplan_store_failures_total") == 1
    assert shown(metrics, "bayplan_store_conflicts_total") == 0


def test_compaction_is_measured(tmp_path):
    async def scenario(store):
        await store.create(MAPS, config_map("m"))
        for number in range(60):
            await store.update(where("m"), config_map("m", str(number)))

    assert shown(used(tmp_path, scenario, history=20), "bayplan_store_compaction_duration_seconds_count") >= 1


def test_every_event_has_a_metric_and_may_be_ignored():
    events = {name for name in vars(StoreObserver) if not name.startswith("_")}

    assert events == set(vars(StoreMetrics)) - {"__module__", "__doc__", "__init__"}
    UNOBSERVED_STORE.committed(1, 0.1, 0.1)
    UNOBSERVED_STORE.conflicted(1)
    UNOBSERVED_STORE.failed()
    UNOBSERVED_STORE.compacted(0.1)

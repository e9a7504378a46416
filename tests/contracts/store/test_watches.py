"""Watches: every change once and in order, from any kept revision, as a selection sees it."""

import asyncio
from contextlib import aclosing

import pytest

from bayplan.control.selection import Selection, parse_fields, parse_labels
from bayplan.control.store import Binding, ChangeType
from bayplan.control.store_errors import ExpiredError
from contracts.store.implementations import (
    NODES,
    PODS,
    POOLS,
    document,
    key,
    merged,
    metadata_of,
    pod,
    pool,
    quiet,
    take,
    watching,
)


def relabel(**labels):
    def change(latest):
        latest["metadata"]["labels"] = labels
        return latest

    return change


def test_a_watch_tells_what_is_there_and_what_happens(on_store):
    async def scenario(store):
        await store.create(POOLS, pool("a"))
        async with watching(store, POOLS) as watch:
            assert await take(watch, 1) == [("ADDED", "a")]
            await store.create(POOLS, pool("b"))
            await store.patch(key(POOLS, "a"), merged(replicas=2))
            await store.delete(key(POOLS, "b"))
            assert await take(watch, 3) == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]
            assert await quiet(watch)

    on_store(scenario)


def test_a_watch_resumes_after_a_revision(on_store):
    async def scenario(store):
        first = await store.create(POOLS, pool("a"))
        second = await store.create(POOLS, pool("b"))
        await store.create(POOLS, pool("c"))
        async with watching(store, POOLS, since=first.revision) as watch:
            assert await take(watch, 2) == [("ADDED", "b"), ("ADDED", "c")]
        async with watching(store, POOLS, since=second.revision) as watch:
            assert await take(watch, 1) == [("ADDED", "c")]
            assert await quiet(watch)

    on_store(scenario)


def test_changes_carry_rising_revisions(on_store):
    async def scenario(store):
        start = (await store.list(POOLS)).revision
        await asyncio.gather(*(store.create(POOLS, pool(f"p{number}")) for number in range(50)))
        async with watching(store, POOLS, since=start) as watch:
            changes = [await anext(watch) for _ in range(50)]

        revisions = [change.stored.revision for change in changes]
        assert revisions == sorted(set(revisions))
        assert [int(metadata_of(change.stored)["resourceVersion"]) for change in changes] == revisions

    on_store(scenario)


def test_the_last_state_of_a_deleted_object_has_the_revision_of_its_deletion(on_store):
    async def scenario(store):
        created = await store.create(POOLS, pool("a"))
        async with watching(store, POOLS, since=created.revision) as watch:
            await store.delete(key(POOLS, "a"))
            change = await anext(watch)

        assert change.type is ChangeType.DELETED
        assert change.stored.revision > created.revision
        assert change.stored.document()["spec"] == {"replicas": 1}
        assert metadata_of(change.stored)["resourceVersion"] == str(change.stored.revision)

    on_store(scenario)


def test_other_collections_and_namespaces_are_not_heard(on_store):
    async def scenario(store):
        async with watching(store, POOLS, "default") as watch:
            await store.create(POOLS, pool("a", "kube-system"))
            await store.create(NODES, document("Node", "n", ""))
            await store.create(POOLS, pool("b"))
            assert await take(watch, 1) == [("ADDED", "b")]
            assert await quiet(watch)

    on_store(scenario)


def test_entering_and_leaving_a_selection(on_store):
    async def scenario(store):
        await store.create(POOLS, pool("a", labels={"tier": "gold"}))
        await store.create(POOLS, pool("b"))
        async with watching(store, POOLS, "", Selection(parse_labels("tier=gold"))) as watch:
            assert await take(watch, 1) == [("ADDED", "a")]
            await store.patch(key(POOLS, "b"), merged(replicas=5))
            await store.patch(key(POOLS, "b"), relabel(tier="gold"))
            await store.patch(key(POOLS, "a"), merged(replicas=3))
            left = await store.patch(key(POOLS, "a"), relabel(tier="iron"))
            await store.delete(key(POOLS, "a"))
            await store.delete(key(POOLS, "b"))
            assert await take(watch, 2) == [("ADDED", "b"), ("MODIFIED", "a")]
            change = await anext(watch)
            assert await take(watch, 1) == [("DELETED", "b")]
            assert await quiet(watch)

        assert change.type is ChangeType.DELETED
        assert change.stored.revision == left.revision
        assert metadata_of(change.stored)["labels"] == {"tier": "gold"}
        assert metadata_of(change.stored)["resourceVersion"] == str(left.revision)

    on_store(scenario)


def test_a_selection_of_fields_follows_a_pod_to_its_node(on_store):
    async def scenario(store):
        await store.create(PODS, pod("p"))
        async with watching(store, PODS, "", Selection(fields=parse_fields("spec.nodeName=n1"))) as watch:
            await store.bind([Binding("default", "p", "n1")])
            assert await take(watch, 1) == [("ADDED", "p")]

    on_store(scenario)


def test_a_watcher_that_comes_late_reads_the_same(on_store):
    async def scenario(store):
        start = (await store.list(POOLS)).revision
        async with watching(store, POOLS, since=start) as live:
            for number in range(40):
                await store.create(POOLS, pool(f"p{number % 10}", labels={"n": str(number)}))
                await store.delete(key(POOLS, f"p{number % 10}"))
            heard = [await anext(live) for _ in range(80)]
        async with watching(store, POOLS, since=start) as late:
            assert [await anext(late) for _ in range(80)] == heard

    on_store(scenario)


def test_bookmarks_say_how_far_a_watcher_is(on_store, implementation):
    if not implementation.compacts:
        pytest.skip("the server sends them once a minute")

    async def scenario(store):
        created = await store.create(POOLS, pool("a"))
        other = await store.create(PODS, pod("p"))
        async with watching(store, POOLS, since=created.revision, bookmarks=True) as watch:
            bookmark = await anext(watch)
            assert bookmark.type is ChangeType.BOOKMARK
            assert bookmark.stored.revision == other.revision
            await store.create(POOLS, pool("b"))
            later = [await anext(watch) for _ in range(2)]

        assert {str(change.type) for change in later} == {"ADDED", "BOOKMARK"}

    on_store(scenario, bookmark_s=0.01)


def test_without_bookmarks_none_come(on_store):
    async def scenario(store):
        async with watching(store, POOLS) as watch:
            assert await quiet(watch, 0.1)

    on_store(scenario, bookmark_s=0.01)


def test_a_revision_that_is_too_old(on_store, implementation):
    if not implementation.compacts:
        pytest.skip("the server compacts when it likes")

    async def scenario(store):
        created = await store.create(POOLS, pool("a"))
        await asyncio.gather(*(store.create(POOLS, pool(f"p{number}")) for number in range(5_000)))
        await store.delete(key(POOLS, "a"))
        for since in (created.revision, 10**9):
            with pytest.raises(ExpiredError):
                async with watching(store, POOLS, since=since) as watch:
                    await anext(watch)

    on_store(scenario, history=10)


def test_a_hundred_watchers_hear_the_same(on_store):
    async def scenario(store):
        start = (await store.list(POOLS)).revision

        async def listen():
            async with watching(store, POOLS, since=start) as watch:
                return [change.stored.revision for change in [await anext(watch) for _ in range(30)]]

        listeners = [asyncio.create_task(listen()) for _ in range(100)]
        await asyncio.sleep(0)
        await asyncio.gather(*(store.create(POOLS, pool(f"p{number}")) for number in range(30)))
        heard = await asyncio.gather(*listeners)

        assert all(each == heard[0] for each in heard)
        assert len(set(heard[0])) == 30

    on_store(scenario)


def test_a_watcher_that_leaves_disturbs_no_other(on_store):
    async def scenario(store):
        async with watching(store, POOLS) as staying:
            leaving = store.watch(POOLS)
            waits = asyncio.create_task(anext(leaving))
            stays = asyncio.create_task(anext(staying))
            await asyncio.sleep(0)
            waits.cancel()
            await asyncio.gather(waits, return_exceptions=True)
            await store.create(POOLS, pool("a"))

            assert metadata_of((await stays).stored)["name"] == "a"
            async with aclosing(leaving):
                pass

    on_store(scenario)


def test_the_line_of_a_change_is_made_once(on_store):
    async def scenario(store):
        async with watching(store, POOLS) as watch:
            created = await store.create(POOLS, pool("a"))
            change = await anext(watch)

        assert change.line() == b'{"type":"ADDED","object":' + created.text + b"}\n"
        assert change.line() is change.line()

    on_store(scenario)

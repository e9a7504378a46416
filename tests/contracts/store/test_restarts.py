"""What a durable store has after it was closed and opened again: everything."""

import asyncio

import pytest

from bayplan.control.store import Deletion, Propagation
from contracts.store.implementations import (
    IMPLEMENTATIONS,
    NAMESPACES,
    PODS,
    POOLS,
    eventually,
    is_gone,
    key,
    merged,
    names,
    namespace_named,
    owner,
    pod,
    pool,
    take,
    watching,
)


@pytest.fixture(params=[name for name, each in IMPLEMENTATIONS.items() if each.durable])
def implementation(request):
    return IMPLEMENTATIONS[request.param]


def test_objects_and_revisions_stay(on_store):
    async def write(store):
        await store.create(POOLS, pool("a"))
        await store.create(POOLS, pool("b"))
        await store.delete(key(POOLS, "a"))
        return await store.list(POOLS)

    before = on_store(write)

    assert on_store(lambda store: store.list(POOLS)) == before


def test_revisions_are_never_given_twice(on_store):
    async def last_is_a_deletion(store):
        await store.create(POOLS, pool("a"))
        return (await store.delete(key(POOLS, "a"))).revision

    async def create(store):
        return (await store.create(POOLS, pool("a"))).revision

    assert on_store(last_is_a_deletion) < on_store(create)


def test_watches_resume_after_a_restart(on_store):
    async def write(store):
        first = await store.create(POOLS, pool("a"))
        await store.patch(key(POOLS, "a"), merged(replicas=4))
        await store.delete(key(POOLS, "a"))
        return first.revision

    since = on_store(write)

    async def watch(store):
        await store.create(POOLS, pool("b"))
        async with watching(store, POOLS, since=since) as changes:
            return await take(changes, 3)

    assert on_store(watch) == [("MODIFIED", "a"), ("DELETED", "a"), ("ADDED", "b")]


def test_pages_go_on_after_a_restart(on_store):
    async def begin(store):
        await asyncio.gather(*(store.create(POOLS, pool(name)) for name in "abcd"))
        return await store.list(POOLS, limit=2)

    first = on_store(begin)

    async def go_on(store):
        await store.delete(key(POOLS, "d"))
        return await store.list(POOLS, limit=2, next=first.next)

    assert names(on_store(go_on)) == ["c", "d"]


CASCADES = {
    "background": Deletion(Propagation.BACKGROUND),
    "foreground": Deletion(Propagation.FOREGROUND),
}


@pytest.mark.parametrize("deletion", CASCADES.values(), ids=CASCADES)
def test_a_cascade_that_was_cut_off_is_finished(on_store, deletion):
    """The garbage collector is stopped before it can do anything, as by a crash."""

    async def cut_off(store):
        above = await store.create(POOLS, pool())
        await asyncio.gather(
            *(store.create(PODS, pod(f"p{number}", owners=[owner(above, block=True)])) for number in range(5))
        )
        await store._garbage.stop()
        await store.delete(key(POOLS, "chat"), deletion)
        assert len((await store.list(PODS)).items) == 5

    on_store(cut_off)

    async def finished(store):
        async def empty():
            return not (await store.list(PODS)).items and not (await store.list(POOLS)).items

        await eventually(empty)

    on_store(finished)


def test_orphans_that_were_cut_off_become_free(on_store):
    async def cut_off(store):
        above = await store.create(POOLS, pool())
        await store.create(PODS, pod("p", owners=[owner(above)]))
        await store._garbage.stop()
        await store.delete(key(POOLS, "chat"), Deletion(Propagation.ORPHAN))

    on_store(cut_off)

    async def finished(store):
        await eventually(lambda: is_gone(store, key(POOLS, "chat")))
        return names(await store.list(PODS))

    assert on_store(finished) == ["p"]


def test_the_end_of_a_namespace_that_was_cut_off_is_finished(on_store):
    async def cut_off(store):
        await store.create(NAMESPACES, namespace_named("team"))
        await store.create(PODS, pod("p", "team"))
        await store._garbage.stop()
        await store.delete(key(NAMESPACES, "team"))

    on_store(cut_off)

    async def finished(store):
        await eventually(lambda: is_gone(store, key(NAMESPACES, "team")))
        return names(await store.list(PODS))

    assert on_store(finished) == []

import asyncio
import logging
from contextlib import asynccontextmanager

from bayplan.control.cache import Cache
from bayplan.control.collections import NODES, PODS
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import StoreFailedError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.faults import FailingStore, LateStore
from unit.control.scheduling.scheduler import nodes, pod, virtually, worker


class Heard:
    """A listener: what it was told, as name, old and new label."""

    def __init__(self):
        self.seen = []

    def __call__(self, seen):
        old, new = (each and each["metadata"].get("labels", {}).get("v", "-") for each in (seen.old, seen.new))
        self.seen.append((seen.key.name, old, new))


@asynccontextmanager
async def caching(*pods, wrap=lambda store: store, history=10_000):
    async with EmbeddedStore(MemoryShelf(history)) as store:
        for each in pods:
            await store.create(PODS, each)
        cache, heard = Cache(wrap(store), (PODS, NODES)), Heard()
        cache.listen(PODS, heard)
        await cache.start()
        try:
            yield store, cache, heard
        finally:
            await cache.stop()


def labelled(name, value):
    return pod(name, labels={"v": value})


def key(name):
    return Key(PODS, "default", name)


async def relabel(store, name, value):
    def change(old):
        old["metadata"]["labels"] = {"v": value}
        return old

    await store.patch(key(name), change)


async def caught_up():
    await asyncio.sleep(0.5)


@virtually
async def test_what_was_stored_before_is_known_after_the_start():
    async with caching(labelled("a", "1"), labelled("b", "1")) as (_, cache, heard):
        assert heard.seen == [("a", None, "1"), ("b", None, "1")]
        assert cache.get(key("a"))["metadata"]["name"] == "a"
        assert cache.get(key("c")) is None
        assert len(list(cache.all(PODS))) == 2
        assert list(cache.all(PODS, "elsewhere")) == []


@virtually
async def test_changes_are_told_in_order_with_what_was_before():
    async with caching(labelled("a", "1")) as (store, cache, heard):
        await relabel(store, "a", "2")
        await store.create(PODS, labelled("b", "1"))
        await store.delete(key("a"), Deletion(grace_s=0))
        await caught_up()

        assert heard.seen[1:] == [("a", "1", "2"), ("b", None, "1"), ("a", "2", None)]
        assert cache.get(key("a")) is None


@virtually
async def test_objects_of_several_collections_do_not_mix():
    async with caching(labelled("a", "1")) as (store, cache, heard):
        (node,) = nodes(worker("a"))
        await store.create(NODES, node)
        await caught_up()

        assert len(heard.seen) == 1
        assert cache.get(Key(NODES, "", "a"))["kind"] == "Node"


@virtually
async def test_a_watcher_that_is_too_late_reads_everything_again_and_tells_the_difference():
    late = []

    def wrap(store):
        late.append(LateStore(store, PODS))
        return late[0]

    before = [labelled(name, "1") for name in ("stays", "changes", "goes", "reborn")]
    async with caching(*before, wrap=wrap) as (store, cache, heard):
        heard.seen.clear()
        late[0].hold()
        await relabel(store, "changes", "2")
        for name in ("goes", "reborn"):
            await store.delete(key(name), Deletion(grace_s=0))
        await store.create(PODS, labelled("reborn", "2"))
        await store.create(PODS, labelled("comes", "1"))
        late[0].expire()
        await caught_up()

        assert sorted(heard.seen, key=str) == [
            ("changes", "1", "2"),
            ("comes", None, "1"),
            ("goes", "1", None),
            ("reborn", "1", None),
            ("reborn", None, "2"),
        ]
        assert cache.failed is None


@virtually
async def test_a_history_that_is_too_short_for_the_watch_is_no_loss():
    async with caching(history=3) as (store, cache, heard):
        for number in range(50):
            await store.create(PODS, labelled(f"p{number}", "1"))
        await caught_up()

        assert {name for name, *_ in heard.seen} == {f"p{number}" for number in range(50)}
        assert len(list(cache.all(PODS))) == 50


@virtually
async def test_another_object_of_the_same_name_is_told_as_gone_and_new():
    late = []

    def wrap(store):
        late.append(LateStore(store, PODS))
        return late[0]

    async with caching(labelled("a", "1"), wrap=wrap) as (store, _, heard):
        late[0].hold()
        await store.delete(key("a"), Deletion(grace_s=0))
        await store.create(PODS, labelled("a", "2"))
        late[0].expire()
        await caught_up()

        assert heard.seen[1:] == [("a", "1", None), ("a", None, "2")]


def test_a_listener_that_fails_costs_nobody_else_anything(caplog):
    caplog.set_level(logging.CRITICAL)

    @virtually
    async def scenario():
        async with EmbeddedStore(MemoryShelf()) as store:
            cache, heard = Cache(store, (PODS,)), Heard()

            def broken(seen):
                raise KeyError(seen.key.name)

            cache.listen(PODS, broken)
            cache.listen(PODS, heard)
            await cache.start()
            await store.create(PODS, labelled("a", "1"))
            await store.create(PODS, labelled("b", "1"))
            await caught_up()

            assert [name for name, *_ in heard.seen] == ["a", "b"]
            assert isinstance(cache.failed, KeyError)
            await cache.stop()

    scenario()


def test_a_store_that_cannot_be_read_for_a_while_is_asked_again(caplog):
    caplog.set_level(logging.CRITICAL)
    stores = []

    def wrap(store):
        stores.extend([LateStore(store, PODS), FailingStore(None)])
        stores[1]._store = stores[0]
        return stores[1]

    def broken(verb, given):
        raise StoreFailedError("the disk failed", place="store")

    @virtually
    async def scenario():
        async with caching(labelled("a", "1"), wrap=wrap) as (store, cache, heard):
            late, failing = stores
            late.hold()
            failing.fail = broken
            await relabel(store, "a", "2")
            late.expire()
            await asyncio.sleep(10)
            assert heard.seen == [("a", None, "1")]
            failing.fail = lambda verb, given: None
            await asyncio.sleep(10)

            assert heard.seen[1:] == [("a", "1", "2")]
            assert cache.failed is None

    scenario()


@virtually
async def test_a_watch_that_the_store_breaks_off_begins_anew():
    class Breaking:
        def __init__(self, store):
            self._store, self.left = store, 2

        def __getattr__(self, name):
            return getattr(self._store, name)

        async def watch_many(self, collection, *given, **options):
            async for changes in self._store.watch_many(collection, *given, **options):
                if collection == PODS and self.left:
                    self.left -= 1
                    raise StoreFailedError("the disk failed", place="store")
                yield changes

    async with caching(wrap=Breaking) as (store, cache, heard):
        for number in range(4):
            await store.create(PODS, labelled(f"p{number}", "1"))
            await asyncio.sleep(3)

        assert [name for name, *_ in heard.seen] == ["p0", "p1", "p2", "p3"]
        assert cache.failed is None


@virtually
async def test_watches_end_with_the_store():
    async with EmbeddedStore(MemoryShelf()) as store:
        cache = Cache(store, (PODS,))
        await cache.start()
        store.end_watches()
        await caught_up()

        assert all(each.done() for each in cache._watches)
        assert cache.failed is None
        await cache.stop()

"""How writes reach the file: those that come together share a commit, and none is left behind."""

import asyncio

from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
from unit.stores.databases import MAPS, config_map, content, where


def counted(shelf):
    """The number of batches in each commit from now on."""
    sizes = []
    told = shelf._writer.done

    def done(jobs, entries):
        sizes.append(len(jobs))
        told(jobs, entries)

    shelf._writer.done = done
    return sizes


async def several(store, number):
    await asyncio.gather(*(store.create(MAPS, config_map(f"m{each}")) for each in range(number)))


def test_writes_of_one_moment_share_a_commit(tmp_path):
    async def whole():
        shelf = SqliteShelf(tmp_path)
        async with EmbeddedStore(shelf) as store:
            sizes = counted(shelf)
            await several(store, 20)
            return sizes

    assert asyncio.run(whole()) == [20]
    assert len(content(tmp_path)) == 20


def test_what_is_queued_is_written_at_the_end(tmp_path):
    async def whole():
        shelf = SqliteShelf(tmp_path)
        store = EmbeddedStore(shelf)
        await store.start()
        queued = asyncio.gather(*(store.create(MAPS, config_map(f"m{each}")) for each in range(3)))
        await asyncio.sleep(0)
        await store.close()
        return await queued

    assert len(asyncio.run(whole())) == 3
    assert content(tmp_path).keys() == {"m0", "m1", "m2"}


def test_an_object_that_is_written_again_and_again(tmp_path):
    async def whole():
        async with EmbeddedStore(SqliteShelf(tmp_path)) as store:
            await store.create(MAPS, config_map("m"))
            seen = []
            for number in range(5):
                change = {**config_map("m"), "data": {"number": str(number)}}
                await store.update(where("m"), change)
                seen.append((await store.get(where("m"))).document()["data"]["number"])
            await store.delete(where("m"))
            return seen

    assert asyncio.run(whole()) == ["0", "1", "2", "3", "4"]
    assert content(tmp_path) == {}

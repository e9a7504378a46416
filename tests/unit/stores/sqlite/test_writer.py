import asyncio
import sqlite3

import pytest

from bayplan.control.store_errors import StoreFailedError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
from unit.stores.databases import MAPS, config_map, content, fill, run, where


class Faulty:
    """A connection on which one kind of statement fails as SQLite would."""

    def __init__(self, connection, beginning, error):
        self._connection = connection
        self._beginning = beginning
        self._error = error
        self.healed = False

    def execute(self, statement, *rest):
        if not self.healed and statement.lstrip().startswith(self._beginning):
            raise self._error
        return self._connection.execute(statement, *rest)

    def __getattr__(self, name):
        return getattr(self._connection, name)


def sqlite_error(name):
    error = sqlite3.OperationalError(name.lower())
    error.sqlite_errorname = name
    return error


def with_fault(folder, beginning, name, scenario):
    """Run a scenario on a store whose writer meets an error; the scenario gets the faulty connection too."""

    async def whole():
        shelf = SqliteShelf(folder)
        async with EmbeddedStore(shelf) as store:
            faulty = Faulty(shelf._writer._connection, beginning, sqlite_error(name))
            shelf._writer._connection = faulty
            return await asyncio.wait_for(scenario(store, faulty), 60)

    return asyncio.run(whole())


@pytest.mark.parametrize("beginning", ["BEGIN", "INSERT INTO revisions", "COMMIT"])
def test_a_full_disk_refuses_and_goes_on_when_there_is_space(tmp_path, beginning):
    fill(tmp_path)
    before = content(tmp_path)

    async def scenario(store, faulty):
        with pytest.raises(StoreFailedError, match="the disk is full"):
            await store.create(MAPS, config_map("late"))
        assert (await store.get(where("m0"))).text == before["m0"]
        faulty.healed = True
        await store.create(MAPS, config_map("later"))

    with_fault(tmp_path, beginning, "SQLITE_FULL", scenario)

    assert content(tmp_path).keys() == before.keys() | {"later"}


def test_the_log_says_once_that_writes_fail_and_once_that_they_are_kept_again(tmp_path, caplog):
    """Not where the very first ones fail: then the start fails, and says so itself."""
    fill(tmp_path)

    async def scenario(store, faulty):
        for healed in (False, True, False, True):
            faulty.healed = healed
            for number in range(3):
                if healed:
                    await store.create(MAPS, config_map(f"later{number}{len(caplog.records)}"))
                else:
                    with pytest.raises(StoreFailedError):
                        await store.create(MAPS, config_map(f"late{number}"))

    with_fault(tmp_path, "COMMIT", "SQLITE_FULL", scenario)

    assert [each.levelname for each in caplog.records] == ["ERROR", "WARNING"]
    assert "the disk is full" in caplog.messages[0]
    assert caplog.messages[1] == f"{tmp_path / 'bayplan.db'}: writes are kept again"


def test_after_a_failed_disk_everything_is_refused_until_a_new_start(tmp_path):
    fill(tmp_path)
    before = content(tmp_path)

    async def scenario(store, faulty):
        for name in ("late", "later"):
            with pytest.raises(StoreFailedError, match="not known whether the last writes were kept"):
                await store.create(MAPS, config_map(name))
            faulty.healed = True
        assert (await store.get(where("m0"))).text == before["m0"]

    with_fault(tmp_path, "COMMIT", "SQLITE_IOERR_FSYNC", scenario)

    assert content(tmp_path) == before


def test_a_really_full_file(tmp_path):
    fill(tmp_path)

    async def scenario():
        shelf = SqliteShelf(tmp_path)
        (pages,) = shelf._writer._connection.execute("PRAGMA page_count").fetchone()
        shelf._writer._connection.execute(f"PRAGMA max_page_count = {pages + 20}")
        async with EmbeddedStore(shelf) as store:
            accepted = []

            async def fill_up():
                while True:
                    name = f"big{len(accepted)}"
                    await store.create(MAPS, config_map(name, "x" * 10_000))
                    accepted.append(name)

            with pytest.raises(StoreFailedError, match="the disk is full"):
                await fill_up()
        return accepted

    accepted = asyncio.run(scenario())

    assert accepted
    assert [name for name in content(tmp_path) if name.startswith("big")] == sorted(accepted)


def test_many_writers_share_a_commit(tmp_path):
    async def scenario(store):
        commits = []
        store._shelf._writer._connection.set_trace_callback(
            lambda statement: commits.append(statement) if statement == "COMMIT" else None
        )
        await asyncio.gather(*(store.create(MAPS, config_map(f"m{number}")) for number in range(500)))
        return len(commits)

    assert run(tmp_path, scenario) < 50
    assert len(content(tmp_path)) == 500


def test_a_refused_batch_leaves_the_others_of_its_commit_alone(tmp_path):
    async def scenario(store):
        made = [store.create(MAPS, config_map(f"m{number % 30}")) for number in range(60)]
        done = await asyncio.gather(*made, return_exceptions=True)
        return [type(each).__name__ for each in done]

    assert run(tmp_path, scenario) == ["Stored"] * 30 + ["AlreadyExistsError"] * 30
    assert len(content(tmp_path)) == 30


def test_a_caller_that_goes_away_does_not_take_its_write_back(tmp_path):
    async def scenario(store):
        going = asyncio.create_task(store.create(MAPS, config_map("left")))
        await asyncio.sleep(0)
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)
        await store.create(MAPS, config_map("after"))

    run(tmp_path, scenario)

    assert sorted(content(tmp_path)) == ["after", "left"]


def test_writes_that_are_queued_at_the_end_are_kept(tmp_path):
    async def scenario(store):
        asyncio.create_task(store.create(MAPS, config_map("last")))  # noqa: RUF006 (nobody waits for it)
        await asyncio.sleep(0)

    run(tmp_path, scenario)

    assert sorted(content(tmp_path)) == ["last"]


def test_compaction_bounds_the_log(tmp_path):
    async def scenario(store):
        await store.create(MAPS, config_map("m"))
        for value in range(200):
            await store.update(where("m"), config_map("m", str(value)))
        (rows,) = store._shelf._connection.execute("SELECT count(*) FROM revisions").fetchone()
        return rows

    assert run(tmp_path, scenario, history=20) < 40
    assert b'"199"' in content(tmp_path)["m"]


def test_an_error_that_nobody_expected_refuses_one_commit_and_the_next_is_written(tmp_path):
    fill(tmp_path)

    async def scenario(store, faulty):
        faulty._error = RuntimeError("what the client sent")
        with pytest.raises(StoreFailedError, match="ended with RuntimeError") as refused:
            await store.create(MAPS, config_map("late"))
        assert "what the client sent" not in str(refused.value)
        faulty.healed = True
        await store.create(MAPS, config_map("later"))

    with_fault(tmp_path, "INSERT INTO revisions", "", scenario)

    assert "later" in content(tmp_path)
    assert "late" not in content(tmp_path)

import asyncio

import pytest

from bayplan.control.store_errors import ExpiredError, StoreFailedError
from bayplan.stores.sqlite.backup import back_up
from bayplan.stores.sqlite.folder import InUseError
from bayplan.stores.sqlite.integrity import problems
from bayplan.stores.sqlite.restore import REVISIONS_AHEAD, restore
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
from unit.stores.databases import MAPS, config_map, content, execute, fill, run, where


def values(found):
    """Objects without their revisions."""
    return {name: text.split(b'"data"')[1] for name, text in found.items()}


def test_a_backup_holds_what_the_folder_holds(tmp_path):
    revision = fill(tmp_path / "one")

    assert back_up(tmp_path / "one", tmp_path / "file") == revision
    restore(tmp_path / "file", tmp_path / "two")
    assert content(tmp_path / "two") == content(tmp_path / "one")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "one", "two"]


def test_a_backup_while_writers_write(tmp_path):
    folder = tmp_path / "one"
    fill(folder, 2_000)

    async def scenario(store):
        async def keep_writing():
            for number in range(10_000):
                await store.create(MAPS, config_map(f"n{number:04}"))

        writing = asyncio.create_task(keep_writing())
        await asyncio.sleep(0)
        first = [await asyncio.to_thread(back_up, folder, tmp_path / f"file{number}") for number in range(3)]
        writing.cancel()
        return first, (await store.list(MAPS)).revision

    taken, end = run(folder, scenario)

    assert taken == sorted(taken)
    assert taken[-1] <= end
    for number in range(3):
        restore(tmp_path / f"file{number}", tmp_path / f"two{number}")
        found = content(tmp_path / f"two{number}")
        added = [name for name in found if name.startswith("n")]
        assert added == [f"n{each:04}" for each in range(len(added))]
        assert found.keys() >= {f"m{each}" for each in range(1_999)}


def test_a_backup_does_not_replace_a_file_unless_forced(tmp_path):
    fill(tmp_path / "one")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreFailedError, match="exists already"):
        back_up(tmp_path / "one", tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"

    back_up(tmp_path / "one", tmp_path / "file", force=True)
    assert problems(tmp_path / "file") == []


def test_a_folder_without_a_database(tmp_path):
    with pytest.raises(StoreFailedError, match="holds no database"):
        back_up(tmp_path, tmp_path / "file")


def test_a_folder_that_does_not_exist_for_the_backup(tmp_path):
    fill(tmp_path / "one")
    with pytest.raises(StoreFailedError):
        back_up(tmp_path / "one", tmp_path / "nowhere" / "file")


def test_a_damaged_database_makes_no_backup(tmp_path):
    fill(tmp_path / "one")
    execute(tmp_path / "one", "DELETE FROM revisions WHERE revision = (SELECT min(revision) FROM objects)")
    with pytest.raises(StoreFailedError, match="is not in the log"):
        back_up(tmp_path / "one", tmp_path / "file")

    assert not (tmp_path / "file").exists()


@pytest.fixture
def backup(tmp_path):
    fill(tmp_path / "source", 5)
    back_up(tmp_path / "source", tmp_path / "file")
    return tmp_path / "file"


def test_a_restored_system_goes_on_with_revisions_that_were_never_given(tmp_path, backup):
    async def scenario(store):
        return (await store.list(MAPS)).revision, (await store.create(MAPS, config_map("new"))).revision

    before = fill(tmp_path / "other", 5)
    restored = restore(backup, tmp_path / "two")

    assert restored == before + REVISIONS_AHEAD
    assert run(tmp_path / "two", scenario) == (restored, restored + 1)


def test_clients_of_the_old_system_have_to_list_again(tmp_path, backup):
    async def scenario(store):
        for since in (1, 8, 10**12):
            with pytest.raises(ExpiredError):
                await anext(store.watch(MAPS, since=since))

    restore(backup, tmp_path / "two")
    run(tmp_path / "two", scenario)


def test_objects_of_a_backup_can_be_changed_and_compacted(tmp_path, backup):
    async def scenario(store):
        for value in range(60):
            await store.update(where("m0"), config_map("m0", str(value)))

    restore(backup, tmp_path / "two")
    run(tmp_path / "two", scenario, history=10)

    assert problems(tmp_path / "two" / "bayplan.db") == []
    assert b'"59"' in content(tmp_path / "two")["m0"]


def test_a_folder_that_holds_something_is_refused_unless_forced(tmp_path, backup):
    fill(tmp_path / "two", 9)
    before = content(tmp_path / "two")
    with pytest.raises(StoreFailedError, match="holds a database already"):
        restore(backup, tmp_path / "two")
    assert content(tmp_path / "two") == before

    restore(backup, tmp_path / "two", force=True)
    assert values(content(tmp_path / "two")) == values(content(tmp_path / "source"))
    (tmp_path / "three").mkdir()
    (tmp_path / "two" / "bayplan.db.replaced").rename(tmp_path / "three" / "bayplan.db")
    assert content(tmp_path / "three") == before


def test_a_folder_in_use_is_refused_even_if_forced(tmp_path, backup):
    async def scenario():
        shelf = SqliteShelf(tmp_path / "two")
        with pytest.raises(InUseError):
            restore(backup, tmp_path / "two", force=True)
        await shelf.close()

    asyncio.run(scenario())


def test_a_damaged_folder_can_be_replaced(tmp_path, backup):
    fill(tmp_path / "two", 9)
    (tmp_path / "two" / "bayplan.db").write_bytes(b"damaged")
    (tmp_path / "two" / "bayplan.db-wal").write_bytes(b"damaged too")
    restore(backup, tmp_path / "two", force=True)

    assert values(content(tmp_path / "two")) == values(content(tmp_path / "source"))
    assert (tmp_path / "two" / "bayplan.db.replaced").read_bytes() == b"damaged"


@pytest.mark.parametrize("content_of_file", [b"", b"no database", b"SQLite format 3\x00" + bytes(5_000)])
def test_a_file_that_is_no_backup_touches_nothing(tmp_path, content_of_file):
    fill(tmp_path / "two", 9)
    before = content(tmp_path / "two")
    (tmp_path / "bad").write_bytes(content_of_file)
    with pytest.raises(StoreFailedError):
        restore(tmp_path / "bad", tmp_path / "two", force=True)

    assert content(tmp_path / "two") == before


def test_a_backup_that_is_not_there(tmp_path):
    with pytest.raises(StoreFailedError, match="there is no such file"):
        restore(tmp_path / "nowhere", tmp_path / "two")

    assert not (tmp_path / "two").exists()

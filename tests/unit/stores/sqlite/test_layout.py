import os
import sqlite3

import pytest

from bayplan.control.store_errors import StoreFailedError
from bayplan.stores.sqlite.faults import DamagedError
from bayplan.stores.sqlite.layout import MIGRATIONS, VERSION, open_database
from unit.stores.databases import content, execute, fill, write_format


def dump(path):
    """Everything that a database holds, as statements."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA user_version").fetchone(), list(connection.iterdump())
    finally:
        connection.close()


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_every_format_that_was_ever_written_can_be_opened(tmp_path, version):
    write_format(tmp_path / "bayplan.db", version)
    found = content(tmp_path)

    assert sorted(found) == ["m0", "m1"]
    assert b'"value":"3"' in found["m0"]


def test_there_is_a_step_from_every_older_format():
    assert sorted(MIGRATIONS) == list(range(1, VERSION))


STEPS = {
    VERSION: "ALTER TABLE objects ADD COLUMN colour TEXT",
    VERSION + 1: "CREATE TABLE more (a); INSERT INTO more VALUES (1)",
}


def test_migrations_run_in_order_and_keep_the_old_file(tmp_path):
    fill(tmp_path)
    connection = open_database(tmp_path / "bayplan.db", STEPS, VERSION + 2)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (colour,) = connection.execute("SELECT colour FROM objects").fetchone()
    connection.close()

    assert (version, colour) == (VERSION + 2, None)
    assert [each.name for each in tmp_path.glob("*.format-*")] == [f"bayplan.db.format-{VERSION}"]


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_migration_of_a_stored_file_keeps_every_row_and_the_old_file(tmp_path, version):
    write_format(tmp_path / "bayplan.db", version)
    before = dump(tmp_path / "bayplan.db")
    steps = {**MIGRATIONS, VERSION: "CREATE TABLE more (a)"}
    open_database(tmp_path / "bayplan.db", steps, VERSION + 1).close()

    kept = tmp_path / f"bayplan.db.format-{version}"
    assert dump(kept) == before
    assert kept.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()].count(f"{kept.name}-wal") == 0
    (now,), rows = dump(tmp_path / "bayplan.db")
    assert now == VERSION + 1
    assert sorted(rows) == sorted([*before[1], "CREATE TABLE more (a);"])


def test_the_kept_file_can_be_put_back(tmp_path):
    write_format(tmp_path / "bayplan.db", VERSION)
    open_database(tmp_path / "bayplan.db", {VERSION: "DROP TABLE owners"}, VERSION + 1).close()
    for each in ("", "-wal", "-shm"):
        (tmp_path / f"bayplan.db{each}").unlink(missing_ok=True)
    (tmp_path / f"bayplan.db.format-{VERSION}").rename(tmp_path / "bayplan.db")

    assert sorted(content(tmp_path)) == ["m0", "m1"]


def test_where_the_old_file_cannot_be_kept_nothing_is_changed(tmp_path):
    fill(tmp_path)
    before = content(tmp_path)
    (tmp_path / f"bayplan.db.format-{VERSION}").mkdir()
    with pytest.raises(StoreFailedError, match="format"):
        open_database(tmp_path / "bayplan.db", {VERSION: "CREATE TABLE more (a)"}, VERSION + 1)

    assert content(tmp_path) == before


def test_a_format_that_never_was(tmp_path):
    fill(tmp_path)
    execute(tmp_path, "PRAGMA user_version = 0")
    with pytest.raises(DamagedError, match="has format 0"):
        content(tmp_path)


def test_a_migration_that_fails_changes_nothing(tmp_path):
    fill(tmp_path)
    before = content(tmp_path)
    with pytest.raises(StoreFailedError):
        open_database(tmp_path / "bayplan.db", {VERSION: "CREATE TABLE more (a); nonsense"}, VERSION + 1)

    assert content(tmp_path) == before


def test_a_newer_format_is_refused(tmp_path):
    fill(tmp_path)
    execute(tmp_path, f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoreFailedError, match=f"has format {VERSION + 1}, and this program knows up to {VERSION}"):
        content(tmp_path)


def test_a_database_of_another_program(tmp_path):
    execute(tmp_path, "CREATE TABLE t (a)")
    with pytest.raises(DamagedError, match="not one of Bayplan"):
        content(tmp_path)


def truncate(size):
    return lambda path: os.truncate(path, size)


def overwrite(start, text):
    def spoil(path):
        with path.open("r+b") as file:
            file.seek(start)
            file.write(text)

    return spoil


DAMAGE = {
    "empty":              truncate(0),
    "a few bytes":        truncate(50),
    "half a page":        truncate(4096 * 3 + 2000),
    "some pages missing": truncate(4096 * 4),
    "no database":        overwrite(0, b"something else entirely"),
    "a page of zeros":    overwrite(4096 * 2, bytes(4096)),
    "pages of rubbish":   overwrite(4096, b"rubbish " * 3000),
}  # fmt: skip


@pytest.mark.parametrize("spoil", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_told_and_left_alone(tmp_path, spoil):
    fill(tmp_path, 200)
    path = tmp_path / "bayplan.db"
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(DamagedError) as caught:
        content(tmp_path)

    assert str(path) in str(caught.value)
    assert "bayplan restore" in str(caught.value)
    assert path.read_bytes() == before


def test_a_file_that_is_missing_beside_its_log(tmp_path):
    (tmp_path / "bayplan.db-wal").write_bytes(b"x")
    with pytest.raises(DamagedError, match="is missing, but its log"):
        content(tmp_path)


def test_a_torn_log_loses_only_what_was_not_answered(tmp_path):
    """What follows the last complete commit in the log is what a crash leaves of a commit that never returned."""
    fill(tmp_path)
    before = content(tmp_path)
    connection = sqlite3.connect(tmp_path / "bayplan.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE later (a)")
    log = (tmp_path / "bayplan.db-wal").read_bytes()
    file = (tmp_path / "bayplan.db").read_bytes()
    connection.close()
    (tmp_path / "bayplan.db").write_bytes(file)
    (tmp_path / "bayplan.db-wal").write_bytes(log[:-100])

    assert content(tmp_path) == before


def test_a_half_made_file_is_made_again(tmp_path):
    (tmp_path / "bayplan.db.new").write_bytes(b"half")

    assert content(tmp_path) == {}


def test_a_path_with_signs_of_addresses(tmp_path):
    folder = tmp_path / "a?b#c%20d"
    fill(folder)

    assert (folder / "bayplan.db").exists()
    assert len(content(folder)) == 19


def test_the_file_is_private(tmp_path):
    fill(tmp_path)

    assert (tmp_path / "bayplan.db").stat().st_mode & 0o777 == 0o600

"""A writing process is killed at random moments and at every failpoint; nothing that was answered is lost."""

import json
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from bayplan.control.failpoints import FAILPOINTS, FAULTS, VARIABLE
from bayplan.control.store import Binding
from bayplan.stores.sqlite.backup import back_up
from bayplan.stores.sqlite.integrity import problems
from bayplan.stores.sqlite.layout import MIGRATIONS, VERSION, open_database
from crash.kills import SOURCES, WRITING, crash
from crash.oracle import Oracle
from crash.system_kills import PASSED
from crash.writer import GROUPS, PODS, pod, pod_group
from unit.stores.databases import MAPS, config_map, content, fill, run, write_format

KILLS = 40


def test_forty_kills(tmp_path):
    wrong, answered = crash(tmp_path, KILLS, seed=12)

    assert wrong == []
    assert answered > 10 * KILLS


OPEN = "SqliteShelf(folder)"
MIGRATE = "open_database(folder / 'bayplan.db', {**MIGRATIONS, VERSION: 'CREATE TABLE more (a)'}, VERSION + 1)"
RESTORE = "restore(folder.parent / 'file', folder, force=True)"
OTHERS = {
    "store-created": OPEN,
    "store-migrating": MIGRATE,
    "restore-copied": RESTORE,
    "restore-moved": RESTORE,
}
CODE = """
import sys
from pathlib import Path
from bayplan.stores.sqlite.layout import MIGRATIONS, VERSION, open_database
from bayplan.stores.sqlite.restore import restore
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
folder = Path(sys.argv[1])
"""


def test_every_failpoint_is_tried():
    assert set(WRITING) | set(PASSED) | set(OTHERS) == set(FAILPOINTS) - FAULTS


def die_at(failpoint, folder):
    words = [sys.executable, "-c", CODE + OTHERS[failpoint], folder]
    env = {**os.environ, "PYTHONPATH": str(SOURCES), VARIABLE: failpoint}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)

    assert done.returncode == -signal.SIGKILL, done.stderr


def test_a_new_folder_that_was_cut_off(tmp_path):
    die_at("store-created", tmp_path / "data")

    assert content(tmp_path / "data") == {}


@pytest.mark.parametrize("failpoint", ["store-migrating", "restore-copied", "restore-moved"])
def test_migrations_and_restores_happen_wholly_or_not_at_all(tmp_path, failpoint):
    fill(tmp_path / "source", 3)
    back_up(tmp_path / "source", tmp_path / "file")
    fill(tmp_path / "data", 30)
    before = content(tmp_path / "data")
    die_at(failpoint, tmp_path / "data")

    assert problems(tmp_path / "data" / "bayplan.db") == []
    assert content(tmp_path / "data") == before
    connection = sqlite3.connect(tmp_path / "data" / "bayplan.db")
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    connection.close()


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_migration_that_was_cut_off_is_done_at_the_next_start(tmp_path, version):
    folder = tmp_path / "data"
    folder.mkdir()
    write_format(folder / "bayplan.db", version)
    die_at("store-migrating", folder)
    kept = folder / f"bayplan.db.format-{version}"
    assert problems(kept) == []
    assert sorted(content(folder)) == ["m0", "m1"]  # the program that wrote it can go on with it

    steps = {**MIGRATIONS, VERSION: "CREATE TABLE more (a)"}
    connection = open_database(folder / "bayplan.db", steps, VERSION + 1)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION + 1,)
    assert connection.execute("SELECT count(*) FROM more").fetchone() == (0,)
    connection.close()
    assert problems(kept) == []


SPOILED = {
    "an answer is lost":      [{"id": "1", "sets": {"lost": "x"}}, {"id": "1", "revision": 99}],
    "a value is older":       [{"id": "1", "sets": {"m0": "2"}}, {"id": "1", "revision": 99}],
    "a deletion is lost":     [{"id": "1", "ends": "m0"}, {"id": "1", "revision": 99}],
    "half of a pair":         [{"id": "1", "sets": {"m0": "1", "lost": "x"}}],
    "the counter is behind":  [{"id": "1", "counts": 1}, {"id": "1", "revision": 99}],
}  # fmt: skip


@pytest.mark.parametrize("notes", SPOILED.values(), ids=SPOILED)
def test_the_oracle_finds_what_is_wrong(tmp_path, notes):
    async def scenario(store):
        for name, value in (("m0", "1"), ("counter", "0")):
            await store.create(MAPS, config_map(name, value))

    run(tmp_path / "data", scenario)
    file = tmp_path / "notes"
    file.write_text("\n".join(map(json.dumps, notes)), encoding="utf-8")

    assert Oracle(tmp_path / "data").judge(file, 40)


def test_the_oracle_finds_half_of_a_gang(tmp_path):
    async def scenario(store):
        await store.create(GROUPS, pod_group("g", 2))
        for name in ("a", "b"):
            await store.create(PODS, pod(name, "g"))
        await store.bind([Binding("default", "a", "worker")])

    run(tmp_path / "data", scenario)
    (tmp_path / "notes").touch()

    assert Oracle(tmp_path / "data").judge(tmp_path / "notes", 40) == ["I3: of gang g 1 member is bound"]

"""A writing process is killed at random moments and at every failpoint; nothing that was answered is lost."""

import json
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from bayplan.control.failpoints import FAILPOINTS, VARIABLE
from bayplan.stores.sqlite.backup import back_up
from bayplan.stores.sqlite.integrity import problems
from bayplan.stores.sqlite.layout import VERSION
from crash.kills import SOURCES, WRITING, crash
from crash.oracle import Oracle
from unit.stores.databases import MAPS, config_map, content, fill, run

KILLS = 40


def test_forty_kills(tmp_path):
    wrong, answered = crash(tmp_path, KILLS, seed=12)

    assert wrong == []
    assert answered > 10 * KILLS


OPEN = "SqliteShelf(folder)"
MIGRATE = "open_database(folder / 'bayplan.db', {VERSION: 'CREATE TABLE more (a)'}, VERSION + 1)"
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
from bayplan.stores.sqlite.layout import VERSION, open_database
from bayplan.stores.sqlite.restore import restore
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
folder = Path(sys.argv[1])
"""


def test_every_failpoint_is_tried():
    assert set(WRITING) | set(OTHERS) == set(FAILPOINTS)


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

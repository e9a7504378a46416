"""What a compaction leaves: enough for every list and change from its revision on."""

import sqlite3

import pytest

from bayplan.stores.sqlite import compaction
from bayplan.stores.sqlite.compaction import compact
from bayplan.stores.sqlite.integrity import problems
from unit.stores.databases import MAPS, config_map, content, run, where


def history(folder):
    """a: created at 5, changed at 7 and 9; b: created at 6, deleted at 8; c: created at 10."""

    async def scenario(store):
        await store.create(MAPS, config_map("a"))
        await store.create(MAPS, config_map("b"))
        await store.update(where("a"), config_map("a", "2"))
        await store.delete(where("b"))
        await store.update(where("a"), config_map("a", "3"))
        await store.create(MAPS, config_map("c"))

    run(folder, scenario)


def left(folder):
    connection = sqlite3.connect(folder / "bayplan.db")
    found = connection.execute("SELECT revision FROM revisions WHERE revision > 4 ORDER BY revision").fetchall()
    connection.close()
    return [revision for (revision,) in found]


LEFT = {
    4: [5, 6, 7, 8, 9, 10],
    6: [5, 6, 7, 8, 9, 10],
    7: [6, 7, 8, 9, 10],
    8: [7, 9, 10],
    9: [9, 10],
    10: [9, 10],
}


@pytest.mark.parametrize("until", LEFT)
@pytest.mark.parametrize("step", [1, 5_000])
def test_what_is_left(tmp_path, monkeypatch, until, step):
    monkeypatch.setattr(compaction, "_STEP", step)
    history(tmp_path)
    before = content(tmp_path)
    connection = sqlite3.connect(tmp_path / "bayplan.db", isolation_level=None)
    reached = 0
    while reached < until:
        reached = compact(connection, reached, until)
    connection.close()

    assert left(tmp_path) == LEFT[until]
    assert problems(tmp_path / "bayplan.db") == []
    assert content(tmp_path) == before

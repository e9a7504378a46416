import pytest

from bayplan.stores.sqlite.integrity import problems
from unit.stores.databases import MAPS, config_map, execute, fill, run


def test_a_whole_database_has_no_problems(tmp_path):
    fill(tmp_path, 20, history=5)

    assert problems(tmp_path / "bayplan.db") == []


def test_a_database_in_use_can_be_checked(tmp_path):
    async def scenario(store):
        await store.create(MAPS, config_map("a"))
        return problems(tmp_path / "bayplan.db")

    assert run(tmp_path, scenario) == []


FIRST = "(SELECT min(revision) FROM revisions WHERE name = 'm0')"
RENUMBERED = """replace(CAST(object AS TEXT), 'resourceVersion":"', 'resourceVersion":"9')"""
SPOILED = {
    "object lost":      ("DELETE FROM objects WHERE name = 'm3'", "m3: stored at revision None, but its last"),
    "version lost":     ("DELETE FROM revisions WHERE name = 'm3'", "m3: its revision"),
    "object outdated":  ("UPDATE objects SET revision = $FIRST WHERE name = 'm0'", "m0: stored at revision"),
    "history lost":     ("DELETE FROM revisions WHERE revision = $FIRST", "the revision before it"),
    "unreadable":       ("UPDATE revisions SET object = x'00' WHERE name = 'm3'", "m3: the object cannot be read"),
    "another revision": ("UPDATE revisions SET object = CAST($RENUMBERED AS BLOB)", "is not its revision"),
    "another uid":      ("UPDATE objects SET uid = 'x' WHERE name = 'm3'", "another uid"),
    "another owner":    ("INSERT INTO owners VALUES ('u', 'configmaps', 'default', 'm3')", "index of owners disagree"),
}  # fmt: skip


@pytest.mark.parametrize(("statement", "said"), SPOILED.values(), ids=SPOILED)
def test_rows_that_do_not_agree(tmp_path, statement, said):
    fill(tmp_path)
    execute(tmp_path, statement.replace("$FIRST", FIRST).replace("$RENUMBERED", RENUMBERED))
    found = problems(tmp_path / "bayplan.db")

    assert any(said in each for each in found), found

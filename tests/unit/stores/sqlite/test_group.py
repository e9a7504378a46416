"""Batches of one commit: each whole or refused, in order, also for one object and for many rows."""

import sqlite3

from bayplan.control.store import Stored
from bayplan.control.store_errors import StoreError
from bayplan.stores.shelf import Write, facts_of
from bayplan.stores.sqlite.group import Group
from bayplan.stores.sqlite.integrity import problems
from unit.stores.databases import content, fill, where


def document(name, uid="u", owner=""):
    metadata = {"name": name, "namespace": "default", "uid": uid}
    if owner:
        metadata["ownerReferences"] = [{"kind": "K", "name": "n", "uid": owner}]
    return {"metadata": metadata}


def committed(folder, *batches):
    """Write batches as one group; what each was answered."""
    revision = fill(folder, 2)
    connection = sqlite3.connect(folder / "bayplan.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    group = Group(connection, revision)
    group.look_up(write.key for batch in batches for write in batch)
    answers = [group.take(batch) for batch in batches]
    group.write()
    connection.execute("COMMIT")
    connection.close()
    assert problems(folder / "bayplan.db") == []
    return revision, answers


def test_revisions_follow_the_order_of_the_batches(tmp_path):
    revision, answers = committed(tmp_path, [Write(where("a"), document("a"))], [Write(where("b"), document("b", "v"))])

    assert [each.revision for (each,) in answers] == [revision + 1, revision + 2]


def test_a_batch_is_refused_as_a_whole(tmp_path):
    taken = Write(where("m0"), document("m0"))
    _, answers = committed(tmp_path, [Write(where("a"), document("a")), taken], [Write(where("b"), document("b"))])

    assert isinstance(answers[0], StoreError)
    assert sorted(content(tmp_path)) == ["b", "m0"]


def test_an_object_that_comes_goes_and_comes_again_in_one_commit(tmp_path):
    """The second life has another uid and another owner."""
    first, second = document("a", "u1", "long-ago-1"), document("a", "u2", "long-ago-2")
    revision = fill(tmp_path / "other", 2)
    born = Stored(b"", revision + 1)
    ended = Write(where("a"), dict(first), born, facts_of(first), gone=True)
    _, answers = committed(
        tmp_path, [Write(where("a"), first)], [ended], [Write(where("a"), second)], [Write(where("a"), second)]
    )

    assert [isinstance(each, StoreError) for each in answers] == [False, False, False, True]
    connection = sqlite3.connect(tmp_path / "bayplan.db")
    assert connection.execute("SELECT uid FROM objects WHERE name = 'a'").fetchall() == [("u2",)]
    assert connection.execute("SELECT owner FROM owners").fetchall() == [("long-ago-2",)]
    connection.close()


def test_more_rows_than_a_statement_takes(tmp_path):
    writes = [Write(where(f"x{number}"), document(f"x{number}", f"u{number}")) for number in range(600)]
    _, answers = committed(tmp_path, writes)

    assert len(answers[0]) == 600
    connection = sqlite3.connect(tmp_path / "bayplan.db")
    assert connection.execute("SELECT count(*) FROM objects WHERE name LIKE 'x%'").fetchone() == (600,)
    connection.close()

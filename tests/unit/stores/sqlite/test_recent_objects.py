"""Objects as the latest commits left them."""

from bayplan.control.store import Change, ChangeType, Key, Stored
from bayplan.stores.shelf import Entry, Write
from bayplan.stores.sqlite import recent_objects
from bayplan.stores.sqlite.recent_objects import RecentObjects
from unit.stores.databases import MAPS

A = Key(MAPS, "default", "a")


def write(key=A):
    return Write(key, {})


def entry(revision, key=A, type_=ChangeType.MODIFIED, text=b"{}"):
    return Entry(key, Change(type_, Stored(text, revision)), None)


def committed(recent, *entries):
    writes = [write(each.key) for each in entries]
    recent.begin(writes)
    recent.end(writes)
    recent.keep(entries)


def test_what_was_written_last_is_known():
    recent = RecentObjects()
    committed(recent, entry(1))
    committed(recent, entry(2), entry(3))

    assert recent.get(A) == Stored(b"{}", 3)


def test_nothing_is_known_while_a_write_is_under_way():
    recent = RecentObjects()
    committed(recent, entry(1))
    recent.begin([write()])
    assert recent.get(A) is None

    recent.begin([write()])
    recent.end([write()])
    recent.keep([entry(2)])  # the second may be committed already
    assert recent.get(A) is None

    recent.end([write()])
    recent.keep([entry(3)])
    assert recent.get(A) == Stored(b"{}", 3)


def test_a_refused_write_leaves_the_object_to_the_file():
    recent = RecentObjects()
    committed(recent, entry(1))
    recent.begin([write()])
    recent.end([write()])
    assert recent.get(A) is None

    committed(recent, entry(2))
    assert recent.get(A) == Stored(b"{}", 2)


def test_deleted_objects_are_forgotten():
    recent = RecentObjects()
    committed(recent, entry(1), entry(2, type_=ChangeType.DELETED))

    assert recent.get(A) is None


def test_bounds(monkeypatch):
    monkeypatch.setattr(recent_objects, "_MOST", 2)
    recent = RecentObjects()
    keys = [Key(MAPS, "default", name) for name in "abcd"]
    for revision, key in enumerate(keys[:3]):
        committed(recent, entry(revision, key))
    committed(recent, entry(9, keys[3], text=b"x" * 20_000))

    assert [recent.get(key) is not None for key in keys] == [False, True, True, False]

"""The lines of a ledger are found by replica, worker, binding and gang, and leave nothing behind."""

from __future__ import annotations

from bayplan.cluster.entries import Entries, Entry
from bayplan.cluster.identity import GangKey, ReplicaKey
from fleets import booking

FIRST = Entry(booking("m", gang="g"), 1)
SECOND = Entry(booking("m", replica=1, on="b", gang="g"), 1, expires_s=9.0)
THIRD = Entry(booking("n", on="b"), 2)


def test_entries_are_found_from_every_side():
    entries = Entries([FIRST, SECOND, THIRD])

    assert tuple(entries) == (FIRST, SECOND, THIRD)
    assert entries.of_owner(ReplicaKey("default", "m", 1)) == (SECOND,)
    assert entries.on_worker("b") == (SECOND, THIRD)
    assert entries.of_binding(1) == (FIRST, SECOND)
    assert entries.of_gang(GangKey("default", "g")) == (FIRST, SECOND)
    assert entries.reserved == (SECOND,)
    assert entries.worker_names == ["a", "b"]


def test_struck_entries_leave_nothing_behind():
    entries = Entries([FIRST, SECOND, THIRD])
    for entry in (SECOND, FIRST, THIRD):
        entries.strike(entry)

    assert tuple(entries) == entries.reserved == entries.of_gang(GangKey("default", "g")) == entries.of_binding(1) == ()
    assert entries.worker_names == []


def test_equal_lines_are_kept_apart():
    entries = Entries([FIRST, FIRST])
    entries.strike(FIRST)

    assert tuple(entries) == (FIRST,)

"""The lines of a ledger are found by replica, worker, binding and gang, and leave nothing behind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bayplan.cluster.entries import Entries, Entry
from bayplan.cluster.identity import GangKey, ReplicaKey, WorkloadKey
from fleets import booking

FIRST = Entry(booking("m", gang="g"), 1)
SECOND = Entry(booking("m", replica=1, on="b", gang="g"), 1, expires_s=9.0)
THIRD = Entry(booking("n", on="b"), 2)
M = WorkloadKey("default", "m")


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
    entries.strike([SECOND, FIRST])
    entries.strike([THIRD])

    assert tuple(entries) == entries.reserved == entries.of_gang(GangKey("default", "g")) == entries.of_binding(1) == ()
    assert entries.worker_names == []


def test_equal_lines_are_kept_apart():
    twin = replace(FIRST)
    entries = Entries([FIRST, twin])
    entries.strike([FIRST])

    assert [entry is twin for entry in entries] == [True]
    assert [entry is twin for entry in entries.on_worker("a")] == [True]


@pytest.mark.parametrize("asked_before", [False, True], ids=["indexed later", "indexed before"])
def test_a_fork_differs_only_in_what_was_changed_there(asked_before):
    entries = Entries([FIRST, SECOND])
    if asked_before:
        assert entries.of_workload(M) == (FIRST, SECOND)
    fork = entries.fork()
    fork.strike([FIRST])
    fork.enter([THIRD])
    again = fork.fork()
    again.strike([THIRD])
    again.enter([FIRST])

    assert (tuple(fork), tuple(again), tuple(entries)) == ((SECOND, THIRD), (SECOND, FIRST), (FIRST, SECOND))
    assert (fork.of_workload(M), again.of_workload(M), entries.of_workload(M)) == (
        (SECOND,), (SECOND, FIRST), (FIRST, SECOND),
    )  # fmt: skip
    assert (fork.on_worker("b"), again.on_worker("b"), entries.on_worker("b")) == (
        (SECOND, THIRD), (SECOND,), (SECOND,),
    )  # fmt: skip


def test_what_is_entered_is_found_by_every_index_that_was_asked_for():
    entries = Entries([FIRST])
    assert entries.of_workload(M) == (FIRST,)
    entries.enter([SECOND, THIRD])

    assert entries.of_workload(M) == (FIRST, SECOND)
    assert entries.of_workload(WorkloadKey("default", "n")) == (THIRD,)
    assert entries.of_gang(GangKey("default", "g")) == (FIRST, SECOND)
    assert entries.of_gang(GangKey("x", "g")) == ()

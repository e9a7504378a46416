"""Reservations, releases, workers that come and go, gangs and namespaces."""

from __future__ import annotations

import pytest

from bayplan.cluster.capacity import CapacityError
from bayplan.cluster.columns import STATUSES
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.identity import GangKey, ReplicaKey
from bayplan.cluster.invariants import check
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.worker import WorkerStatus
from bayplan.framework.errors import BayplanError, ConflictError, InputError
from fleets import booking, share, whole, worker
from unit.cluster.ledgers import book, column, ledger

GANG = GangKey("default", "g")


def test_a_reservation_holds_the_room_until_it_is_confirmed():
    of = ledger()
    binding = of.reserve([booking("m", whole(0))], expected=of.versions(), expires_s=60.0)
    planned = of.versions()

    assert column(of, "card_wholly_free") == [False, True]
    assert [entry.reserved for entry in of.entries] == [True]

    (entry,) = of.confirm(binding, now_s=59.9)
    assert of.entries == (entry,)
    assert not entry.reserved
    assert of.expire(1e9) == ()
    assert of.versions() == planned, "nothing that a plan looks at has changed"


def test_a_reservation_lapses_when_its_time_has_come():
    of = ledger()
    early = booking("m", whole(0)), booking("m", whole(1), replica=1)
    binding = of.reserve(early, expected=of.versions(), expires_s=60.0)
    of.reserve([booking("n", cpu_milli=1)], expected=of.versions(), expires_s=61.0)

    assert of.expire(59.9) == ()
    with pytest.raises(ConflictError, match=f"reservation {binding}: expired at 60 s; the time is 60 s; decide again"):
        of.confirm(binding, now_s=60.0)
    assert [entry.booking for entry in of.expire(60.0)] == list(early)
    assert column(of, "wholly_free_count") == 2
    with pytest.raises(ConflictError, match=f"reservation {binding}: no longer holds anything"):
        of.confirm(binding, now_s=0.0)


def test_what_nobody_holds_cannot_be_released_and_then_nothing_is():
    of = ledger(bookings=[booking("m", cpu_milli=1)])

    with pytest.raises(ConflictError, match="replica n#0: does not hold that on worker a; read what it holds"):
        of.release([booking("m", cpu_milli=1), booking("n")])
    with pytest.raises(ConflictError, match="replica m#0: does not hold that"):
        of.release([booking("m", cpu_milli=1), booking("m", cpu_milli=1)])
    with pytest.raises(ConflictError, match="worker a is at version"):
        of.release([booking("m", cpu_milli=1)], expected={"a": 99})
    assert of.bookings == (booking("m", cpu_milli=1),)


def test_what_workers_that_are_gone_held_stays_visible_until_it_is_released():
    held = booking("m", whole(1), cpu_milli=500)
    of = ledger(worker("a"), worker("b"), bookings=[held])

    of.remove_workers(["a"])
    assert [entry.booking for entry in of.stranded] == [held]
    assert of.bookings == (held,)
    assert check(of, [held]) == []

    of.add_workers([worker("a", 3)])
    assert of.stranded == ()
    assert column(of, "card_wholly_free") == [True, False, True]
    assert check(of) == []

    of.remove_workers(["a", "a"])
    of.release([held])
    assert of.entries == ()


def test_a_failed_worker_keeps_what_it_holds():
    of = ledger(bookings=[booking("m", whole(0))])

    of.set_status("a", WorkerStatus.NOT_READY)

    assert STATUSES[column(of, "status")] == "not-ready"
    assert of.snapshot.workers[0].status == "not-ready"
    assert column(of, "card_wholly_free") == [False, True]
    with pytest.raises(ConflictError):
        of.set_status("a", WorkerStatus.READY, expected={"a": 0})
    with pytest.raises(InputError, match="worker x: is not there"):
        of.set_status("x", WorkerStatus.READY)


def test_a_document_that_exceeds_its_cluster_is_loaded_and_shown():
    held = [booking("m", share(0, 30_000)), booking("n", share(0, 30_000)), booking("m", share(0, 30_000))]
    of = ledger(bookings=held)

    assert sorted(of.bookings, key=str) == sorted(held, key=str)
    assert column(of, "card_free_mib") == [0, 40_960]
    assert column(of, "card_share_mib") == [90_000, 0]
    of.release([held[0], held[2]])
    assert column(of, "card_free_mib") == [10_960, 40_960]


def test_a_restart_changes_nothing():
    of = ledger(worker("a"), worker("b"), bookings=[booking("m", whole(0), gang="g")], gangs={GANG: 1})
    book(of, booking("n", cpu_milli=99_000), allow_overcommit=True)
    of.reserve([booking("o", whole(1))], expected=of.versions(), expires_s=9.0)

    of.reserve([booking("q")], expected=of.versions(), expires_s=1.0)
    of.expire(1.0)

    again = Ledger(of.workers, of.entries, gangs=of.gangs, revision=of.revision)

    assert again.entries == of.entries
    assert again.gangs == {GANG: 1}
    for name, values in of.snapshot.table.columns.items():
        assert again.snapshot.table.columns[name].tolist() == values.tolist()
    assert book(again, booking("p")) > of.revision
    assert book(Ledger(of.workers, of.entries), booking("p")) > max(entry.binding for entry in of.entries)


def test_a_gang_of_fewer_than_its_minimum_is_refused():
    of = ledger()
    members = [booking("m", replica=n, gang="g") for n in range(2)]

    with pytest.raises(CapacityError, match="gang g: needs 3 members, 2 free, 1 short"):
        book(of, *members, gangs={GANG: 3})

    book(of, *members, gangs={GANG: 2})
    book(of, booking("m", replica=2, gang="g"))
    assert of.gangs == {GANG: 2}
    of.release(of.bookings)
    assert of.gangs == {}


def test_every_error_is_one_that_callers_catch():
    assert issubclass(CapacityError, BayplanError)


def test_replicas_and_gangs_of_two_namespaces_are_strangers():
    mine = booking("m", whole(0), gang="g", namespace="team-a")
    other = booking("m", whole(1), gang="g", namespace="team-b")
    of = ledger()
    book(of, mine, gangs={GangKey("team-a", "g"): 1})

    book(of, other)

    assert [entry.booking for entry in of.held_by(ReplicaKey("team-b", "m", 0))] == [other]
    assert of.gangs == {GangKey("team-a", "g"): 1, GangKey("team-b", "g"): 1}
    of.release([mine])
    assert of.gangs == {GangKey("team-b", "g"): 1}
    assert check(of) == []


def test_a_resource_is_never_assigned_twice():
    adapters = FrozenMap({"rdma/ib": 3})
    of = ledger(worker("a", resources=FrozenMap({"rdma/ib": 4})), worker("b"))
    book(of, booking("m", resources=adapters))

    for beside in (booking("n", resources=adapters), booking("n", on="b", resources=adapters)):
        with pytest.raises(CapacityError) as refused:
            book(of, beside, allow_overcommit=True)
        assert [each.code for each in refused.value.shortages] == ["resource-short"]
    of.release(of.bookings)
    book(of, booking("n", resources=adapters))
    assert check(of) == []


def test_a_worker_may_begin_to_offer_a_resource():
    of = ledger(worker("a"))
    of.update_worker(worker("a", resources=FrozenMap({"rdma/ib": 1})))

    book(of, booking("m", resources=FrozenMap({"rdma/ib": 1})))

    assert check(of) == []

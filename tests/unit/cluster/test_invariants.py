"""The invariants catch what they are there for: each is broken by hand and must say where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.cluster import Cluster
from bayplan.cluster.entries import Entry
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.identity import GangKey
from bayplan.cluster.invariants import bound_once, check, gangs_whole, no_drift, within_capacity
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.mig import MigInstance
from fleets import CUT, FIXED, a100, booking, instance, share, whole, worker

GANG = GangKey("default", "g")
LOOSE = CardBooking(None, mig=MigInstance("1g.5gb"))
CUT_A = worker("a", [a100(mig=CUT)])
FIXED_A = worker("a", [a100(mig=FIXED)])
UNKNOWN_A = worker("a", [Gpu(0, mig=FIXED)])
TO_BE_CUT_A = worker("a", [a100(mig=replace(CUT, enabled=False))])


def ledger(*bookings, host=None, **known):
    return Ledger.of(Cluster((host or worker(), worker("b")), bookings), **known)


def shown(violations):
    return [str(violation) for violation in violations]


def test_a_ledger_in_order_has_no_violation():
    held = (
        booking("m", share(0, 40_960, 1000), cpu_milli=16_000, ram_mib=65_536),
        booking("n", whole(1)),
        booking("o", whole(0), on="b", gang="g"),
        booking("o", whole(1), replica=1, on="b", gang="g"),
    )

    assert check(ledger(*held, gangs={GANG: 2}), held) == []


BEYOND = {
    "cpu": (worker(), (booking("m", cpu_milli=9000), booking("n", cpu_milli=9000)),
        "I1 worker a: 18000 thousandths of a core are assigned, it has 16000"),
    "ram": (worker(), (booking("m", ram_mib=65_537),),
        "I1 worker a: 65537 MiB of RAM are assigned, it has 65536"),
    "memory": (worker(), (booking("m", share(0, 30_000)), booking("n", share(0, 10_961))),
        "I1 worker a, card cuda:0: 40961 MiB are assigned, it has 40960"),
    "compute": (worker(), (booking("m", share(1, 0, 600)), booking("n", share(1, 0, 401))),
        "I1 worker a, card cuda:1: 1001 thousandths of its compute are assigned"),
    "whole twice": (worker(), (booking("m", whole(0)), booking("n", whole(0))),
        "I1 worker a, card cuda:0: is held whole, and by 2 parts of bookings in all"),
    "whole and shared": (worker(), (booking("m", whole(0)), booking("n", share(0, 0, 0))),
        "I1 worker a, card cuda:0: is held whole, and by 2 parts of bookings in all"),
    "cut and shared": (TO_BE_CUT_A, (booking("m", instance("1g.5gb", 0)), booking("n", share(0, 1))),
        "I1 worker a, card cuda:0: is cut into instances, and 1 others share it"),
    "a cut card undivided": (CUT_A, (booking("m", share(0, 1)),),
        "I1 worker a, card cuda:0: is cut, and assigned undivided"),
    "a slice twice": (CUT_A, (booking("m", instance("3g.20gb", 0)), booking("n", instance("1g.5gb", 3))),
        "I1 worker a, card cuda:0: slice 3 is assigned to 3g.20gb@0 and to 1g.5gb@3"),
    "an illegal start": (CUT_A, (booking("m", instance("2g.10gb", 3)),),
        "I1 worker a, card cuda:0: instance 2g.10gb@3 cannot be on it"),
    "a slice that is not there": (FIXED_A, (booking("m", instance("1g.5gb", 0)),),
        "I1 worker a, card cuda:0: instance 1g.5gb@0 cannot be on it"),
    "a slice of an uncut card": (worker(), (booking("m", instance("1g.5gb", 0)),),
        "I1 worker a, card cuda:0: instance 1g.5gb@0 cannot be on it"),
    "a listed slice twice": (UNKNOWN_A, (booking("m", instance("2g.10gb", 4)), booking("n", instance("2g.10gb", 4))),
        "I1 worker a, card cuda:0: slice 4 is assigned to 2g.10gb@4 and to 2g.10gb@4"),
    "a slice nobody can make": (worker("a", [Gpu(0, mig=CUT)]), (booking("m", instance("1g.5gb", 0)),),
        "I1 worker a, card cuda:0: instance 1g.5gb@0 cannot be on it"),
    "no such card": (worker(), (booking("m", whole(7)),),
        "I1 worker a, card cuda:7: is assigned, but not there"),
    "loose slices": (worker("a", 0, mig_slices=FrozenMap({"1G.5GB": 1})), (booking("m", LOOSE), booking("n", LOOSE)),
        "I1 worker a: 2 instances of 1g.5gb are assigned, it has 1"),
}  # fmt: skip


@pytest.mark.parametrize(("host", "held", "says"), BEYOND.values(), ids=BEYOND)
def test_i1_catches_what_is_assigned_beyond_capacity(host, held, says):
    of = ledger(*held, host=host)

    assert shown(within_capacity(of)) == [says]
    assert shown(check(of)) == [says]


@pytest.mark.parametrize("held", [("3g.20gb", 0), ("2g.10gb", 4), ("1g.5gb", 6), ("1g.5gb", 0), ("9x", 0)])
def test_i1_and_i13_know_cards_whose_geometry_nobody_knows(held):
    of = ledger(booking("m", instance(*held)), host=UNKNOWN_A)

    exists = held not in {("1g.5gb", 0), ("9x", 0)}
    assert (within_capacity(of) == []) == exists
    assert no_drift(of) == []


def test_i1_does_not_count_use_that_is_not_ours_nor_what_nobody_knows():
    seen = worker("a", [a100(observed_used_mib=40_000), Gpu(1)], reserved_gpu_memory_mib=9000, cpu_milli=None)

    assert within_capacity(ledger(booking("m", share(0, 40_000), share(1, 10**6), cpu_milli=10**6), host=seen)) == []


def test_i1_forgives_amounts_to_whoever_had_leave_but_never_a_card_held_by_two():
    held = [booking("m", share(0, 50_000), cpu_milli=20_000), booking("n", whole(1)), booking("o", whole(1))]
    of = Ledger([worker()], [Entry(each, n, overcommitted=True) for n, each in enumerate(held)])

    assert shown(check(of)) == ["I1 worker a, card cuda:1: is held whole, and by 2 parts of bookings in all"]


def test_i2_catches_a_replica_that_is_bound_twice():
    on_a, on_b = booking("m", on="a"), booking("m", on="b")
    of = Ledger([worker("a"), worker("b")], [Entry(on_a, 1), Entry(on_b, 2), Entry(on_a, 2)])

    assert shown(bound_once(of)) == [
        "I2 replica m#0: has 2 bookings on worker a",
        "I2 replica m#0: was bound 2 times",
    ]
    assert bound_once(ledger(on_a, on_b)) == [], "one replica over two workers"


def test_i3_catches_a_gang_of_which_only_some_are_bound():
    members = [booking("m", replica=n, gang="g") for n in range(3)]

    assert gangs_whole(ledger(*members, gangs={GANG: 3})) == []
    assert gangs_whole(ledger(gangs={GANG: 3})) == []
    assert shown(gangs_whole(ledger(*members[:2], gangs={GANG: 3}))) == ["I3 gang g: 2 members are bound, it needs 3"]


def test_i3_a_reservation_binds_nobody_and_half_a_confirmation_is_half_a_gang():
    members = [booking("m", replica=n, gang="g") for n in range(2)]
    reserved = [Entry(each, 1, expires_s=9.0) for each in members]

    assert gangs_whole(Ledger([worker()], reserved, gangs={GANG: 2})) == []
    half = [reserved[0], replace(reserved[1], expires_s=None)]
    assert shown(gangs_whole(Ledger([worker()], half, gangs={GANG: 2}))) == [
        "I3 gang g: 1 members are bound, it needs 2"
    ]


DRIFT = {
    "bookings": 5,
    "cpu_booked_milli": 7,
    "ram_booked_mib": 7,
    "cpu_free_milli": 99_999,
    "ram_free_mib": 99_999,
    "card_bookings": [7, 0],
    "card_booked_mib": [7, 0],
    "card_free_mib": [40_961, 40_960],
    "card_free_milli": [1000, 999],
    "card_mig_taken": [1, 0],
    "card_wholly_free": [True, False],
    "wholly_free": 1,
    "wholly_free_count": 2,
    "card_shareable": [False, True],
    "card_cuttable": [True, True],
    "status": 2,
    "loose_free": [3],
    "gpu_booked_mib": 7,
}


@pytest.mark.parametrize(("name", "wrong"), DRIFT.items(), ids=DRIFT)
def test_i13_catches_a_column_that_is_not_the_sum_of_the_bindings(name, wrong):
    host = worker(mig_slices=FrozenMap({"1g.5gb": 2}))
    of = ledger(booking("m", share(0, 1000), LOOSE, cpu_milli=500), host=host)
    assert no_drift(of) == []
    right = of.snapshot.table.columns[name][of.snapshot.rows["a"]].tolist()

    of.snapshot.table.write(of.snapshot.rows["a"], {name: wrong})

    assert shown(no_drift(of)) == [f"I13 worker a: {name} is {wrong}, bindings make {right}"]
    assert shown(check(of)) == shown(no_drift(of))


def test_i13_catches_what_the_world_outside_says_otherwise():
    ours, both, theirs = booking("m"), booking("n"), booking("o", on="gone")

    assert shown(no_drift(ledger(ours, both), [both, theirs])) == [
        "I13 replica o#0: on worker gone is bound, the ledger does not know it",
        "I13 replica m#0: on worker a is in the ledger, but not bound",
    ]


def test_i1_catches_a_resource_that_is_assigned_beyond_what_there_is():
    of = ledger(booking("m", resources=FrozenMap({"rdma/ib": 2})), host=worker(resources=FrozenMap({"rdma/ib": 1})))

    assert shown(within_capacity(of)) == ["I1 worker a: 2 rdma/ib are assigned, it has 1"]
    assert no_drift(of) == []

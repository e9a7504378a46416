"""The ledger: who may hold what, all or nothing, and what a lost race looks like."""

from __future__ import annotations

import pytest

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.capacity import CapacityError
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.identity import ReplicaKey
from bayplan.cluster.invariants import check
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.worker import WorkerStatus
from bayplan.framework.errors import ConflictError, InputError
from fleets import CUT, FIXED, a100, after, booking, instance, share, whole, worker
from unit.cluster.ledgers import book, column, ledger

TO_BE_CUT = MigState(enabled=False, reconfigurable=True)


CUT_A = worker("a", [a100(mig=CUT)])


FIXED_A = worker("a", [a100(mig=FIXED)])


LOOSE_A = worker("a", 0, mig_slices=FrozenMap({"1g.5gb": 2}))


USED_A = worker("a", [a100(observed_used_mib=10_000)])


KEPT_A = worker(reserved_ram_mib=36)


MIXED_A = worker("a", [a100(0), Gpu(0, runtime="rocm")])


ODD = CardBooking(0, mig=MigInstance("1g.5gb"))


LOOSE = CardBooking(None, mig=MigInstance("1g.5gb"))


SMALL = instance("1g.5gb", 0, 1)


NO_INSTANCE = ("mig-unavailable", 1, 0, 1)


NO_CARD = ("gpu-count-short", 1, 0, 1)


FITS = {
    "nothing but cpu and ram":   (worker(), booking(cpu_milli=16_000, ram_mib=65_536)),
    "the whole memory":          (worker(), booking("m", share(0, 40_960))),
    "all the compute":           (worker(), booking("m", share(0, None, 1000))),
    "whole cards":               (worker(), booking("m", whole(0), whole(1))),
    "a card of another vendor":  (MIXED_A, booking("m", whole(0, runtime="rocm"))),
    "an instance":               (CUT_A, booking("m", instance("3g.20gb", 4))),
    "instances side by side":    (CUT_A, booking("m", instance("3g.20gb", 0), instance("3g.20gb", 4))),
    "a slice that exists":       (FIXED_A, booking("m", instance("2g.10gb", 4))),
    "an idle card is cut":       (worker("a", [a100(mig=TO_BE_CUT)]), booking("m", instance("1g.5gb", 0))),
    "slices of no known card":   (LOOSE_A, booking("m", LOOSE, LOOSE)),
    "a share of an unknown card": (worker("a", [Gpu(0)]), booking("m", share(0, None, 500))),
    "nothing of what is unknown": (worker(cpu_milli=None, ram_mib=None), booking("m", whole(0))),
}  # fmt: skip


@pytest.mark.parametrize(("host", "wanted"), FITS.values(), ids=FITS)
def test_what_fits_is_booked_and_can_be_given_back(host, wanted):
    of = ledger(host)
    before = {name: values.tolist() for name, values in of.snapshot.table.columns.items()}

    binding = book(of, wanted)

    (entry,) = of.held_by(ReplicaKey("default", "m", 0))
    assert (entry.booking, entry.binding, entry.overcommitted, entry.reserved) == (wanted, binding, False, False)
    assert of.held_on("a") == (entry,)
    assert column(of, "bookings") == 1
    assert check(of, [wanted]) == []

    of.release([wanted])
    assert of.entries == ()
    assert {name: values.tolist() for name, values in of.snapshot.table.columns.items()} == before


SNUG = share(0, 40_200, headroom_mib=800)


REFUSED = {  # code, needed, free, short
    "cpu":                      (worker(), booking(cpu_milli=16_001), ("cpu-short", 16_001, 16_000, 1)),
    "ram":                      (KEPT_A, booking(ram_mib=65_510), ("ram-short", 65_510, 65_500, 10)),
    "unknown cpu":              (worker(cpu_milli=None), booking(cpu_milli=1), ("unknown-capacity", 1, None, None)),
    "memory":                   (worker(), booking("m", share(0, 41_000)), ("gpu-memory-short", 41_000, 40_960, 40)),
    "headroom":                 (worker(), booking("m", SNUG), ("gpu-memory-short", 41_000, 40_960, 40)),
    "unknown memory":           (worker("a", [Gpu(0)]), booking("m", share(0, 1)), ("unknown-capacity", 1, None, None)),
    "no such card":             (worker(), booking("m", whole(7)), NO_CARD),
    "unhealthy":                (worker("a", [a100(healthy=False)]), booking("m", whole(0)), NO_CARD),
    "a whole card that is cut": (CUT_A, booking("m", whole(0)), NO_CARD),
    "a share of a cut card":    (CUT_A, booking("m", share(0, 1)), NO_CARD),
    "a whole card in use":      (USED_A, booking("m", whole(0)), ("gpu-memory-short", 40_960, 30_960, 10_000)),
    "an illegal start":         (CUT_A, booking("m", instance("2g.10gb", 1)), NO_INSTANCE),
    "no start":                 (CUT_A, booking("m", ODD), NO_INSTANCE),
    "a profile of other cards": (CUT_A, booking("m", instance("1g.10gb.x", 0)), NO_INSTANCE),
    "overlapping itself":       (CUT_A, booking("m", instance("3g.20gb", 0), instance("1g.5gb", 2)), NO_INSTANCE),
    "a slice that is not there": (FIXED_A, booking("m", instance("1g.5gb", 0)), NO_INSTANCE),
    "a card without MIG":       (worker(), booking("m", instance("1g.5gb", 0)), NO_INSTANCE),
    "too many loose slices":    (LOOSE_A, booking("m", LOOSE, LOOSE, LOOSE), ("mig-unavailable", 3, 2, 1)),
    "no loose slices":          (worker(), booking("m", LOOSE), NO_INSTANCE),
}  # fmt: skip


@pytest.mark.parametrize(("host", "wanted", "lacks"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused_with_numbers_and_changes_nothing(host, wanted, lacks):
    of = ledger(host)
    before = of.revision, of.snapshot.table.version

    with pytest.raises(CapacityError) as refused:
        book(of, wanted)

    (shortage,) = refused.value.shortages
    assert (shortage.code, shortage.needed, shortage.free, shortage.short) == lacks
    assert shortage.place.startswith("worker a")
    assert str(lacks[1]) in str(shortage)
    assert (of.revision, of.snapshot.table.version, of.entries) == (*before, ())


HELD = {
    "whole after whole":       (booking("m", whole(0)), booking("n", whole(0)), "gpu-count-short"),
    "a share after whole":     (booking("m", whole(0)), booking("n", share(0, 1)), "gpu-count-short"),
    "whole after a share":     (booking("m", share(0, 1)), booking("n", whole(0)), "gpu-count-short"),
    "the sum of memory":       (booking("m", share(0, 30_000)), booking("n", share(0, 30_000)), "gpu-memory-short"),
    "the sum of compute":      (booking("m", share(0, 1, 600)), booking("n", share(0, 1, 600)), "gpu-compute-short"),
    "the sum of ram":          (booking("m", ram_mib=60_000), booking("n", ram_mib=6_000), "ram-short"),
    "a slice twice":           (booking("m", SMALL), booking("n", instance("2g.10gb", 0, 1)), "mig-unavailable"),
    "a share after cutting":   (booking("m", SMALL), booking("n", share(1, 1)), "gpu-count-short"),
    "cutting after a share":   (booking("m", share(1, 1)), booking("n", SMALL), "mig-unavailable"),
}  # fmt: skip


@pytest.mark.parametrize("together", [False, True], ids=["one after the other", "together"])
@pytest.mark.parametrize(("first", "second", "code"), HELD.values(), ids=HELD)
def test_what_is_held_is_not_given_away_again(first, second, code, together):
    of = ledger(worker("a", [a100(0), a100(1, mig=TO_BE_CUT)]))
    if not together:
        book(of, first)

    with pytest.raises(CapacityError) as refused:
        book(of, *([first, second] if together else [second]))

    assert [each.code for each in refused.value.shortages] == [code]
    assert of.bookings == (() if together else (first,))


def test_a_refusal_says_place_numbers_and_next_step_and_lists_every_shortage():
    of = ledger()

    with pytest.raises(CapacityError) as refused:
        book(of, booking("m", share(0, 50_000), cpu_milli=20_000), booking("n", share(1, 60_000)))

    assert str(refused.value) == (
        "worker a: needs 20000 thousandths of a core, 16000 free, 4000 short and 2 more shortages; "
        "plan again on a fresh snapshot"
    )
    assert refused.value.code == "capacity-exceeded"
    assert [str(each) for each in refused.value.shortages[1:]] == [
        "worker a, card cuda:0: needs 50000 MiB, 40960 MiB are free",
        "worker a, card cuda:1: needs 60000 MiB, 40960 MiB are free",
    ]


def test_several_bookings_are_booked_all_or_none():
    of = ledger(worker("a"), worker("b", 1))
    members = [booking("m", whole(0), on="a"), booking("m", whole(0), replica=1, on="b")]

    with pytest.raises(CapacityError):
        book(of, *members, booking("m", whole(1), replica=2, on="b"))
    assert of.entries == ()
    assert column(of, "wholly_free_count", "a") == 2

    binding = book(of, *members)
    assert {entry.binding for entry in of.entries} == {binding}


def test_leave_to_overcommit_is_recorded_and_counts_for_amounts_only():
    of = ledger()
    greedy = booking("m", share(0, 50_000, 1000), cpu_milli=99_000)

    book(of, greedy, allow_overcommit=True)
    book(of, booking("n", share(1, 10)), allow_overcommit=True)

    assert [entry.overcommitted for entry in of.entries] == [True, False]
    assert (column(of, "card_free_mib"), column(of, "cpu_free_milli")) == ([0, 40_950], 0)
    assert check(of) == []
    with pytest.raises(CapacityError, match="whole cards"):
        book(of, booking("o", whole(0)), allow_overcommit=True)
    of.release([greedy])
    assert column(of, "card_free_mib") == [40_960, 40_950]


STALE = {
    "booked by another": lambda of: book(of, booking("other", cpu_milli=1)),
    "released by another": lambda of: of.release([booking("old", cpu_milli=1)]),
    "the worker failed": lambda of: of.set_status("a", WorkerStatus.NOT_READY),
    "it was taken away": lambda of: of.remove_workers(["a"]),
    "it came back": lambda of: (of.remove_workers(["a"]), of.add_workers([worker()])),
    "it is seen in use": lambda of: of.update_worker(worker("a", [a100(observed_used_mib=7)])),
}


@pytest.mark.parametrize("change", STALE.values(), ids=STALE)
def test_a_plan_on_rows_that_moved_is_a_conflict(change):
    of = ledger(worker("a"), worker("b"), bookings=[booking("old", cpu_milli=1)])
    planned = of.versions()
    change(of)

    with pytest.raises(ConflictError, match=r"ledger: worker a is (gone|at version \d+, planned on 1)"):
        of.book([booking("m", on="b"), booking("m", replica=1, on="a")], expected=planned)

    assert of.held_by(ReplicaKey("default", "m", 0)) == ()


@pytest.mark.parametrize("change", STALE.values(), ids=STALE)
def test_a_plan_may_name_the_revision_instead_of_each_version(change):
    of = ledger(worker("a"), worker("b"), bookings=[booking("old", cpu_milli=1)])
    planned = of.revision
    change(of)

    with pytest.raises(ConflictError, match="worker a is"):
        of.book([booking("m", on="a")], expected=planned)
    of.book([booking("m", on="b")], expected=planned)


def test_versions_of_workers_that_are_not_there_are_not_told():
    of = ledger(worker("a"), worker("b"))

    assert of.versions(["a", "x"]) == {"a": of.revision}
    assert of.versions() == {"a": of.revision, "b": of.revision}


def test_a_plan_on_other_rows_than_those_that_moved_holds():
    of = ledger(worker("a"), worker("b"))
    planned = of.versions()
    book(of, booking("other", on="b"))
    of.add_workers([worker("c")])

    of.book([booking("m", on="a")], expected={"a": planned["a"]})

    assert of.held_by(ReplicaKey("default", "m", 0))


def test_a_plan_must_say_what_it_was_made_on():
    with pytest.raises(InputError, match="expected: the plan does not say on which version of worker a it was made"):
        ledger().book([booking()], expected={})


def test_a_long_list_of_rows_that_moved_is_cut():
    names = [f"w{number}" for number in range(9)]
    of = ledger(*(worker(name) for name in names))

    with pytest.raises(ConflictError, match="and 6 more; take a fresh snapshot and plan again"):
        of.book([booking("m", replica=n, on=name) for n, name in enumerate(names)], expected=dict.fromkeys(names, 99))


def test_a_replica_is_bound_once():
    of = ledger(worker("a"), worker("b"))
    book(of, booking("m", on="a"))

    with pytest.raises(ConflictError, match="replica m#0: is bound already, on worker a; release it first"):
        book(of, booking("m", on="b"))
    with pytest.raises(InputError, match="replica n#0: is booked twice on worker b; put both into one booking"):
        book(of, booking("n", on="b"), booking("n", cpu_milli=1, on="b"))


def test_a_replica_over_several_workers_is_one_binding():
    of = ledger(worker("a"), worker("b"))
    book(of, booking("m", whole(0), on="a"), booking("m", whole(0), on="b"))

    assert len(of.held_by(ReplicaKey("default", "m", 0))) == 2
    assert check(of) == []


@pytest.mark.parametrize("size", [{"cpu_milli": 2**41}, {"ram_mib": 2**46}])
def test_what_no_machine_has_is_an_input_error_even_with_leave(size):
    with pytest.raises(InputError, match="asks for more than any machine has"):
        book(ledger(), booking(**size), allow_overcommit=True)


def test_a_profile_that_the_table_has_not_met_is_refused_and_not_counted():
    of = ledger()
    stray = booking("m", CardBooking(None, mig=MigInstance("1g.6gb")))
    of.snapshot.pools.profiles.numbers(["1g.5gb", "1g.6gb"])

    with pytest.raises(CapacityError, match=r"needs 1 instances of 1g\.6gb, 0 free"):
        book(of, stray)
    assert after(of.snapshot, 0, booked=[stray])["bookings"] == 1


def test_no_bookings_are_an_input_error():
    with pytest.raises(InputError, match="bookings: there is nothing to change"):
        book(ledger())

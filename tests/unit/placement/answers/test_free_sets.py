import pytest

from bayplan.cluster.device_offer import Sharing
from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.answers.free_sets import Census, free_sets, islands
from fleets import CUT, a100, a100s, booking, share, whole, worker


def counted(*workers, bookings=()):
    return free_sets(Snapshot.load(workers, bookings))


def wired(name, wiring, cards=8, **others):
    gpus = a100s(cards)
    return worker(name, gpus, links=wire(wiring, gpus), **others)


CENSUS = {
    "free": ([], {}, Census(whole=2)),
    "a share is taken": ([share(0, 1000)], {}, Census(whole=1, shared=1)),
    "held whole": ([whole(0)], {}, Census(whole=1, held=1)),
    "the worker is closed": ([share(0, 1000)], {"status": WorkerStatus.CORDONED}, Census(closed=2)),
    "a card is ill": ([], {"cards": (a100(0, healthy=False), a100(1))}, Census(whole=1, unhealthy=1)),
    "a card is cut": ([], {"cards": (a100(0, mig=CUT), a100(1))}, Census(whole=1, mig=1)),
    "others use it": ([], {"cards": (a100(0, observed_used_mib=9000), a100(1))}, Census(whole=1, shared=1)),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "others", "expected"), CENSUS.values(), ids=CENSUS)
def test_every_card_is_in_one_class(parts, others, expected):
    (found,) = counted(worker("a", **others), bookings=[booking("m", part) for part in parts]).models

    assert found.census == expected
    assert found.census.cards == 2


def test_workers_are_counted_by_how_many_whole_cards_they_could_give():
    total = counted(worker("a", 8), worker("b", 3), worker("c", 1), worker("d", 0)).total

    assert total.workers_with == (3, 2, 1, 1)
    assert dict(total.largest)["worker"] == 8


def test_the_largest_set_of_a_domain_is_the_sum_over_its_workers():
    fleet = [worker(f"w{number}", 4, path=("r", "z", None, "k1" if number < 3 else "k2")) for number in range(4)]

    assert dict(counted(*fleet).total.largest) == {"worker": 4, "region": 16, "zone": 16, "rack": 12}


def test_memory_that_is_free_beside_others_is_stranded():
    memory = counted(worker("a", 2), bookings=[booking("m", share(0, 30_000))]).total.memory

    assert (memory.free_mib, memory.stranded_mib, memory.largest_free_mib) == (51_920, 10_960, 40_960)
    assert memory.fragmentation == pytest.approx(10_960 / 51_920)


def test_where_nothing_is_free_nothing_is_fragmented():
    memory = counted(worker("a", 1), bookings=[booking("m", whole(0))]).total.memory

    assert (memory.free_mib, memory.largest_free_mib, memory.fragmentation) == (0, None, None)


def test_where_no_size_is_known_nothing_is_known_to_be_free():
    memory = counted(worker("a", (a100(0, memory_mib=None),))).total.memory

    assert (memory.free_mib, memory.stranded_mib, memory.fragmentation) == (None, None, None)


def test_cards_of_unknown_size_are_counted_and_their_memory_is_not():
    (found,) = counted(worker("a", (a100(0, memory_mib=None), a100(1)))).models

    assert found.census == Census(whole=2)
    assert (found.memory_mib, found.memory.free_mib) == (40_960, 40_960)


def test_each_model_is_told_by_itself_and_mixed_workers_give_sets_of_both():
    found = counted(worker("a", (a100(0), a100(1), a100(2, model="L40S", memory_mib=49_152))))

    assert [(each.model, each.census.whole, each.memory_mib) for each in found.models] == [
        ("A100-SXM4-40GB", 2, 40_960),
        ("L40S", 1, 49_152),
    ]
    assert dict(found.total.largest)["worker"] == 3


def test_one_model_of_two_runtimes_is_two_rows():
    found = counted(worker("a", (a100(0), a100(0, runtime="rocm"))))

    assert sorted(each.runtime for each in found.models) == ["cuda", "rocm"]


def test_workers_that_could_give_the_same_set_are_one_kind():
    fleet = [wired("a", Wiring.NVSWITCH), wired("b", Wiring.NVSWITCH), wired("c", Wiring.NVLINK_PAIRS), worker("d", 8)]
    (found,) = counted(*fleet, bookings=[booking("m", share(0, 1000), on="b")]).models

    kinds = {(each.cards, each.islands): set(each.workers) for each in found.sets}
    assert kinds == {(8, (8,)): {"a"}, (7, (7,)): {"b"}, (8, (2, 2, 2, 2)): {"c"}, (8, None): {"d"}}
    assert [each.cards for each in found.sets] == [8, 8, 8, 7]


def test_different_free_cards_that_are_joined_alike_are_one_kind():
    fleet = [wired("a", Wiring.NVLINK_PAIRS, 4), wired("b", Wiring.NVLINK_PAIRS, 4)]
    bookings = [booking("m", whole(0), on="a"), booking("m", whole(3), on="b", replica=1)]

    (kind,) = counted(*fleet, bookings=bookings).models[0].sets

    assert (kind.cards, kind.islands, set(kind.workers)) == (3, (2, 1), {"a", "b"})


ISLANDS = {
    "all of a switch": (Wiring.NVSWITCH, range(8), (8,)),
    "pairs": (Wiring.NVLINK_PAIRS, (0, 1, 2, 5), (2, 1, 1)),
    "no path through cards that are taken": (Wiring.HYBRID_CUBE_MESH, (0, 5), (1, 1)),
    "no nvlink": (Wiring.PCIE, (0, 1), (1, 1)),
    "nothing": (Wiring.NVSWITCH, (), ()),
}  # fmt: skip


@pytest.mark.parametrize(("wiring", "positions", "expected"), ISLANDS.values(), ids=ISLANDS)
def test_islands(wiring, positions, expected):
    assert islands(wire(wiring, a100s(8)), positions) == expected


def test_shared_cards_are_listed_with_what_is_left_the_most_first():
    bookings = [booking("m", share(0, 30_000), share(1, 10_000, 250))]

    first, second = counted(worker("a", 3), bookings=bookings).shared

    assert (first.index, first.free_mib, first.free_percent) == (1, 30_960, 75.0)
    assert (second.index, second.free_mib, second.free_percent) == (0, 10_960, 100.0)


def test_free_places_are_counted_on_shared_and_on_idle_cards():
    cards = [a100(index, places=4) for index in range(2)]
    held = booking("m", share(0, 10_240, 250))

    found = counted(worker("a", cards), worker("b", 1), bookings=[held])

    (shared,) = found.shared
    assert (shared.places, shared.free_places) == (4, 3)
    assert (found.total.places, found.total.free_places) == (8, 7)


def test_places_of_hami_are_counted_beside_memory():
    full = booking("m", share(0, 40_960))

    (shared,) = counted(worker("a", [a100(0, places=3)], sharing=Sharing.HAMI), bookings=[full]).shared

    assert (shared.free_mib, shared.places, shared.free_places) == (0, 3, 2)


def test_more_cards_than_a_mask_holds():
    total = counted(worker("a", 24), bookings=[booking("m", whole(20))]).total

    assert (total.census.whole, dict(total.largest)["worker"]) == (23, 23)


def test_free_instances_of_no_known_card_are_counted_on_open_workers():
    slices = {"1g.5gb": 3}
    fleet = [worker("a", 0, mig_slices=slices), worker("b", 0, mig_slices=slices, status=WorkerStatus.NOT_READY)]

    assert dict(counted(*fleet).mig_slices) == {"1g.5gb": 3}


def test_an_empty_cluster_has_nothing():
    found = counted()

    assert (found.models, found.total.census.cards, dict(found.total.largest)) == ((), 0, {"worker": 0})


def test_what_was_planned_on_a_fork_counts():
    snapshot = Snapshot.load([worker("a", 2)], [])
    fork = snapshot.table.fork()
    fork.write(0, snapshot.after(0, booked=[booking("m", whole(1))]))

    assert free_sets(snapshot, fork).total.census == Census(whole=1, held=1)
    assert free_sets(snapshot).total.census == Census(whole=2)

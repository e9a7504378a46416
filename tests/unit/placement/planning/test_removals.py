"""Which replicas go first: those on broken workers, then those whom the strategy misses least."""

import pytest

from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.planning.removals import Removal, order_removals
from fleets import CUT, a100, booking, instance, share, whole, worker

GIB = 1024
ALL = [worker(name, 4) for name in "abc"]


def mine(replica, on, *cards, **others):
    return booking("mine", *cards, replica=replica, on=on, **others)


def theirs(on, *cards, **others):
    return booking("theirs", *cards, on=on, **others)


def order(*bookings, cards="tight", count=9, workers=None):
    replicas = [each for each in bookings if each.workload == "mine"]
    by_name = {each.name: each for each in (ALL if workers is None else workers)}
    return order_removals(replicas, by_name, cards, count, bookings)


def numbers(*bookings, **others):
    return [removal.replica for removal in order(*bookings, **others)]


FOUR = share(0, 4 * GIB)

PACKED = {
    "nobody is there": ((), []),
    "equals go from the highest number down": ((mine(0, "a", FOUR), mine(1, "b", FOUR), mine(2, "c", FOUR)), [2, 1, 0]),
    "the emptier worker first": ((mine(0, "a", FOUR), mine(1, "b", FOUR), theirs("b", share(1, 1))), [0, 1]),
    "a small neighbour keeps less than a large one": (
        (mine(0, "a", FOUR), theirs("a", share(1, 8)), mine(1, "b", FOUR), theirs("b", share(1, 9))),
        [0, 1],
    ),
    "what the replica itself holds does not count": (
        (mine(0, "a", share(0, 99)), theirs("a", share(1, 8)), mine(1, "b", share(0, 1)), theirs("b", share(1, 9))),
        [0, 1],
    ),
    "a whole card counts with its size": (
        (mine(0, "a", FOUR), theirs("a", whole(1)), mine(1, "b", FOUR), theirs("b", share(1, 40 * GIB - 1))),
        [1, 0],
    ),
    "a card that the worker does not have counts nothing": (
        (mine(0, "a", FOUR), theirs("a", share(7, 9)), mine(1, "b", FOUR), theirs("b", share(1, 8))),
        [0, 1],
    ),
    "then RAM": (
        (mine(0, "a", FOUR), theirs("a", ram_mib=5), mine(1, "b", FOUR), theirs("b", ram_mib=6)),
        [0, 1],
    ),
    "GPU memory before RAM": (
        (mine(0, "a", FOUR), theirs("a", ram_mib=5), mine(1, "b", FOUR), theirs("b", share(1, 1))),
        [0, 1],
    ),
    "each removal counts for the next": (
        (mine(0, "a", FOUR), mine(1, "a", FOUR), mine(2, "b", FOUR), theirs("b", share(1, 2 * GIB)), mine(3, "c", FOUR),
         theirs("c", share(1, 3 * GIB))),
        [2, 3, 1, 0],
    ),
    "a worker is emptied before the next is begun": (
        (mine(0, "a", FOUR), mine(1, "a", FOUR), mine(2, "b", FOUR), mine(3, "b", FOUR)),
        [3, 2, 1, 0],
    ),
    "a replica over two workers keeps what both keep": (
        (mine(0, "a", FOUR), mine(0, "b", FOUR), theirs("a", share(1, 5)), theirs("b", share(1, 5)),
         mine(1, "c", FOUR), theirs("c", share(1, 9))),
        [1, 0],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("bookings", "wanted"), PACKED.values(), ids=PACKED)
def test_pack(bookings, wanted):
    assert numbers(*bookings) == wanted


SPREAD = {
    "the fullest worker first": ((mine(0, "a"), mine(1, "a"), mine(2, "b")), [1, 2, 0]),
    "each removal counts for the next": (
        (mine(0, "a"), mine(1, "a"), mine(2, "a"), mine(3, "b"), mine(4, "b")),
        [2, 4, 1, 3, 0],
    ),
    "others do not count": ((mine(0, "a"), theirs("a"), theirs("a"), mine(1, "b")), [1, 0]),
    "a replica with two bookings on a worker counts once": ((mine(0, "a"), mine(0, "a"), mine(1, "b")), [1, 0]),
    "a replica over two workers counts on both": ((mine(0, "a"), mine(0, "b"), mine(1, "b"), mine(2, "c")), [1, 2, 0]),
    "a replica over two workers stands on the fuller": ((mine(3, "a"), mine(3, "b"), mine(1, "b")), [3, 1]),
}


@pytest.mark.parametrize("cards", ["even", "roomy"])
@pytest.mark.parametrize(("bookings", "wanted"), SPREAD.values(), ids=SPREAD)
def test_spread(bookings, cards, wanted):
    assert numbers(*bookings, cards=cards) == wanted


@pytest.mark.parametrize("cards", ["tight", "even"])
@pytest.mark.parametrize("status", [WorkerStatus.NOT_READY, WorkerStatus.CORDONED, WorkerStatus.DRAINING])
def test_those_on_workers_that_are_not_ready_go_first(cards, status):
    workers = [worker("a"), worker("b", status=status)]
    replicas = (mine(0, "b", FOUR), theirs("b", whole(1)), mine(1, "a", FOUR), mine(2, "a", share(1, 1)))

    assert numbers(*replicas, cards=cards, workers=workers)[0] == 0


def test_those_whose_worker_is_gone_go_first_of_all():
    workers = [worker("a"), worker("b", status=WorkerStatus.NOT_READY)]
    replicas = (mine(0, "gone", FOUR), mine(1, "b"), mine(2, "a"))

    assert numbers(*replicas, workers=workers) == [0, 1, 2]


def test_one_broken_worker_breaks_a_replica_over_several():
    workers = [worker("a"), worker("b", status=WorkerStatus.CORDONED)]
    (first, *_) = order(mine(0, "a"), mine(0, "b"), mine(1, "a"), workers=workers)

    assert first == Removal(0, ("a", "b"), "worker b is cordoned")


def test_an_instance_counts_with_its_part_of_the_card():
    workers = [worker(name, [a100(0, mig=CUT), a100(1)]) for name in "ab"]
    half = theirs("a", instance("3g.20gb", 0))

    def first(beside):
        return numbers(mine(0, "a"), half, mine(1, "b"), theirs("b", share(1, beside)), workers=workers)[0]

    assert [first(20 * GIB - 1), first(20 * GIB + 1)] == [1, 0]


@pytest.mark.parametrize(
    ("count", "wanted"), [(-1, []), (0, []), (1, [2]), (2, [2, 1]), (3, [2, 1, 0]), (4, [2, 1, 0])]
)
def test_so_many_as_are_to_go(count, wanted):
    assert numbers(mine(0, "a"), mine(1, "b"), mine(2, "c"), count=count) == wanted


DOWN = [worker("a"), worker("b", status=WorkerStatus.NOT_READY)]

REASONS = {
    "gone": ((mine(0, "x"),), "tight", "worker x is no longer in the cluster"),
    "not ready": ((mine(0, "b"),), "even", "worker b is not ready"),
    "empty": ((mine(0, "a", FOUR),), "tight", "worker a would be empty without it"),
    "kept": (
        (mine(0, "a", FOUR), theirs("a", share(1, 6 * GIB), ram_mib=512)),
        "tight",
        "worker a would be left with the least booked: 6 GiB GPU memory, 512 MiB RAM",
    ),
    "spread": (
        (mine(0, "a"), mine(1, "a")),
        "even",
        "worker a has the most replicas of this workload: 2",
    ),
}


@pytest.mark.parametrize(("bookings", "cards", "reason"), REASONS.values(), ids=REASONS)
def test_the_reason(bookings, cards, reason):
    assert order(*bookings, cards=cards, workers=DOWN)[0].reason == reason


def test_the_reason_speaks_of_all_workers_of_a_replica():
    (removal,) = order(mine(0, "a", FOUR), mine(0, "b", FOUR), theirs("b", share(1, 2 * GIB)))

    assert removal.reason == "workers a, b would be left with the least booked: 2 GiB GPU memory, 0 MiB RAM"


def test_as_documents_print_it():
    assert Removal(3, ("a", "b"), "because").as_dict() == {"replica": 3, "worker": "a, b", "reason": "because"}

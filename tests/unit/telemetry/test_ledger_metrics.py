"""What the ledger says of cards, memory, CPU and RAM."""

import pytest

from bayplan.cluster.gpu import Gpu
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.worker import WorkerStatus
from bayplan.telemetry.ledger_metrics import ask_ledger
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from fleets import a100, booking, share, whole, worker
from metrics_text import samples

MIB = 1 << 20
CARD = 40960


def told(workers, bookings=(), name="bayplan_gpus"):
    """The series of a metric by the values of their labels, empty ones left out."""
    ledger = Ledger(workers)
    ledger.book(bookings, expected=ledger.revision) if bookings else None
    metrics = Metrics()
    ask_ledger(metrics, lambda: ledger)
    found = samples(metrics.text(Style.PROMETHEUS))
    return {
        "/".join(value for _, value in labels): number
        for (each, labels), number in found.items()
        if each == name and number
    }


def test_cards_by_state():
    workers = [worker("a", 4), worker("b", 2, status=WorkerStatus.CORDONED), worker("c", [a100(0, healthy=False)])]
    bookings = [booking("a", whole(0)), booking("a", share(1, memory_mib=1000), replica=1)]

    assert told(workers, bookings) == {
        "A100-SXM4-40GB/free": 2,
        "A100-SXM4-40GB/partly": 1,
        "A100-SXM4-40GB/full": 1,
        "A100-SXM4-40GB/unavailable": 3,
    }


def test_memory_is_in_one_state_each():
    cards = [a100(0, observed_used_mib=5000), a100(1), a100(2, healthy=False)]
    workers = [worker("a", cards, reserved_gpu_memory_mib=960)]
    found = told(workers, [booking("a", share(1, memory_mib=10_000))], "bayplan_gpu_memory_bytes")

    assert found["A100-SXM4-40GB/booked"] == 10_000 * MIB
    assert found["A100-SXM4-40GB/foreign"] == 5000 * MIB
    assert found["A100-SXM4-40GB/unavailable"] == CARD * MIB
    assert found["A100-SXM4-40GB/kept-back"] == 2 * 960 * MIB
    assert sum(found.values()) == 3 * CARD * MIB


def test_cards_of_no_known_model_and_size():
    workers = [worker("a", [Gpu(0), a100(1)])]

    assert told(workers) == {"unknown/free": 1, "A100-SXM4-40GB/free": 1}
    assert set(told(workers, name="bayplan_gpu_memory_bytes")) == {"A100-SXM4-40GB/free"}


def test_a_card_of_unknown_size_is_full_where_it_is_held_whole():
    assert told([worker("a", [Gpu(0)])], [booking("a", whole(0))]) == {"unknown/full": 1}


FRAGMENTATION = {
    "nothing booked": ((), {}),
    "a quarter of one of two cards": ((share(0, memory_mib=10_240),), {"A100-SXM4-40GB": 30_720 / 71_680}),
    "one card booked whole": ((whole(0),), {}),
    "parts of both cards": (
        (share(0, memory_mib=1000), share(1, memory_mib=1000)),
        {"A100-SXM4-40GB": 1.0},
    ),
}


@pytest.mark.parametrize(("cards", "expected"), FRAGMENTATION.values(), ids=FRAGMENTATION)
def test_fragmentation_is_what_whole_cards_cannot_use(cards, expected):
    bookings = [booking("a", each, replica=number) for number, each in enumerate(cards)]

    assert told([worker("a", 2)], bookings, "bayplan_gpu_fragmentation_ratio") == pytest.approx(expected)


def test_cpu_and_ram():
    workers = [worker("a", 1), worker("b", 1, status=WorkerStatus.NOT_READY), worker("c", 1, cpu_milli=None)]
    bookings = [booking("a", whole(0), cpu_milli=4000, ram_mib=1024)]

    assert told(workers, bookings, "bayplan_cpu_cores") == {"booked": 4, "free": 12, "unavailable": 16}
    assert told(workers, bookings, "bayplan_ram_bytes")["booked"] == 1024 * MIB
    assert told(workers, bookings, "bayplan_bookings") == {"": 1}


def test_an_empty_cluster():
    assert told([]) == {}
    assert told([], name="bayplan_cpu_cores") == {}

"""CPU and RAM of bookings count in the NUMA zone of their cards, if that is one."""

import numpy as np
import pytest

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.invariants import no_drift
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.cluster.snapshot import Snapshot
from fleets import a100, after, booking, instance, share, whole, worker

CARDS = [a100(0, numa=0), a100(1, numa=0), a100(2, numa=1), a100(3, numa=None)]
ZONED = worker(cards=CARDS, numa=Numa(zones=(NumaZone(0), NumaZone(1))))
HOST = {"cpu_milli": 2000, "ram_mib": 512}

CHARGED = {
    "of one card": ((whole(2),), [0, 0, 2000, 0]),
    "of two cards of a zone, at the first": ((whole(1), whole(0)), [2000, 0, 0, 0]),
    "a share": ((share(1, 1024),), [0, 2000, 0, 0]),
    "an instance": ((instance("1g.5gb", 0, index=1),), [0, 2000, 0, 0]),
    "of two zones": ((whole(0), whole(2)), [0, 0, 0, 0]),
    "of a card of no known zone": ((whole(3),), [0, 0, 0, 0]),
    "of no card": ((), [0, 0, 0, 0]),
    "of a card that is not there": ((whole(9),), [0, 0, 0, 0]),
}


def held(snapshot):
    columns = snapshot.table.columns
    return columns["card_host_milli"][0].tolist(), columns["card_host_mib"][0].tolist()


@pytest.mark.parametrize(("cards", "cpu"), CHARGED.values(), ids=CHARGED)
def test_where_bookings_are_charged(cards, cpu):
    ram = [amount * 512 // 2000 for amount in cpu]

    assert held(Snapshot.load([ZONED], [booking("m", *cards, **HOST)])) == (cpu, ram)


def test_workers_without_zones_count_nothing():
    assert held(Snapshot.load([worker(cards=CARDS)], [booking("m", whole(0), **HOST)])) == ([0] * 4, [0] * 4)


def test_what_is_released_is_not_held():
    snapshot = Snapshot.load([ZONED], [booking("m", whole(0), **HOST)])
    trial = snapshot.table.fork()
    trial.write(
        0, snapshot.after(0, released=[booking("m", whole(0), **HOST)], booked=[booking("n", whole(1), **HOST)])
    )

    assert trial.gather(("card_host_milli",), np.array([0]))["card_host_milli"].tolist() == [[0, 2000, 0, 0]]
    assert after(snapshot, 0, released=[booking("m", whole(0), **HOST)])["card_host_milli"] == [0, 0, 0, 0]


def test_the_ledger_does_not_drift():
    ledger = Ledger.of(Cluster((ZONED,), (booking("m", whole(0), **HOST),)))
    ledger.book([booking("n", whole(2), **HOST)], expected=ledger.versions())
    ledger.release([booking("m", whole(0), **HOST)])

    assert no_drift(ledger) == []
    assert held(ledger.snapshot)[0] == [0, 0, 2000, 0]


def test_a_worker_that_tells_its_zones_later():
    ledger = Ledger.of(Cluster((worker(cards=CARDS),), (booking("m", whole(0), **HOST),)))
    ledger.update_worker(ZONED)

    assert held(ledger.snapshot)[0] == [2000, 0, 0, 0]
    assert no_drift(ledger) == []

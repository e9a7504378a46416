"""I13: a ledger that a caller brings is compared with the Pods, counted on its own."""

from dataclasses import replace

import pytest

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.ledger import Ledger
from bayplan.library.invariants.stored_objects import StoredObjects
from unit.library.invariants.cluster_objects import booking, device, node, pod, verdict

OBJECTS = (node(), pod("a", devices=[device(0, memory_mib=1024)]), pod("b", cards=1))


def kept(change=lambda bookings: bookings):
    """A ledger like the one of these objects, with other bookings."""
    cluster = StoredObjects(OBJECTS).inventory.cluster
    return Ledger.of(Cluster(cluster.workers, tuple(change(list(cluster.bookings)))))


def test_the_ledger_of_the_objects():
    assert verdict("I13", *OBJECTS).ok is True
    assert verdict("I13", *OBJECTS, ledger=kept()).ok is True


DRIFTS = {
    "one is lost": (
        lambda each: each[1:],
        "worker n: the ledger has 1 holders, bound Pods make 2",
    ),
    "one is extra": (
        lambda each: [*each, replace(each[0], workload="z", cards=())],
        "worker n: the ledger has 3 holders, bound Pods make 2",
    ),
    "other cores": (
        lambda each: [replace(each[0], cpu_milli=500), each[1]],
        "worker n: the ledger has 1500 thousandths of a core, bound Pods make 2000",
    ),
    "other memory": (
        lambda each: [replace(each[0], ram_mib=0), each[1]],
        "worker n: the ledger has 1024 MiB of RAM, bound Pods make 2048",
    ),
    "another card": (
        lambda each: [replace(each[0], cards=(replace(each[0].cards[0], index=1),)), each[1]],
        "worker n: cuda:0 1024 MiB is held 1 times more by Pods than the ledger has it",
    ),
    "another share": (
        lambda each: [replace(each[0], cards=(replace(each[0].cards[0], memory_mib=1),)), each[1]],
        "worker n: cuda:0 1024 MiB is held 1 times more by Pods than the ledger has it",
    ),
}


@pytest.mark.parametrize(("change", "violation"), DRIFTS.values(), ids=DRIFTS)
def test_a_ledger_that_drifted(change, violation):
    assert violation in verdict("I13", *OBJECTS, ledger=kept(change)).violations


def test_columns_that_drifted():
    ledger = kept()
    ledger.snapshot.table.write(0, {"cpu_booked_milli": 2001})

    assert verdict("I13", *OBJECTS, ledger=ledger).violations == (
        "worker n: cpu_booked_milli is 2001, bindings make 2000",
    )


def test_a_card_that_the_node_does_not_have():
    assert verdict("I13", node(), pod("a", devices=[device(7)])).violations == (
        "worker n: cuda:7 is held 1 times more by Pods than the ledger has it",
    )


@pytest.mark.parametrize("text", ["{", "5", '"x"', "[5]", '[{"runtime": "cuda"}]', '[{"index": 0, "mig": 5}]'])
def test_devices_that_cannot_be_read(text):
    found = verdict("I13", node(), pod("a", annotations={"bayplan.io/devices": text}))

    assert "Pod default/a: its annotation bayplan.io/devices cannot be read" in found.violations


RECORD = booking("w", cpu=0.5, ram=300, gpus=[{"runtime": "cuda", "index": 1, "memory": 2048}])


def test_the_record_of_the_scheduler_is_what_counts():
    sound = pod("a", cards=2, devices=[device(1, memory_mib=2048)], annotations=RECORD)

    assert verdict("I13", node(), sound).ok is True
    assert verdict("I1", node(), sound, pod("b", cards=1)).ok is True


def test_two_records_that_differ():
    found = verdict("I13", node(), pod("a", devices=[device(0, memory_mib=2048)], annotations=RECORD))

    assert found.violations == ("Pod default/a: is booked with cuda:1 2048 MiB, but shows cuda:0 2048 MiB",)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"workload": "w", "replica": 0, "gpus": 5}'])
def test_a_record_that_cannot_be_read(text):
    given = pod("a", annotations={"bayplan.io/booking": text})

    for number in ("I1", "I13"):
        assert verdict(number, node(), given).ok is False


def test_what_a_cluster_object_books_on_a_node_comes_on_top():
    booked = {"workload": "w", "replica": 0, "worker": "n", "cpu": 1}
    cluster = {"kind": "Cluster", "metadata": {"name": "c"}, "bookings": [booked]}

    assert verdict("I13", *OBJECTS, cluster).ok is True

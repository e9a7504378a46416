"""Memory of a replica: short, unknown, or already held by the model itself."""

import pytest

from bayplan.serving.books.ledger import Ledger
from bayplan.serving.filters.server_memory import ServerMemory
from unit.serving.builders import ask, booking, codes, replica, server, subject, table

CASES = {  # memory of the replica, need, (code, free, short)
    "exactly enough": (100, 100, None),
    "one short": (99, 100, ("memory-short", 99, 1)),
    "unknown": (None, 1, ("unknown-capacity", None, None)),
    "unknown, and nothing needed": (None, 0, None),
    "none left, and nothing needed": (0, 0, None),
}


@pytest.mark.parametrize(("memory", "need", "expected"), CASES.values(), ids=CASES)
def test_memory(memory, need, expected):
    found = codes(ServerMemory(), table(server("a", [replica(0, memory)])), subject(ask(need))).get("a/0", [None])[0]

    assert (found and (found.code, found.free, found.short)) == expected


def test_curable_where_the_empty_replica_is_large_enough():
    ledger = Ledger([server("a", [replica(0, 100), replica(1, 40)])], [booking(place="a/0", memory=80)])
    found = codes(ServerMemory(), ledger.table, subject(ask(50)))

    assert {place: (each.free, each.curable) for place, (each,) in found.items()} == {
        "a/0": (20, True),
        "a/1": (40, False),
    }


def test_a_replica_that_has_the_model_needs_no_more_memory():
    assert codes(ServerMemory(), table(server("a", 1, memory=5)), subject(kept={0: "available"})) == {}


def test_messages():
    on = table(server("a", [replica(0, 5), replica(1, None)]))
    found = codes(ServerMemory(), on, subject())

    assert [each.message for (each,) in found.values()] == [
        "needs 10 MiB, 5 MiB are free",
        "needs 10 MiB, and its memory is not known",
    ]

"""Rows of the table: server replicas in order, and servers without any."""

from bayplan.serving.books.ledger import Ledger
from unit.serving.builders import booking, replica, server, table


def test_rows_are_in_the_order_of_names_and_indexes():
    found = table(server("b", 2), server("c", 0), server("a", [replica(7), replica(3)]))

    assert found.table.keys == ["a/3", "a/7", "b/0", "b/1", "c/-"]
    assert found.table.columns["connected"].tolist() == [True, True, True, True, False]
    assert found.rows["b", 1] == 3


def test_what_is_not_known():
    found = table(server("a", [replica(0, None)]))

    assert found.table.columns["free_mib"].tolist() == [-1]
    assert found.table.columns["empty_mib"].tolist() == [-1]


def test_replicas_with_equal_capabilities_share_a_set():
    found = table(server("a", [replica(0), replica(1, capabilities=("onnx",)), replica(2)]))

    assert found.table.columns["capabilities_id"].tolist() == [0, 1, 0]
    assert found.table.shared["capability_sets"] == (frozenset({"sklearn"}), frozenset({"onnx"}))


def test_without_bookings():
    ledger = Ledger([server("a", [replica(0, 100, reserved_mib=10)])], [booking(memory=30)])

    assert ledger.table.table.columns["free_mib"].tolist() == [60]
    assert ledger.emptied.table.columns["free_mib"].tolist() == [90]

"""What is free on a server replica."""

import pytest

from bayplan.serving.books.server_book import ReplicaBook, ServerBook
from unit.serving.builders import replica, server

FREE = {  # memory, overcommitment, reserved, held; free
    "empty": (100, 0, 0, 0, 100),
    "held": (100, 0, 0, 30, 70),
    "more held than there is": (100, 0, 0, 130, 0),
    "reserved": (100, 0, 40, 30, 30),
    "more reserved than there is": (100, 0, 150, 0, 0),
    "overcommitted, and no model larger than memory": (100, 20, 0, 0, 100),
    "overcommitted and nearly full": (100, 20, 0, 100, 20),
    "a part of a MiB is none": (105, 10, 0, 100, 15),
    "overcommitted and reserved": (100, 50, 30, 100, 20),
    "unknown": (None, 20, 10, 5, None),
}


@pytest.mark.parametrize(("memory", "percent", "reserved", "held", "free"), FREE.values(), ids=FREE)
def test_free(memory, percent, reserved, held, free):
    book = ReplicaBook(replica(0, memory, overcommit_percent=percent, reserved_mib=reserved), held_mib=held)

    assert book.free_mib == free


def test_without_bookings():
    assert ReplicaBook(replica(0, 100, reserved_mib=30, overcommit_percent=50), held_mib=90).empty_mib == 70
    assert ReplicaBook(replica(0, None)).empty_mib is None


def test_expected_replicas():
    assert ServerBook.of(server("a", 2)).expected == 2
    assert ServerBook.of(server("a", 2, expected=5)).expected == 5
    assert ServerBook.of(server("a", 0)).deleted is False, "no replica is connected, and nobody deleted it"
    assert ServerBook.of(server("a", 2, expected=0)).deleted is True


def test_replicas_stay_in_the_order_of_indexes():
    book = ServerBook.of(server("a", [replica(5), replica(1)]))
    book.connect(replica(3))

    assert list(book.replicas) == [1, 3, 5]
    assert [each.index for each in book.noun.replicas] == [1, 3, 5]


def test_draining_replicas_do_not_stay():
    book = ServerBook.of(server("a", 2))
    book.drain(0)

    assert list(book.staying) == [1]
    assert book.noun.replicas[0].draining

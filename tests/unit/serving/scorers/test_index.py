"""The lower index is better."""

from bayplan.serving.scorers.index import Index
from unit.serving.builders import keeps_its_promises, replica, scores, server, subject, table

ROWS = table(server("a", [replica(7), replica(2**31 - 1), replica(2**31 - 2)]), server("b", 0))


def test_the_order_of_replicas():
    found = scores(Index(), ROWS, subject())

    assert list(found) == ["b/-", "a/7", "a/2147483646", "a/2147483647"]


def test_contract():
    keeps_its_promises(Index(), ROWS, subject())

"""A server that is being deleted takes nothing."""

from bayplan.serving.filters.not_deleted import NotDeleted
from unit.serving.builders import codes, server, subject, table


def test_deleted():
    found = codes(NotDeleted(), table(server("a", 2, expected=0), server("b", 2, expected=5)), subject())

    assert {place: each.code for place, (each,) in found.items()} == {"a/0": "server-deleted", "a/1": "server-deleted"}

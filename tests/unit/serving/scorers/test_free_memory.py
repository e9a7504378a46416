"""More free memory is better; one MiB makes a difference."""

from bayplan.serving.scorers.free_memory import FreeMemory
from unit.serving.builders import keeps_its_promises, replica, scores, server, subject, table

ROWS = table(server("a", [replica(0, 2**44), replica(1, 2**44 + 1), replica(2, None), replica(3, 0)]))


def test_the_order_of_replicas():
    found = scores(FreeMemory(), ROWS, subject())

    assert list(found) == ["a/1", "a/0", "a/2", "a/3"]
    assert found["a/2"] == found["a/3"] == 0.0, "memory that is not known counts as none"


def test_contract():
    keeps_its_promises(FreeMemory(), ROWS, subject())


def test_servers_are_ranked_by_the_replicas_that_they_would_give():
    of_servers = FreeMemory().of_servers()

    assert (of_servers.name, of_servers.ranks, of_servers.reads) == ("free-memory", "servers", ("group_sum_free_mib",))

import pytest

from bayplan.library.applied_clusters import without_applied


def node(name):
    return {"kind": "Node", "metadata": {"name": name}}


def cluster(workers, bookings=()):
    return {
        "kind": "Cluster",
        "metadata": {"name": "c"},
        "workers": workers,
        "bookings": list(bookings),
        "budgets": ["b"],
    }


CASES = {
    "no Node": ([], [{"name": "a"}], ["a"]),
    "a worker that is a Node": (["a"], [{"name": "a"}, {"name": "b"}], ["b"]),
    "copies of which none is a Node": ([], [{"name": "a", "count": 3}], ["a"]),
    "copies of which some are Nodes": (["a-1"], [{"name": "a", "count": 3}], ["a-0", "a-2"]),
    "copies that are all Nodes": (["a-0", "a-1"], [{"name": "a", "count": 2}], []),
    "no copies": (["a"], [{"name": "a", "count": 0}], ["a"]),
}


@pytest.mark.parametrize(("nodes", "workers", "left"), CASES.values(), ids=CASES)
def test_workers_that_are_nodes_are_told_once(nodes, workers, left):
    *others, found = without_applied([*map(node, nodes), cluster(workers)])

    assert others == list(map(node, nodes))
    assert [each["name"] for each in found["workers"]] == left
    assert found["budgets"] == ["b"]


def test_bookings_go_with_their_workers():
    bookings = [{"workload": "x", "worker": "a"}, {"workload": "y", "worker": "b"}]

    *_, found = without_applied([node("a"), cluster([{"name": "a"}, {"name": "b"}], bookings)])

    assert found["bookings"] == [{"workload": "y", "worker": "b"}]

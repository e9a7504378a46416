"""Servers of a Cluster document."""

import pytest

from bayplan.cluster.server import Server
from bayplan.manifests.native.server import read_server, unique
from bayplan.manifests.native.server_writer import write_server
from unit.manifests.opened import opened, places

FULL = {
    "name": "a", "shared": False, "capabilities": ["x", " y ", "", "x"], "memory": "1Gi", "overcommitPercent": 10,
    "minReplicas": 0, "maxReplicas": 3, "expectedReplicas": 2,
}  # fmt: skip


def test_every_field():
    fields = opened(
        {**FULL, "replicas": [{"index": 4, "memory": "100M", "reserved": 5, "draining": True}, {"index": 1}]}
    )
    found = read_server(fields)

    assert (places(fields), fields.findings.warnings) == ([], [])
    assert (found.name, found.shared, found.capabilities, found.memory_mib) == ("a", False, ("x", "y"), 1024)
    assert (found.min_replicas, found.max_replicas, found.expected_replicas) == (0, 3, 2)
    first, second = found.replicas
    assert (first.index, first.memory_mib, first.reserved_mib, first.draining) == (4, 95, 5, True)
    assert (second.memory_mib, second.capabilities, second.overcommit_percent) == (1024, ("x", "y"), 10)


REPLICAS = {
    "absent": ({}, 1),
    "a number": ({"replicas": 3}, 3),
    "none": ({"replicas": 0}, 0),
    "a list": ({"replicas": []}, 0),
}


@pytest.mark.parametrize(("given", "number"), REPLICAS.values(), ids=REPLICAS)
def test_replicas(given, number):
    assert len(read_server(opened({"name": "a", **given})).replicas) == number


def test_a_maximum_of_zero_is_none():
    assert read_server(opened({"name": "a", "maxReplicas": 0})).max_replicas is None


def test_a_replica_may_offer_nothing():
    (found,) = read_server(opened({"name": "a", "capabilities": ["x"], "replicas": [{"capabilities": []}]})).replicas

    assert found.capabilities == ()


WRONG = {
    "no name": ({}, ["name"]),
    "a name with a dot": ({"name": "a.b"}, ["name"]),
    "negative memory": ({"name": "a", "memory": "-1Mi"}, ["memory"]),
    "overcommitment in words": ({"name": "a", "overcommitPercent": "much"}, ["overcommitPercent"]),
    "crossed limits": ({"name": "a", "minReplicas": 3, "maxReplicas": 2}, ["minReplicas"]),
    "negative replicas": ({"name": "a", "replicas": -1}, ["replicas"]),
    "too many replicas": ({"name": "a", "replicas": 10**6}, ["replicas"]),
    "one index twice": ({"name": "a", "replicas": [{"index": 1}, {"index": 1}]}, ["replicas[1].index"]),
    "wrong replicas of a wrong server": (
        {"name": "A", "replicas": [{"memory": "x"}]}, ["name", "replicas[0].memory"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "where"), WRONG.values(), ids=WRONG)
def test_wrong_servers(given, where):
    fields = opened(given)

    assert (read_server(fields), places(fields)) == (None, where)


def test_unknown_fields_are_told():
    fields = opened({"name": "a", "colour": 1, "replicas": [{"zone": 2}]})
    read_server(fields)

    assert [each.split(": ")[1] for each in fields.findings.warnings] == ["replicas[0].zone", "colour"]


ROUND = {
    "short": {"name": "a"},
    "equal replicas": {**FULL, "replicas": 3},
    "no memory": {"name": "a", "replicas": 0},
    "replicas of their own": {
        **FULL,
        "replicas": [{"index": 2, "capabilities": [], "overcommitPercent": 0, "reserved": 3}],
    },
    "one that is missing": {"name": "a", "replicas": [{"index": 0}, {"index": 2}]},
}


@pytest.mark.parametrize("given", ROUND.values(), ids=ROUND)
def test_what_is_written_reads_as_the_same(given):
    found = read_server(opened(given))

    assert isinstance(found, Server)
    assert read_server(opened(write_server(found))) == found


def test_written_forms():
    short = write_server(read_server(opened({"name": "a", "replicas": 2})))

    assert short == {"name": "a", "capabilities": [], "memory": None, "overcommitPercent": 0, "replicas": 2}


def test_unique():
    assert unique((" a", "b", "a ", "", " ")) == ("a", "b")

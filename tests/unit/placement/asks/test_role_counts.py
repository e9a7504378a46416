"""Who of a workload with roles is there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bayplan.cluster.booking import Booking
from bayplan.placement.asks.role_counts import members_there, surplus
from unit.placement.builders import role

ROLES = tuple(replace(role(), name=name, replicas=number) for name, number in (("head", 1), ("Worker", 3)))


def held(*roles):
    return [Booking("w", number, "n", role=role) for number, role in enumerate(roles)]


THERE = {
    "nobody": ((), [0, 0]),
    "without roles the first count": (("", ""), [1, 1]),
    "the head is gone": (("worker", "worker", "worker"), [0, 3]),
    "whatever the case": (("HEAD", "WORKER"), [1, 1]),
    "a role that is not known": (("worker", "driver"), [1, 1]),
    "no more than are wanted": (("worker",) * 5, [0, 3]),
    "some do not say it": (("worker", "worker", "", ""), [1, 3]),
}


@pytest.mark.parametrize(("roles", "there"), THERE.values(), ids=THERE)
def test_members_there(roles, there):
    assert members_there(ROLES, held(*roles)) == there


def test_a_replica_on_two_workers_is_one():
    twice = [Booking("w", 0, "a", role="worker"), Booking("w", 0, "b", role="worker")]

    assert members_there(ROLES, twice) == [0, 1]


SURPLUS = {
    "none": (("head", "worker", "worker", "worker"), []),
    "workers": (("head", *["worker"] * 5), [([1, 2, 3, 4, 5], 2)]),
    "heads": (("head", "head", "worker", "worker", "worker"), [([0, 1], 1)]),
    "whose role is not known": (("",) * 6, [([0, 1, 2, 3, 4, 5], 2)]),
    "some beside them": (("head", "worker", "worker", "", ""), [([3, 4], 1)]),
}


@pytest.mark.parametrize(("roles", "found"), SURPLUS.values(), ids=SURPLUS)
def test_surplus(roles, found):
    assert [([each.replica for each in some], count) for some, count in surplus(ROLES, held(*roles))] == found

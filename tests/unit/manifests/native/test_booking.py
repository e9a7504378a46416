"""Bookings and budgets."""

from __future__ import annotations

import pytest

from bayplan.cluster.booking import Booking, Budget, CardBooking
from bayplan.cluster.mig import MigInstance
from bayplan.manifests.native.booking import read_booking, read_budget
from unit.manifests.opened import opened, places

BOOKINGS = {
    "the least": ({"workload": "w", "worker": "a"}, Booking("w", 0, "a")),
    "everything": (
        {"workload": "w", "replica": 2, "worker": "a", "cpu": "1500m", "ram": "1Gi", "priority": -3, "gang": "g",
         "gpus": [{"index": 0}, {"runtime": "rocm", "index": 1, "memory": "1.5Gi", "computePercent": 12.5},
                  {"index": None, "mig": {"profile": "1g.5gb"}}]},
        Booking("w", 2, "a", 1500, 1024, (
            CardBooking(0), CardBooking(1, "rocm", 1536, 125), CardBooking(None, mig=MigInstance("1g.5gb"))), -3, "g")),
    "a card of a plan says more than is needed": (
        {"workload": "w", "worker": "a", "gpus": [{"index": 0, "uuid": "GPU-1", "model": "L4"}]},
        Booking("w", 0, "a", cards=(CardBooking(0),))),
}  # fmt: skip


@pytest.mark.parametrize(("data", "booking"), BOOKINGS.values(), ids=BOOKINGS)
def test_booking(data, booking):
    fields = opened(data)

    assert read_booking(fields) == booking
    assert not fields.findings.errors
    assert not fields.findings.warnings


REFUSED = {
    "nobody": ({"worker": "a"}, ["workload"]),
    "nowhere": ({"workload": "w"}, ["worker"]),
    "both": ({}, ["workload", "worker"]),
    "a negative size": ({"workload": "w", "worker": "a", "ram": "-1Gi"}, ["ram"]),
    "no card": ({"workload": "w", "worker": "a", "gpus": [{}]}, ["gpus[0].index"]),
    "more than a card": ({"workload": "w", "worker": "a", "gpus": [{"index": 0, "computePercent": 101}]},
                         ["gpus[0].computePercent"]),
    "a card twice": ({"workload": "w", "worker": "a", "gpus": [{"index": 0}, {"index": 0}]}, ["gpus[1]"]),
    "a slice of no profile": ({"workload": "w", "worker": "a", "gpus": [{"index": 0, "mig": {"start": 1}}]},
                              ["gpus[0].mig.profile"]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "where"), REFUSED.values(), ids=REFUSED)
def test_booking_refused(data, where):
    fields = opened(data)

    assert read_booking(fields) is None
    assert places(fields) == where


def test_budget():
    assert read_budget(opened({"workload": "w", "minAvailable": 2})) == Budget("w", 2)


def test_a_budget_says_how_many():
    fields = opened({"workload": "w"})

    assert read_budget(fields) is None
    assert places(fields) == ["minAvailable"]

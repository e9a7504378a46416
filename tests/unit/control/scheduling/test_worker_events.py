from dataclasses import fields, replace

import pytest

from bayplan.cluster.events import (
    CARBON_CHANGED,
    FOREIGN_USE_CHANGED,
    LABELS_CHANGED,
    PRICE_CHANGED,
    STATUS_CHANGED,
    TAINTS_CHANGED,
    WORKER_ADDED,
    WORKER_CHANGED,
)
from bayplan.cluster.worker import Worker
from bayplan.control.scheduling.worker_events import _OF_FIELDS, _REST, events_between
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.reader import Document
from unit.control.scheduling.scheduler import worker

_NO_EVENT = {"name", "uid", "utilization"}  # what it is, and its load, which only scores ask for


def described(**more):
    return read_inventory([Document({"workers": [worker("a", **more)]}, "test")]).cluster.workers[0]


CHANGES = {
    "nothing": ({}, set()),
    "it is cordoned": ({"status": "cordoned"}, {STATUS_CHANGED}),
    "a label": ({"labels": {"tier": "gold"}}, {LABELS_CHANGED}),
    "a taint": ({"taints": [{"key": "k", "effect": "NoSchedule"}]}, {TAINTS_CHANGED}),
    "its price": ({"usdPerHour": 3.0}, {PRICE_CHANGED}),
    "its grid": ({"carbonGramsPerKwh": 50}, {CARBON_CHANGED}),
    "its memory": ({"ram": "1Ti"}, {WORKER_CHANGED}),
    "its place": ({"region": "eu"}, {WORKER_CHANGED}),
    "cards": ({"cards": 4}, {WORKER_CHANGED, FOREIGN_USE_CHANGED}),
    "two at once": ({"status": "cordoned", "ram": "1Ti"}, {STATUS_CHANGED, WORKER_CHANGED}),
}


@pytest.mark.parametrize(("more", "events"), CHANGES.values(), ids=CHANGES)
def test_the_events_of_a_change(more, events):
    assert events_between(described(), described(**more)) == events


def test_a_new_worker():
    assert events_between(None, described()) == {WORKER_ADDED}


def test_use_that_is_observed_on_a_card():
    old = described()
    busy = tuple(replace(gpu, observed_used_mib=1000) for gpu in old.gpus)

    assert events_between(old, replace(old, gpus=busy)) == {WORKER_CHANGED, FOREIGN_USE_CHANGED}


def test_every_field_of_a_worker_is_an_event_or_left_out_for_a_reason():
    assert {each.name for each in fields(Worker)} == {*_OF_FIELDS, *_REST, "gpus", *_NO_EVENT}

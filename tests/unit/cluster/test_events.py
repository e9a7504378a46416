"""The names of what can happen to a cluster."""

import re

import pytest

from bayplan.cluster.columns import STATE_NAMES, STATIC_NAMES
from bayplan.cluster.events import ALL_EVENTS, EVENTS, ROOM_EVENTS, events_of


@pytest.mark.parametrize("event", EVENTS, ids=ALL_EVENTS)
def test_an_event_has_a_name_and_a_sentence(event):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", event.name)
    assert event.meaning[0].isupper()
    assert event.meaning.endswith(".")


def test_names_are_different():
    assert len(set(ALL_EVENTS)) == len(EVENTS)
    assert set(ROOM_EVENTS) < set(ALL_EVENTS)


COLUMNS = {
    "status": {"status-changed"},
    "labels_id": {"labels-changed"},
    "taints_id": {"taints-changed"},
    "usd_per_hour": {"price-changed"},
    "carbon_g_per_kwh": {"carbon-changed"},
    "uid_hash": {"worker-added"},
    "spot": {"worker-changed"},
    "rack_id": {"worker-changed"},
    "cpu_free_milli": {"booking-removed", "worker-changed"},
    "card_free_mib": {"booking-removed", "worker-changed", "foreign-use-changed"},
    "wholly_free": {"booking-removed", "worker-changed", "foreign-use-changed"},
    "pools": set(),
    "fit_order": set(),
}


@pytest.mark.parametrize(("column", "events"), COLUMNS.items(), ids=COLUMNS)
def test_the_events_of_a_column(column, events):
    assert set(events_of(column)) == events


def test_every_column_of_the_snapshot_has_events():
    for column in (*STATIC_NAMES, *STATE_NAMES):
        assert events_of(column)
        assert set(events_of(column)) <= set(ALL_EVENTS)

import json

import pytest

import bayplan

CLUSTER = {
    "kind": "Cluster",
    "workers": [
        {"name": "a", "zone": "z", "gpus": {"count": 2, "model": "L40S", "memory": "48Gi"}, "links": "pcie"},
        {"name": "b", "zone": "z", "gpus": {"count": 1, "model": "L40S", "memory": "48Gi"}},
    ],
    "bookings": [{"workload": "m", "replica": 0, "worker": "a", "gpus": [{"index": 1, "memory": "8Gi"}]}],
}

FREE = {
    "cards": 3,
    "whole": 2,
    "shared": 1,
    "held": 0,
    "mig": 0,
    "unhealthy": 0,
    "closed": 0,
    "workers_with": {"1": 2, "2": 0, "4": 0, "8": 0},
    "largest": {"worker": 1, "zone": 2},
    "sets": [
        {"cards": 1, "nvlink_islands": None, "workers": ["b"]},
        {"cards": 1, "nvlink_islands": [1], "workers": ["a"]},
    ],
    "places": 0,
    "free_places": 0,
    "free_mib": 139_264,
    "stranded_mib": 40_960,
    "largest_free_mib": 49_152,
    "fragmentation": pytest.approx(40_960 / 139_264),
}


def test_the_whole_document():
    shared = {"worker": "a", "runtime": "cuda", "index": 1, "model": "L40S", "memory_mib": 49_152, "free_mib": 40_960}

    assert bayplan.gpus(CLUSTER) == {
        "kind": "Gpus",
        "models": [{"runtime": "cuda", "model": "L40S", "memory_mib": 49_152, **FREE}],
        "total": FREE,
        "shared_cards": [{**shared, "free_compute_percent": 100.0, "places": None, "free_places": None}],
        "mig_slices": {},
        "mig": [],
        "warnings": [],
    }


def test_it_is_plain_data():
    document = bayplan.gpus(CLUSTER)

    assert json.loads(json.dumps(document)) == document


def test_what_is_odd_about_the_cluster_is_a_warning():
    (warning,) = bayplan.gpus({**CLUSTER, "bookings": [{"workload": "m", "replica": 0, "worker": "c"}]})["warnings"]

    assert "no worker is called 'c'" in warning


def test_what_is_no_cluster_is_an_error():
    with pytest.raises(bayplan.BayplanError):
        bayplan.gpus({"nothing": 1})

"""Whole Cluster documents."""

from __future__ import annotations

import pytest

from bayplan.cluster.booking import Booking, Budget
from bayplan.cluster.cluster import Cluster
from bayplan.cluster.worker import Worker
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import MOST_FINDINGS, read_whole
from bayplan.manifests.native.cluster import MOST_WORKERS, collect_cluster
from bayplan.manifests.native.cluster_writer import write_cluster
from bayplan.manifests.reader import Document, read_text


def read(data):
    return read_whole(collect_cluster, Document(data, "c.yaml"), data)


def test_nothing_is_a_cluster_of_nothing():
    assert read({})[0] == Cluster()


def test_everything():
    data = {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "Cluster",
        "metadata": {"name": "c"},
        "workers": [{"name": "b"}, {"name": "a"}],
        "bookings": [{"workload": "w", "worker": "a"}],
        "budgets": [{"workload": "w", "minAvailable": 1}],
    }

    cluster, warnings = read(data)
    assert cluster == Cluster((Worker("b"), Worker("a")), (Booking("w", 0, "a"),), (Budget("w", 1),))
    assert warnings == ()


def test_what_was_odd_about_an_inventory_is_repeated():
    assert read(write_cluster(Cluster((Worker("a"),))) | {"warnings": ["x", "y"]})[1] == ("x", "y")
    assert len(read({"workers": [], "warnings": ["x"] * 1000})[1]) == MOST_FINDINGS


@pytest.mark.parametrize("odd", [5, "x", {"a": 1}, [[1]]])
def test_warnings_that_are_none(odd):
    with pytest.raises(InputError, match="warnings"):
        read({"workers": [], "warnings": odd})


def test_equal_cards_of_different_workers_are_one_object():
    cards = {"count": 8, "model": "L4"}
    first, second = read({"workers": [{"name": "a", "gpus": cards}, {"name": "b", "gpus": dict(cards)}]})[0].workers

    assert first.gpus is second.gpus


def test_a_booking_on_nobody_is_told():
    (warning,) = read({"workers": [{"name": "alpha"}], "bookings": [{"workload": "w", "worker": "alfa"}]})[1]

    assert warning.startswith("c.yaml: bookings[0].worker: no worker is called 'alfa'")
    assert warning.endswith("did you mean 'alpha'?")


def test_a_cluster_of_somebody_else_is_refused():
    with pytest.raises(InputError, match=r"a Cluster of 'cluster.x-k8s.io/v1beta1' is not read") as caught:
        read({"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "spec": {}})

    assert (caught.value.place, caught.value.next) == ("c.yaml: apiVersion", "write bayplan.io/v1alpha1")


def test_a_booking_of_no_card_is_told():
    worker = {"name": "a", "gpus": {"count": 2, "model": "L4", "memory": 1}}
    held = [{"index": 1}, {"index": 7}, {"index": None, "mig": {"profile": "1g.5gb"}}]
    (warning,) = read({"workers": [worker], "bookings": [{"workload": "w", "worker": "a", "gpus": held}]})[1]

    problem = "c.yaml: bookings[0].gpus: a has no card cuda:7; the booking of this card is ignored"
    assert warning == f"{problem}; there are: cuda:0, cuda:1"


def test_bookings_alone_are_about_workers_of_another_document():
    assert read({"bookings": [{"workload": "w", "worker": "a"}]})[1] == ()


REFUSED = {
    "no mapping": ([1], "c.yaml"),
    "no list": ({"workers": {"a": {}}}, "c.yaml: workers"),
    "a worker twice": ({"workers": [{"name": "a"}, {"name": "a"}]}, "c.yaml: workers[1].name"),
    "a worker and a counted one": (
        {"workers": [{"name": "w", "count": 3}, {"name": "w-1"}]},
        "c.yaml: workers[1].name",
    ),
    "a budget twice": (
        {"budgets": [{"workload": "w", "minAvailable": 1}, {"workload": "w", "minAvailable": 2}]},
        "c.yaml: budgets[1].workload",
    ),
    "too many": ({"workers": [{"name": "w", "count": MOST_WORKERS + 1}]}, "c.yaml: workers[0].count"),
    "a card inside": ({"workers": [{"name": "a", "gpus": [{"memory": "x"}]}]}, "c.yaml: workers[0].gpus[0].memory"),
    "a booking": ({"bookings": [{"workload": "w", "worker": "a", "gpus": [{}]}]}, "c.yaml: bookings[0].gpus[0].index"),
}


@pytest.mark.parametrize(("data", "place"), REFUSED.values(), ids=REFUSED)
def test_refused(data, place):
    with pytest.raises(InputError) as refused:
        read(data)

    assert refused.value.place == place


def test_the_line_is_told():
    (document,) = read_text("workers:\n  - name: a\n    ram: 1Gi\n  - name: b\n    ram: lots\n", "c.yaml")

    with pytest.raises(InputError, match=r"c\.yaml:5: workers\[1\]\.ram: 'lots' is not a number"):
        read_whole(collect_cluster, document, document.data)


def test_everything_that_is_wrong_is_counted():
    with pytest.raises(InputError, match="and 2 more problems"):
        read({"workers": [{"ram": "x"}, {"name": "b", "cpu": "y"}]})

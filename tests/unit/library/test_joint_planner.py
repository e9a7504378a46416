"""Workloads and models in one call."""

import pytest

import bayplan
from bayplan.framework.errors import BayplanError
from bayplan.library.plan import planned

MODEL = {
    "apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": "iris"},
    "spec": {"storageUri": "x", "memory": "10Mi"},
}  # fmt: skip
JOB = {"metadata": {"name": "job"}, "spec": {"gpus": {"count": 1}}}
CLUSTER = {
    "workers": [{"name": "w", "gpus": {"count": 2, "model": "T4", "memory": "16Gi"}}],
    "servers": [{"name": "a", "memory": "50Mi"}],
}


def test_each_goes_to_its_own_kind_of_place():
    first, second = bayplan.plan([MODEL, JOB], CLUSTER)["items"]

    assert (first["server"], second["replicas"][0]["workers"][0]["worker"]) == ("a", "w")


def test_the_result_has_the_bookings_of_both():
    result = planned([JOB, MODEL], CLUSTER).planner.result()

    assert [each.workload for each in result.bookings] == ["job"]
    assert [(each.model, each.state) for each in result.serving_bookings] == [("iris", "load-requested")]


def test_what_was_not_planned_stays():
    booked = {**CLUSTER, "bookings": [{"workload": "wine", "server": "a", "serverReplica": 0}]}

    assert len(planned(JOB, booked).planner.result().serving_bookings) == 1
    assert len(planned(MODEL, booked).planner.result().serving_bookings) == 2


SERVING = {
    "scheduler": "serving", "plugins": [{"type": "index"}, {"type": "max-score"}],
    "schedulingProfiles": [{"name": "m", "plugins": [{"pluginRef": "index"}, {"pluginRef": "max-score"}]}],
}  # fmt: skip


def test_each_scheduler_has_its_own_configuration():
    first, second = bayplan.plan([MODEL, JOB], CLUSTER, config=SERVING)["items"]

    assert (first["verdict"], second["verdict"]) == ("fits", "fits")
    with pytest.raises(BayplanError, match="not about placement"):
        bayplan.plan(JOB, CLUSTER, config=SERVING)


def test_the_order_of_a_queue():
    urgent = {"metadata": {"name": "urgent"}, "spec": {"priority": 5}}
    old = {**MODEL, "metadata": {"name": "old", "creationTimestamp": "2020-01-01T00:00:00Z"}}
    found = bayplan.plan([MODEL, old, JOB, urgent], CLUSTER, order="queue")["items"]

    assert [each["workload"] for each in found] == ["urgent", "old", "iris", "job"]


def test_why_explains_the_named_one():
    assert bayplan.why([MODEL, JOB], CLUSTER, workload="iris")["servers"][0]["server"] == "a"
    assert bayplan.why([MODEL, JOB], CLUSTER)["workers"][0]["worker"] == "w"

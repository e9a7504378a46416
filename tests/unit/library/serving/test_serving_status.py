"""`bayplan.status` of Models and Servers, beside PodGroups."""

import pytest

import bayplan
from bayplan.framework.errors import InputError


def thing(kind, name, **spec):
    return {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


MODEL = thing("Model", "iris", storageUri="x", memory="10Mi")
SERVER = thing("Server", "a", serverConfig="mlserver", replicas=3)
GROUP = {
    "apiVersion": "scheduling.x-k8s.io/v1alpha1",
    "kind": "PodGroup",
    "metadata": {"name": "g"},
    "spec": {"minMember": 1},
}
CLUSTER = {
    "servers": [{"name": "a", "memory": "50Mi", "replicas": 2}],
    "bookings": [{"workload": "iris", "server": "a", "serverReplica": 0, "memory": "10Mi"}],
}


def test_a_model():
    found = bayplan.status(MODEL, CLUSTER)

    assert (found["state"], found["scheduled"], found["selector"]) == ("ModelAvailable", "fully", "server=a")


def test_a_server():
    assert bayplan.status(SERVER, CLUSTER)["loadedModels"] == 1
    missing = bayplan.status({**SERVER, "metadata": {"name": "b"}}, CLUSTER)
    assert (missing["ready"], missing["replicas"], missing["expectedReplicas"]) == (False, 0, 3)


def test_without_a_cluster():
    assert bayplan.status(MODEL)["state"] == "ScheduleFailed"


def test_all_kinds_in_the_order_of_the_documents():
    found = bayplan.status([SERVER, GROUP, MODEL], CLUSTER)["items"]

    assert [each["workload"] for each in found] == ["a", "g", "iris"]


def test_models_are_planned_one_after_the_other():
    big = [thing("Model", name, storageUri="x", memory="30Mi", replicas=2) for name in ("x", "y")]

    assert [each["state"] for each in bayplan.status(big, CLUSTER)["items"]] == ["ModelProgressing", "ScheduleFailed"]


def test_wrong_documents():
    with pytest.raises(InputError) as caught:
        bayplan.status([MODEL, thing("ServerConfig", "c")], CLUSTER)

    assert "spec.podSpec" in caught.value.place

"""`bayplan.scale`: models, then servers."""

import pytest

import bayplan
from bayplan.framework.errors import InputError

MODEL = {
    "apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": "iris"},
    "spec": {"storageUri": "x", "memory": "10Mi", "minReplicas": 1, "maxReplicas": 3},
}  # fmt: skip
CLUSTER = {
    "servers": [{"name": "a", "memory": "50Mi", "minReplicas": 1, "maxReplicas": 3, "replicas": 2}],
    "bookings": [{"workload": "iris", "server": "a", "serverReplica": 0, "memory": "10Mi"}],
}


def test_models_then_servers():
    found = bayplan.scale([MODEL], {"models": {"iris": {"lag": 50}}}, cluster=CLUSTER)

    assert found["kind"] == "ScalingList"
    assert [(each["workload"], each["subject"], each["desired"], each["reason"]) for each in found["items"]] == [
        ("iris", "model", 2, "lag"),
        ("a", "server", 1, "empty-replicas"),
    ]


def test_servers_alone():
    assert bayplan.scale(cluster=CLUSTER)["reason"] == "empty-replicas"


def test_a_model_without_a_cluster():
    assert bayplan.scale(MODEL)["reason"] == "unknown-signal"


WRONG = {
    "nothing": (((), None), {}, "documents"),
    "a pool": (
        ({"apiVersion": "neuronetes.io/v1alpha1", "kind": "AgentPool", "metadata": {"name": "p"}},),
        {},
        "documents",
    ),
    "a workload": (({"metadata": {"name": "w"}, "spec": {}},), {}, "documents"),
    "a wrong model": (({**MODEL, "spec": {"memory": "1Mi"}},), {}, "spec.storageUri"),
    "wrong signals": ((MODEL, {"models": {"iris": {"lag": -1}}}), {}, "models.iris.lag"),
}


@pytest.mark.parametrize(("arguments", "options", "place"), WRONG.values(), ids=WRONG)
def test_wrong_calls(arguments, options, place):
    with pytest.raises(InputError) as caught:
        bayplan.scale(*arguments, **options)

    assert place in caught.value.place


def test_what_is_not_scaled_yet_says_so():
    with pytest.raises(InputError, match="AgentPool is not scaled yet"):
        bayplan.scale(
            {"apiVersion": "neuronetes.io/v1alpha1", "kind": "AgentPool", "metadata": {"name": "p"}, "spec": {}}
        )

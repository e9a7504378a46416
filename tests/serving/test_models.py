"""Models on servers, from `kubectl apply` to the answer of a request, in real processes."""

import os
import signal

import pytest

from serving.running_models import SELDON


def test_models_of_scikit_learn_on_two_replicas_of_mlserver(real):
    """Placed, asked over REST and gRPC; a replica that is killed; a replica that goes while requests come."""
    real.make_server("tabular", 2)
    real.make_model("iris", replicas=2, minReplicas=1)
    real.make_model("income")
    real.make_model("wine")
    real.wait_available("iris", 2)
    for name in ("income", "wine"):
        real.wait_available(name)

    for name in ("iris", "income", "wine"):
        status, answer = real.infer(name)
        assert (status, answer["outputs"][0]["shape"]) == (200, [1, 1]), answer
        assert f"{name}_1".encode() in real.infer_grpc(name)

    (victim,) = real.holders("income")
    os.kill(real.pid(victim), signal.SIGKILL)
    real.wait(lambda: real.holders("income") and real.infer("income")[0] == 200)
    real.wait_available("iris", 2)

    with real.load("iris", "income", "wine") as load:
        load.answers_more()
        real.change("servers", "tabular", {"replicas": 1})
        real.wait(lambda: set(real.rows()) == {"tabular-0"})
        load.answers_more()
    assert load.failures == []


def test_a_changed_model_rolls_out_without_a_failed_request(simulated):
    simulated.make_server("tabular", 2)
    simulated.make_model("iris", replicas=2)
    simulated.wait_available("iris", 2)

    with simulated.load("iris") as load:
        load.answers_more()
        simulated.change("models", "iris", {"storageUri": f"file://{simulated.files / 'wine'}"})
        simulated.wait(lambda: simulated.infer("iris")[1]["model_name"] == "iris_2")
        simulated.wait(lambda: _versions(simulated, "iris") == {2})
        load.answers_more()
    assert load.failures == []


def test_refused_and_partly_placed_models_say_so(simulated):
    simulated.make_server("tabular", 2, memory="100Mi")
    simulated.make_model("iris", replicas=3, minReplicas=1)
    simulated.make_model("income", memory="2Gi")
    simulated.wait_available("iris", 2)
    simulated.wait(lambda: simulated.model_state("income") == "ScheduleFailed")

    why = simulated.ask("GET", "/v1/why/models.mlops.seldon.io/income?namespace=default")
    assert why["verdict"] == "infeasible"
    codes = {code["code"] for server in why["servers"] for row in server["replicas"] for code in row["rejections"]}
    assert codes == {"memory-short"}
    assert simulated.infer("income")[0] == 503
    assert simulated.infer("nobody")[0] == 404


def test_what_is_freed_is_used_at_once_and_deletion_waits_for_the_unload(simulated):
    simulated.make_server("tabular", 1, memory="100Mi")
    simulated.make_model("iris", memory="80Mi")
    simulated.wait_available("iris")
    simulated.make_model("wine", memory="80Mi")
    simulated.wait(lambda: simulated.model_state("wine") == "ScheduleFailed")

    simulated.ask("DELETE", f"{SELDON}/models/iris")

    simulated.wait_available("wine")
    assert simulated.server.request("GET", f"{SELDON}/models/iris")[0] == 404
    assert {each["model"] for row in simulated.rows().values() for each in row["spec"]["models"]} == {"wine"}


@pytest.mark.parametrize("times", [3])
def test_evicted_models_come_back_when_they_are_asked(simulated, times):
    """Two of 60 MiB on a replica of 80 with overcommit: one is in memory, and each answers."""
    overcommit = {"name": "SELDON_OVERCOMMIT_PERCENTAGE", "value": "100"}
    simulated.make_server("tabular", 1, memory="80Mi", env=[overcommit])
    for name in ("iris", "wine"):
        simulated.make_model(name, memory="60Mi")
        simulated.wait_available(name)

    for _ in range(times):
        for name in ("iris", "wine"):
            assert simulated.infer(name)[0] == 200


def _versions(models, name):
    booked = [each for row in models.rows().values() for each in row["spec"]["models"]]
    return {each["version"] for each in booked if each["model"] == name}

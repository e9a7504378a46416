"""Servers of many models: their worker loads and unloads models as they are booked."""

import signal

import pytest

from workers.served_models import ServedModels, post

ROW = [1, 2]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.bin").write_text("weights")
    return tmp_path / "model"


@pytest.fixture
def served(machines):
    machines.worker("w")
    return ServedModels(machines, "s", "--load-seconds", "0")


def test_models_are_loaded_asked_and_unloaded(served, folder):
    served.model("lost", "/nowhere/x")
    served.model("iris", folder)
    served.wait_ready("iris")
    served.machines.wait(lambda: "model lost_1 is not loaded: file:///nowhere/x" in served.failures())

    assert served.status()["usedMib"] > 0
    assert served.infer("iris_1", ROW) == [3.0]
    annotations = served.machines.get("s-0")["metadata"]["annotations"]
    assert annotations["bayplan.io/endpoint"].endswith(served.status()["rest"])

    served.delete("iris")
    served.machines.wait(lambda: "iris_1" not in served.answers())
    assert served.infer("iris_1", ROW) == 404


def test_models_are_loaded_again_after_the_end_of_a_server_and_of_a_worker(served, folder):
    machines = served.machines
    served.model("iris", folder)
    served.wait_ready("iris")
    rest = served.status()["rest"]

    machines.kill(machines.pid("s-0"))
    machines.wait(lambda: machines.container("s-0")["restartCount"] == 1)
    machines.wait(lambda: "iris_1" in served.residents())
    assert served.status()["rest"] == rest
    assert served.infer("iris_1", ROW) == [3.0]

    machines.workers[0].stop(signal.SIGTERM)
    assert not served.status()["connected"]
    machines.worker("w")
    machines.wait(lambda: "iris_1" in served.residents())
    assert served.infer("iris_1", ROW) == [3.0]


def test_more_models_than_fit_take_turns_in_memory(machines, folder):
    machines.worker("w")
    served = ServedModels(machines, "s", "--load-seconds", "0", memory="100Mi", overcommit=50)
    for name in "abc":
        served.model(name, folder)
    served.wait_ready(*"abc")
    machines.wait(lambda: len(served.residents()) == 2)

    (evicted,) = served.answers().keys() - served.residents()
    assert served.infer(evicted, ROW) == 404
    agent = served.status()["agent"]
    assert post(f"{agent}/models/{evicted}/ensure") == (200, {})
    assert served.infer(evicted, ROW) == [3.0]
    assert post(f"{agent}/used", {"names": [evicted]}) == (200, {})
    assert post(f"{agent}/used", {"names": 3})[0] == 400
    assert post(f"{agent}/models/none_1/ensure")[0] == 404
    assert post(f"{agent}x/models/{evicted}/ensure")[0] == 404
    machines.wait(lambda: len(served.residents()) == 2 and evicted in served.residents())

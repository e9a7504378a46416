"""Servers of many models: their worker loads and unloads models as their ServerReplicas say."""

import signal

import pytest

from workers.server_replicas import Replica, post

ROW = [1, 2]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.bin").write_text("weights")
    return tmp_path / "model"


def booked(folder, name, state="load-requested", **more):
    return {"name": name, "state": state, "storageUri": f"file://{folder}", **more}


def test_models_are_loaded_asked_and_unloaded(machines, folder):
    machines.worker("w")
    replica = Replica(machines, "s-0", "--load-seconds", "0")
    replica.book(booked(folder, "iris_1"), booked("/nowhere/x", "lost_1"))
    replica.wait_states(iris_1="loaded", lost_1="failed")

    assert replica.status["connected"]
    assert replica.status["usedMib"] > 0
    assert "/nowhere/x" in replica.model("lost_1")["message"]
    assert replica.infer("iris_1", ROW) == [3.0]
    assert machines.get("s-0")["metadata"]["annotations"]["bayplan.io/endpoint"].endswith(replica.status["rest"])

    replica.book(booked(folder, "iris_1", "unload-requested"))
    replica.wait_states(iris_1="unloaded")
    assert replica.infer("iris_1", ROW) == 404
    replica.book()
    replica.wait_states()


def test_a_server_that_is_killed_gets_its_models_again(machines, folder):
    machines.worker("w")
    replica = Replica(machines, "s-0", "--load-seconds", "0")
    replica.book(booked(folder, "iris_1", "available"))
    replica.wait_states(iris_1="loaded")
    rest = replica.status["rest"]

    machines.kill(machines.pid("s-0"))
    machines.wait(lambda: machines.container("s-0")["restartCount"] == 1)
    machines.wait(lambda: replica.status["connected"] and replica.model("iris_1")["resident"])

    assert replica.status["rest"] == rest
    assert replica.infer("iris_1", ROW) == [3.0]

    machines.workers[0].stop(signal.SIGTERM)
    assert not replica.status["connected"]
    machines.worker("w")
    machines.wait(lambda: replica.status["connected"] and replica.model("iris_1")["resident"])
    assert replica.infer("iris_1", ROW) == [3.0]


def test_more_models_than_fit_take_turns_in_memory(machines, folder):
    machines.worker("w")
    replica = Replica(machines, "s-0", "--load-seconds", "0", memory=100, overcommitPercent=50)
    names = ("a_1", "b_1", "c_1")
    replica.book(*(booked(folder, name, memory=50) for name in names))
    replica.wait_states(a_1="loaded", b_1="loaded", c_1="loaded")
    machines.wait(lambda: sum(replica.model(name)["resident"] for name in names) == 2)

    evicted = next(name for name in names if not replica.model(name)["resident"])
    assert replica.infer(evicted, ROW) == 404
    agent = replica.status["agent"]
    assert post(f"{agent}/models/{evicted}/ensure") == (200, {})
    assert replica.infer(evicted, ROW) == [3.0]
    assert post(f"{agent}/used", {"names": [evicted]}) == (200, {})
    assert post(f"{agent}/models/none_1/ensure")[0] == 404
    assert post(f"{agent}x/models/{evicted}/ensure")[0] == 404
    machines.wait(lambda: sum(replica.model(name)["resident"] for name in names) == 2)

"""Models of scikit-learn on a real MLServer that a worker runs: loaded, asked, rolled out, refused."""

import pytest

from workers.server_replicas import Replica

SETOSA, VIRGINICA = [5.1, 3.5, 1.4, 0.2], [6.7, 3.0, 5.2, 2.3]


@pytest.fixture(scope="module")
def replicas(machines, mlserver):
    """Two replicas of one server."""
    started = [Replica(machines, name, backend="mlserver") for name in ("mlserver-0", "mlserver-1")]
    for each in started:
        machines.wait(lambda each=each: each.status["connected"])
    return started


def booked(folder, name, state="load-requested", **more):
    return {"name": name, "state": state, "storageUri": str(folder), "requirements": ["sklearn"], **more}


def test_two_replicas_serve_two_models(replicas, models):
    for each in replicas:
        each.book(booked(models["iris"], "iris_1"), booked(models["most-frequent"], "constant_1"))
    for each in replicas:
        each.wait_states(iris_1="loaded", constant_1="loaded")

    for each in replicas:
        assert each.infer("iris_1", SETOSA) == [0]
        assert each.infer("iris_1", VIRGINICA) == [2]
        assert each.infer("constant_1", SETOSA) == [2]
        assert each.status["usedMib"] > 50
        assert each.status["grpc"]
    assert replicas[0].status["rest"] != replicas[1].status["rest"]


def test_a_new_version_is_loaded_beside_the_old_one(replicas, models):
    replica = replicas[0]
    old = booked(models["iris"], "flower_1")
    replica.book(old)
    replica.wait_states(flower_1="loaded")
    replica.book(old, booked(models["most-frequent"], "flower_2"))
    replica.wait_states(flower_1="loaded", flower_2="loaded")
    assert (replica.infer("flower_1", SETOSA), replica.infer("flower_2", SETOSA)) == ([0], [2])

    replica.book({**old, "state": "unload-requested"}, booked(models["most-frequent"], "flower_2", "available"))
    replica.wait_states(flower_1="unloaded", flower_2="loaded")

    assert (replica.infer("flower_1", SETOSA), replica.infer("flower_2", SETOSA)) == (404, [2])


def test_what_cannot_be_loaded_says_why(replicas, models, tmp_path):
    (tmp_path / "model.joblib").write_text("no pickle")
    replica = replicas[1]
    wrong = {"storageUri": "/nowhere/iris"}
    replica.book(
        booked(tmp_path, "broken_1"),
        booked(models["iris"], "lost_1", **wrong),
        booked(models["iris"], "strange_1", requirements=["cobol"]),
    )
    replica.machines.wait(lambda: set(replica.states().values()) == {"failed"})

    assert replica.model("broken_1")["attempts"] == 5
    assert replica.model("broken_1")["message"].startswith("the server refuses")
    assert "/nowhere/iris" in replica.model("lost_1")["message"]
    assert "cobol" in replica.model("strange_1")["message"]

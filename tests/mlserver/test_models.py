"""Models of scikit-learn on a real MLServer that a worker runs: loaded, asked, rolled out, refused."""

import pytest

from workers.served_models import ServedModels

SETOSA, VIRGINICA = [5.1, 3.5, 1.4, 0.2], [6.7, 3.0, 5.2, 2.3]


@pytest.fixture(scope="module")
def served(machines, mlserver):
    """Two replicas of one server."""
    return ServedModels(machines, "mlserver", backend="mlserver", replicas=2, memory="500Mi")


def test_two_replicas_serve_two_models(served, models):
    served.model("iris", models["iris"], replicas=2)
    served.model("constant", models["most-frequent"], replicas=2)
    served.wait_ready("iris", "constant")

    for index in (0, 1):
        assert served.infer("iris_1", SETOSA, index) == [0]
        assert served.infer("iris_1", VIRGINICA, index) == [2]
        assert served.infer("constant_1", SETOSA, index) == [2]
        assert served.status(index)["usedMib"] > 50
        assert served.status(index)["grpc"]
    assert served.status(0)["rest"] != served.status(1)["rest"]


def test_a_new_version_takes_the_place_of_the_old_one(served, models):
    served.model("flower", models["iris"], replicas=2)
    served.wait_ready("flower")
    assert served.infer("flower_1", SETOSA) == [0]

    served.change("flower", storageUri=f"file://{models['most-frequent']}")
    for index in (0, 1):
        served.machines.wait(lambda index=index: {"flower_2"} == _flowers(served, index))
        assert served.infer("flower_2", SETOSA, index) == [2]
        assert served.infer("flower_1", SETOSA, index) == 404


def _flowers(served, index):
    return {name for name in served.answers(index) if name.startswith("flower")}


def test_what_cannot_be_loaded_says_why(served, models, tmp_path):
    (tmp_path / "model.joblib").write_text("no pickle")
    served.model("broken", tmp_path)
    served.model("lost", "/nowhere/iris")

    served.machines.wait(lambda: "model broken_1 is not loaded: the server refuses" in served.failures())
    served.machines.wait(lambda: "there is no file or folder /nowhere/iris" in served.failures())

"""The paths of a simulated model server, asked without a socket."""

import asyncio
import json

import pytest

from bayplan.sim.model_server.server import ModelServer
from bayplan.sim.model_server.settings import Settings

ROWS = {"id": "7", "inputs": [{"name": "x", "shape": [2, 2], "datatype": "FP32", "data": [1, 2, 3, 4]}]}


class Client:
    def __init__(self, root, **settings):
        self.server = ModelServer(root, Settings(load_s=0.0, **settings))

    def ask(self, path, body=None, method="POST"):
        sent = []
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()

        async def receive():
            return {"type": "http.request", "body": raw}

        async def send(message):
            sent.append(message)

        asyncio.run(self.server({"type": "http", "method": method, "path": path}, receive, send))
        return sent[0]["status"], json.loads(sent[1]["body"] or b"null")

    def get(self, path):
        return self.ask(path, method="GET")

    def load(self, name):
        return self.ask(f"/v2/repository/models/{name}/load")

    def unload(self, name):
        return self.ask(f"/v2/repository/models/{name}/unload")


@pytest.fixture
def client(tmp_path):
    for name in ("iris_1", "fail-load_1", "fail-unload_1", ".part"):
        (tmp_path / name).mkdir()
    return Client(tmp_path)


def test_models_are_listed_loaded_asked_and_unloaded(client):
    assert client.get("/v2/health/ready") == (200, None)
    assert client.get("/v2/models/iris_1/ready")[0] == 404
    assert client.load("iris_1") == (200, None)
    assert client.get("/v2/models/iris_1/ready") == (200, None)
    assert client.get("/v2/models/iris_1")[1]["name"] == "iris_1"
    states = {each["name"]: each["state"] for each in client.ask("/v2/repository/index", {})[1]}
    assert states == {"iris_1": "READY", "fail-load_1": "UNAVAILABLE", "fail-unload_1": "UNAVAILABLE"}
    assert [each["name"] for each in client.ask("/v2/repository/index", {"ready": True})[1]] == ["iris_1"]

    status, answered = client.ask("/v2/models/iris_1/versions/1/infer", ROWS)

    assert status == 200
    assert (answered["model_name"], answered["id"]) == ("iris_1", "7")
    assert answered["outputs"][0] == {"name": "predict", "shape": [2, 1], "datatype": "FP64", "data": [3.0, 7.0]}
    assert client.unload("iris_1") == (200, None)
    assert client.ask("/v2/models/iris_1/infer", ROWS)[0] == 404


def test_names_decide_what_fails(client):
    assert client.load("fail-load_1")[0] == 500
    assert client.load("fail-unload_1")[0] == 200
    status, answered = client.unload("fail-unload_1")
    assert status == 500
    assert "fails on purpose" in answered["error"]


def test_a_load_may_fail_a_few_times_only(tmp_path):
    (tmp_path / "flaky").mkdir()
    client = Client(tmp_path, fail_loads="flaky", failures=2)

    assert [client.load("flaky")[0] for _ in range(3)] == [500, 500, 200]


REFUSED = {
    "no JSON": (b"{", 400),
    "no inputs": ({}, 400),
    "inputs that are no list": ({"inputs": 3}, 400),
    "data that are no list": ({"inputs": [{"data": 3}]}, 400),
    "values that make no rows": ({"inputs": [{"shape": [2], "data": [1, 2, 3]}]}, 400),
}


@pytest.mark.parametrize(("body", "status"), REFUSED.values(), ids=REFUSED)
def test_requests_that_are_none(client, body, status):
    client.load("iris_1")

    assert client.ask("/v2/models/iris_1/infer", body)[0] == status


PATHS = {
    "a path of nothing": ("GET", "/v3", 404),
    "an order for nothing": ("POST", "/v2/repository/models/x/reload", 404),
    "a model that is not there": ("POST", "/v2/repository/models/none/load", 404),
    "an unload of what is not loaded": ("POST", "/v2/repository/models/iris_1/unload", 404),
    "a verb of nothing": ("PUT", "/v2/models/iris_1/infer", 405),
    "an inference is posted": ("GET", "/v2/models/iris_1/infer", 404),
}


@pytest.mark.parametrize(("method", "path", "status"), PATHS.values(), ids=PATHS)
def test_paths_that_are_none(client, method, path, status):
    assert client.ask(path, method=method)[0] == status


def test_deeply_nested_data_are_read(client):
    client.load("iris_1")
    data = [1.0]
    for _ in range(400):
        data = [data]

    assert client.ask("/v2/models/iris_1/infer", {"inputs": [{"data": data}]})[1]["outputs"][0]["data"] == [1.0]

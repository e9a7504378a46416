"""Questions about Models, answered with the servers and bookings of the store."""

from bayplan.control.collections import SERVER_REPLICAS
from served_api import run
from unit.api.objects import post

SELDON = "/apis/mlops.seldon.io/v1alpha1/namespaces/default"
SERVER = {
    "apiVersion": "mlops.seldon.io/v1alpha1",
    "kind": "Server",
    "metadata": {"name": "mlserver"},
    "spec": {"serverConfig": "mlserver", "replicas": 1},
}


def model(name, memory):
    spec = {"storageUri": "file:///m", "requirements": ["sklearn"], "memory": memory}
    return {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Model", "metadata": {"name": name}, "spec": spec}


def row(*models):
    spec = {
        "server": "mlserver", "index": 0, "pod": "mlserver-0", "capabilities": ["sklearn"], "memory": 200,
        "models": list(models),
    }  # fmt: skip
    return {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "ServerReplica",
        "metadata": {"name": "mlserver-0", "namespace": "default"},
        "spec": spec,
        "status": {"connected": True},
    }


async def begin(api):
    await post(api, f"{SELDON}/servers", SERVER)
    await post(api, f"{SELDON}/models", model("iris", "150Mi"))
    booked = {"model": "other", "version": 1, "name": "other_1", "memory": 100, "state": "available"}
    await api.store.create(SERVER_REPLICAS, row(booked))


def test_why_of_a_model_counts_what_is_booked():
    async def talk(api):
        await begin(api)
        return (await api.ask("GET", "/v1/why/model/iris?changes=false")).json

    found = run(talk)
    assert found["verdict"] == "waiting"
    (server,) = found["servers"]
    (replica,) = server["replicas"]
    assert replica["rejections"][0]["code"] == "memory-short"
    assert (replica["rejections"][0]["needed"], replica["rejections"][0]["free"]) == (150, 100)


def test_plan_of_models_against_the_store():
    async def talk(api):
        await begin(api)
        sizes = ("100Mi", "101Mi")
        return [(await api.ask("POST", "/v1/plan", {"workloads": [model("new", each)]})).json for each in sizes]

    fits, waits = run(talk)
    assert (fits["verdict"], fits["server"], waits["verdict"]) == ("fits", "mlserver", "waiting")


def test_servers_of_other_namespaces_do_not_count():
    async def talk(api):
        await begin(api)
        document = model("new", "1Mi")
        document["metadata"]["namespace"] = "team"
        return (await api.ask("POST", "/v1/plan", {"workloads": [document]})).json

    assert run(talk)["verdict"] == "infeasible"

"""What workers ask of the server."""

import pytest

from bayplan.api.access.roles import Role, User
from bayplan.manifests.marks import ENDPOINT, RUNTIME, WORKER_ID
from served_api import ServedApi, run

NODE = {"metadata": {"labels": {"zone": "a"}}, "status": {"capacity": {"cpu": "2"}}}


async def registered(api: ServedApi, name="w", identity="one"):
    return await api.ask("POST", f"/v1/workers/{name}", {"id": identity, "node": NODE})


async def bound(api: ServedApi, name="p", node="w"):
    pod = {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    await api.ask("POST", "/api/v1/namespaces/default/pods", {"apiVersion": "v1", "kind": "Pod", **pod})
    await api.ask("POST", f"/api/v1/namespaces/default/pods/{name}/binding", {"target": {"name": node}})
    return (await api.ask("GET", f"/api/v1/namespaces/default/pods/{name}")).json


def report(pod, **more):
    metadata = pod["metadata"]
    return {key: metadata[key] for key in ("namespace", "name", "uid")} | more


def test_a_worker_registers_as_a_node_that_is_ready():
    async def talk(api):
        answer = await registered(api)
        node = (await api.ask("GET", "/api/v1/nodes/w")).json

        assert answer.status == 200
        assert node["metadata"]["labels"] == {"zone": "a", RUNTIME: "process"}
        assert node["metadata"]["annotations"] == {WORKER_ID: "one"}
        assert node["status"]["capacity"] == {"cpu": "2"}
        assert [each["status"] for each in node["status"]["conditions"]] == ["True"]

    run(talk)


def test_the_same_worker_takes_its_node_over_and_leaves_what_users_set():
    async def talk(api):
        await registered(api)
        patch = {"metadata": {"labels": {"team": "x"}}, "spec": {"unschedulable": True}}
        await api.ask("PATCH", "/api/v1/nodes/w", patch, media="application/merge-patch+json")

        answer = await registered(api)
        node = (await api.ask("GET", "/api/v1/nodes/w")).json

        assert answer.status == 200
        assert node["metadata"]["labels"]["team"] == "x"
        assert node["spec"]["unschedulable"] is True

    run(talk)


def test_another_worker_of_the_same_name_is_refused():
    async def talk(api):
        await registered(api)

        answer = await registered(api, identity="two")

        assert answer.status == 409
        assert "another worker of this name may be running" in answer.json["message"]
        assert "--name" in answer.json["message"]

    run(talk)


def test_a_node_of_another_sort_is_not_taken_over():
    async def talk(api):
        await api.ask("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "w"}})

        answer = await registered(api)

        assert answer.status == 409
        assert "runtime is 'none'" in answer.json["message"]

    run(talk)


def test_heartbeats_write_nothing():
    async def talk(api):
        await registered(api)
        before = (await api.ask("GET", "/api/v1/nodes/w")).json["metadata"]["resourceVersion"]

        first = await api.ask("POST", "/v1/workers/w/heartbeat", {"id": "one"})
        second = await api.ask("POST", "/v1/workers/w/heartbeat", {"id": "one"})

        assert [each.json["resync"] for each in (first, second)] == [True, False]
        assert (await api.ask("GET", "/api/v1/nodes/w")).json["metadata"]["resourceVersion"] == before

    run(talk)


HEARTBEATS = {"no such node": ("x", "one", 404), "another worker's": ("w", "two", 409)}


@pytest.mark.parametrize(("name", "identity", "code"), HEARTBEATS.values(), ids=HEARTBEATS)
def test_heartbeats_that_are_refused(name, identity, code):
    async def talk(api):
        await registered(api)

        assert (await api.ask("POST", f"/v1/workers/{name}/heartbeat", {"id": identity})).status == code

    run(talk)


def test_statuses_are_merged_into_what_others_wrote():
    async def talk(api):
        await registered(api)
        pod = await bound(api)
        ready = {"type": "Ready", "status": "True"}
        status = {"phase": "Running", "podIP": "127.0.0.1", "conditions": [ready], "nominatedNodeName": "x"}

        told = {"pods": [report(pod, status=status, endpoint="http://127.0.0.1:5")]}
        answer = await api.ask("POST", "/v1/workers/w/pods", told)
        new = (await api.ask("GET", "/api/v1/namespaces/default/pods/p")).json

        assert answer.json["pods"] == [{"uid": pod["metadata"]["uid"]}]
        assert new["status"]["phase"] == "Running"
        assert {each["type"] for each in new["status"]["conditions"]} == {"PodScheduled", "Ready"}
        assert new["metadata"]["annotations"][ENDPOINT] == "http://127.0.0.1:5"
        assert "nominatedNodeName" not in new["status"]

    run(talk)


def test_a_worker_speaks_of_its_own_pods_alone():
    async def talk(api):
        await registered(api)
        await registered(api, "v", "other")
        pod = await bound(api, node="v")

        answer = await api.ask("POST", "/v1/workers/w/pods", {"pods": [report(pod, status={"phase": "Failed"})]})

        assert answer.json["pods"] == [{"uid": pod["metadata"]["uid"], "gone": True}]
        left = (await api.ask("GET", "/api/v1/namespaces/default/pods/p")).json
        assert left["status"]["phase"] != "Failed"

    run(talk)


def test_a_pod_is_gone_only_if_it_is_being_deleted():
    async def talk(api):
        await registered(api)
        pod = await bound(api)
        gone = {"pods": [report(pod, gone=True, status={"phase": "Running"})]}

        await api.ask("POST", "/v1/workers/w/pods", gone)
        assert (await api.ask("GET", "/api/v1/namespaces/default/pods/p")).status == 200
        await api.ask("DELETE", "/api/v1/namespaces/default/pods/p")
        answer = await api.ask("POST", "/v1/workers/w/pods", gone)

        assert answer.json["pods"] == [{"uid": pod["metadata"]["uid"], "gone": True}]
        assert (await api.ask("GET", "/api/v1/namespaces/default/pods/p")).status == 404

    run(talk)


@pytest.mark.parametrize("path", ["/v1/workers/w", "/v1/workers/w/heartbeat", "/v1/workers/w/pods"])
def test_only_an_administrator_or_the_worker_itself_may_ask(path):
    async def talk(api):
        for user in (User("e", Role.EDITOR), User("t", Role.ADMIN, ("team",))):
            assert (await api.ask("POST", path, {"id": "one", "node": NODE}, user=user)).status == 403

    run(talk)


def test_broken_reports_are_refused():
    async def talk(api):
        await registered(api)
        for body in ({"pods": {}}, {"pods": [1]}, {"pods": [{"name": 1}]}, {"events": "x"}):
            assert (await api.ask("POST", "/v1/workers/w/pods", body)).status == 400
        assert (await api.ask("POST", "/v1/workers/w", {"id": 1})).status == 400

    run(talk)


ENVIRONMENT = [
    {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "m", "key": "a"}}},
    {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
    {"name": "O", "valueFrom": {"secretKeyRef": {"name": "none", "key": "k", "optional": True}}},
    {"name": "X", "valueFrom": {"secretKeyRef": {"name": "s", "key": "none"}}},
]


def test_variables_from_config_maps_and_secrets():
    async def talk(api):
        await registered(api)
        for kind, plural, data in (("ConfigMap", "configmaps", {"a": "1"}), ("Secret", "secrets", {"k": "czM="})):
            body = {"apiVersion": "v1", "kind": kind, "metadata": {"name": kind[0].lower().replace("c", "m")}}
            await api.ask("POST", f"/api/v1/namespaces/default/{plural}", {**body, "data": data})
        container = {
            "name": "c",
            "image": "i",
            "env": ENVIRONMENT,
            "envFrom": [{"prefix": "P_", "configMapRef": {"name": "m"}}],
        }
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}}
        await api.ask("POST", "/api/v1/namespaces/default/pods", pod)
        asked = "/v1/workers/w/environment?namespace=default&pod=p"
        assert (await api.ask("GET", asked)).status == 404
        await api.ask("POST", "/api/v1/namespaces/default/pods/p/binding", {"target": {"name": "w"}})

        answer = (await api.ask("GET", asked)).json

        assert answer["containers"] == {"c": {"A": "1", "S": "s3", "P_a": "1"}}
        assert answer["missing"] == {"c": ["secrets 's' has no key 'none'"]}
        assert (await api.ask("GET", asked, user=User("v", Role.WORKER))).status == 403
        assert (await api.ask("GET", asked, user=User("w", Role.WORKER))).status == 200

    run(talk)


OF_A_WORKER = {
    "its pods": ("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dw", 200),
    "its node": ("GET", "/api/v1/nodes/w", 200),
    "all pods": ("GET", "/api/v1/pods", 403),
    "pods of another node": ("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dv", 403),
    "pods that are not on its node": ("GET", "/api/v1/pods?fieldSelector=spec.nodeName%21%3Dw", 403),
    "one pod": ("GET", "/api/v1/namespaces/default/pods/p", 403),
    "secrets": ("GET", "/api/v1/namespaces/default/secrets", 403),
    "all nodes": ("GET", "/api/v1/nodes", 403),
    "writes": ("POST", "/api/v1/namespaces/default/pods", 403),
    "logs": ("GET", "/api/v1/namespaces/default/pods/p/log", 403),
    "the ledger": ("GET", "/v1/ledger", 403),
    "the doctor": ("GET", "/v1/doctor", 403),
    "why": ("GET", "/v1/why/pods/p", 403),
    "a plan": ("POST", "/v1/plan", 403),
    "tokens": ("GET", "/v1/tokens", 403),
    "a backup": ("POST", "/v1/backup", 403),
    "metrics": ("GET", "/metrics", 403),
}


@pytest.mark.parametrize(("method", "path", "code"), OF_A_WORKER.values(), ids=OF_A_WORKER)
def test_what_the_token_of_a_worker_may_do(method, path, code):
    async def talk(api):
        await registered(api)

        answer = await api.ask(method, path, {} if method == "POST" else None, user=User("w", Role.WORKER))

        assert answer.status == code

    run(talk)

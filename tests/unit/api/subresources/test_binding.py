"""Binding: a Pod gets its node."""

from served_api import run
from unit.api.objects import PODS, pod, post


def binding(worker, **metadata):
    target = {"kind": "Node", "name": worker}
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p", **metadata}, "target": target}


def test_a_pod_is_bound_once_and_takes_the_annotations():
    async def talk(api):
        await post(api, PODS, pod())
        wrong = await api.ask("POST", f"{PODS}/p/binding", binding("n", uid="another"))
        first = await api.ask("POST", f"{PODS}/p/binding", binding("n", annotations={"a": "b"}))
        second = await api.ask("POST", f"{PODS}/p/binding", binding("n"))
        return wrong.status, first.status, second.status, (await api.ask("GET", f"{PODS}/p")).json

    wrong, first, second, bound = run(talk)
    assert (wrong, first, second) == (409, 201, 409)
    assert bound["spec"]["nodeName"] == "n"
    assert bound["metadata"]["annotations"]["a"] == "b"


def test_a_binding_without_a_node_is_refused():
    async def talk(api):
        await post(api, PODS, pod())
        return await api.ask("POST", f"{PODS}/p/binding", {"metadata": {"name": "p"}, "target": {"kind": "Server"}})

    answer = run(talk)
    assert answer.status == 422
    assert [each["field"] for each in answer.json["details"]["causes"]] == ["target.name", "target.kind"]


def test_a_dry_run_refuses_what_a_bind_would_and_writes_nothing():
    async def talk(api):
        await post(api, PODS, pod())
        url = f"{PODS}/p/binding?dryRun=All"
        tried = [(await api.ask("POST", url, binding("n", **said))).status for said in ({}, {"uid": "another"})]
        tried.append((await api.ask("POST", f"{PODS}/missing/binding?dryRun=All", binding("n"))).status)
        return tried, (await api.ask("GET", f"{PODS}/p")).json["spec"].get("nodeName")

    assert run(talk) == ([201, 409, 404], None)

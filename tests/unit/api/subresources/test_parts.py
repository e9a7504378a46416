"""Scale, binding, eviction and log."""

from served_api import run
from unit.api.objects import PODS, deployment, pod, post

MERGE = "application/merge-patch+json"
SCALE = "/apis/apps/v1/namespaces/default/deployments/d/scale"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"


def test_scale_is_read_and_written():
    async def talk(api):
        await post(api, SCALE.removesuffix("/d/scale"), deployment())
        read = (await api.ask("GET", SCALE)).json
        put = await api.ask("PUT", SCALE, {**read, "spec": {"replicas": 5}})
        stale = await api.ask("PUT", SCALE, {**read, "spec": {"replicas": 6}})
        patched = await api.ask("PATCH", SCALE, {"spec": {"replicas": 4}}, media=MERGE)
        bad = await api.ask("PATCH", SCALE, {"spec": {"replicas": -1}}, media=MERGE)
        whole = await api.ask("GET", SCALE.removesuffix("/scale"))
        return read, put, stale, patched, bad, whole

    read, put, stale, patched, bad, whole = run(talk)
    assert (read["kind"], read["spec"], read["status"]["selector"]) == ("Scale", {"replicas": 2}, "app=d")
    assert put.json["spec"] == {"replicas": 5}
    assert stale.status == 409
    assert patched.json["spec"] == {"replicas": 4}
    assert bad.status == 422
    assert whole.json["spec"]["replicas"] == 4


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


def budget(**spec):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"selector": {"matchLabels": {"app": "x"}}, **spec},
    }


def evicted(pods, *budgets):
    """Create ready and other Pods of a Deployment, evict them one by one, and return the statuses."""

    async def talk(api):
        (owner,) = await post(api, SCALE.removesuffix("/d/scale"), deployment(replicas=len(pods)))
        await post(api, BUDGETS, *budgets)
        statuses = []
        for number, ready in enumerate(pods):
            document = pod(f"p{number}", labels={"app": "x"})
            reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": owner["metadata"]["uid"]}
            document["metadata"]["ownerReferences"] = [reference | {"controller": True}]
            await post(api, PODS, document)
            status = {"status": {"conditions": [{"type": "Ready", "status": str(ready)}]}}
            await api.ask("PATCH", f"{PODS}/p{number}/status", status, media=MERGE)
        for number in range(len(pods)):
            answer = await api.ask("POST", f"{PODS}/p{number}/eviction", {"metadata": {"name": f"p{number}"}})
            statuses.append(answer.status)
        return statuses

    return run(talk)


def test_evictions_without_a_budget():
    assert evicted([True, True]) == [201, 201]


def test_a_budget_keeps_its_minimum():
    assert evicted([True, True, True], budget(minAvailable=2)) == [201, 429, 429]


def test_a_budget_of_percent_is_rounded_up():
    assert evicted([True, True, True], budget(minAvailable="50%")) == [201, 429, 429]


def test_a_budget_of_unavailable_pods():
    assert evicted([True, True, True], budget(maxUnavailable=1)) == [201, 429, 429]


def test_a_pod_that_is_not_ready_may_go_while_the_others_are_enough():
    assert evicted([False, True], budget(minAvailable=1)) == [201, 429]


def test_log_says_what_a_pod_waits_for():
    async def talk(api):
        await post(api, PODS, pod())
        return [await api.ask("GET", f"{PODS}/p/log{query}") for query in ("", "?container=z")]

    answers = run(talk)
    assert [each.status for each in answers] == [400, 400]
    assert "waiting to start: it has no node yet" in answers[0].json["message"]
    assert "container z is not valid" in answers[1].json["message"]

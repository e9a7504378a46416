"""Eviction: a Pod goes if every budget allows it."""

import pytest

from served_api import run
from unit.api.objects import PODS, deployment, pod, post

MERGE = "application/merge-patch+json"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


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
        (owner,) = await post(api, DEPLOYMENTS, deployment(replicas=len(pods)))
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


OPTIONS = {
    "a text as grace": ({"gracePeriodSeconds": "x"}, 422),
    "a grace beyond all time": ({"gracePeriodSeconds": 10**18}, 422),
    "less than no grace": ({"gracePeriodSeconds": -1}, 422),
    "another Pod is meant": ({"preconditions": {"uid": "another"}}, 409),
    "no object": ([1], 400),
    "a dry run": ({"dryRun": ["All"]}, 201),
    "with grace": ({"gracePeriodSeconds": 30}, 201),
}


@pytest.mark.parametrize(("options", "status"), OPTIONS.values(), ids=OPTIONS)
def test_options_of_the_deletion(options, status):
    async def talk(api):
        await post(api, PODS, pod(nodeName="n"))
        answer = await api.ask("POST", f"{PODS}/p/eviction", {"metadata": {"name": "p"}, "deleteOptions": options})
        return answer.status, (await api.ask("GET", f"{PODS}/p")).json["metadata"].get("deletionGracePeriodSeconds")

    assert run(talk) == (status, 30 if "gracePeriodSeconds" in options and status == 201 else None)

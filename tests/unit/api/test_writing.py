"""POST, PUT, PATCH and DELETE of objects."""

from served_api import run
from unit.api.objects import NODES, PODS, deployment, node, pod, post

MERGE = "application/merge-patch+json"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def test_a_name_is_taken_once():
    async def talk(api):
        await post(api, PODS, pod())
        return await api.ask("POST", PODS, pod())

    answer = run(talk)
    assert (answer.status, answer.json["reason"]) == (409, "AlreadyExists")
    assert answer.json["message"] == 'pods "p" already exists'


def test_a_namespace_that_is_not_there():
    async def talk(api):
        return await api.ask("POST", "/api/v1/namespaces/none/pods", pod())

    answer = run(talk)
    assert (answer.status, answer.json["message"]) == (404, 'namespaces "none" not found')


def test_a_name_is_made_from_its_beginning():
    async def talk(api):
        document = pod() | {"metadata": {"generateName": "p-"}}
        return await post(api, PODS, document, document)

    one, other = (each["metadata"]["name"] for each in run(talk))
    assert one != other
    assert one.startswith("p-")


def test_an_update_with_an_old_revision_is_refused():
    async def talk(api):
        (made,) = await post(api, NODES, node())
        newer = {**made, "metadata": {**made["metadata"], "labels": {"a": "b"}}}
        first = await api.ask("PUT", f"{NODES}/n", newer)
        second = await api.ask("PUT", f"{NODES}/n", newer | {"spec": {"unschedulable": True}})
        return first.status, second

    first, second = run(talk)
    assert (first, second.status, second.json["reason"]) == (200, 409, "Conflict")
    assert second.json["message"].startswith('Operation cannot be fulfilled on nodes "n": the object has been modified')


def test_the_generation_counts_changes_of_the_spec_alone():
    async def talk(api):
        await post(api, DEPLOYMENTS, deployment())
        patches = ({"metadata": {"labels": {"a": "b"}}}, {"spec": {"replicas": 3}})
        answers = [await api.ask("PATCH", f"{DEPLOYMENTS}/d", each, media=MERGE) for each in patches]
        status = await api.ask("PATCH", f"{DEPLOYMENTS}/d/status", {"status": {"replicas": 1}}, media=MERGE)
        return [each.json["metadata"]["generation"] for each in (*answers, status)], status.json["status"]["replicas"]

    assert run(talk) == ([1, 2, 2], 1)


def test_owners_of_fields():
    async def talk(api):
        await post(api, DEPLOYMENTS, deployment())
        config = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 7}}
        url, media = f"{DEPLOYMENTS}/d?fieldManager=other", "application/apply-patch+yaml"
        refused = await api.ask("PATCH", url, config, media=media)
        forced = await api.ask("PATCH", f"{url}&force=true", config, media=media)
        return refused, forced

    refused, forced = run(talk)
    assert refused.status == 409
    assert [each["field"] for each in refused.json["details"]["causes"]] == [".spec.replicas"]
    assert '"tests"' in refused.json["message"]
    assert forced.json["spec"]["replicas"] == 7


def test_an_object_that_is_applied_first_is_created():
    async def talk(api):
        url = f"{DEPLOYMENTS}/d?fieldManager=m"
        media = "application/apply-patch+yaml"
        first = await api.ask("PATCH", url, deployment(), media=media)
        again = await api.ask("PATCH", url, deployment(), media=media)
        return first.status, again.status, first.json["metadata"] == again.json["metadata"]

    assert run(talk) == (201, 200, True)


def test_custom_kinds_take_no_strategic_patch():
    async def talk(api):
        url = "/apis/neuronetes.io/v1alpha1/namespaces/default/agentpools/p"
        return await api.ask("PATCH", url, {}, media="application/strategic-merge-patch+json")

    assert run(talk).status == 415


def test_delete_answers_what_is_gone():
    async def talk(api):
        (made,) = await post(api, PODS, pod())
        answer = await api.ask("DELETE", f"{PODS}/p")
        return made, answer, (await api.ask("DELETE", f"{PODS}/p")).status

    made, answer, again = run(talk)
    assert answer.json["kind"] == "Pod"
    assert answer.json["metadata"]["uid"] == made["metadata"]["uid"]
    assert again == 404


def test_delete_of_most_kinds_answers_a_status():
    url = "/api/v1/namespaces/default/configmaps"

    async def talk(api):
        (made,) = await post(api, url, {"metadata": {"name": "c"}})
        return made, await api.ask("DELETE", f"{url}/c")

    made, answer = run(talk)
    assert answer.json["status"] == "Success"
    assert answer.json["details"]["uid"] == made["metadata"]["uid"]


def test_a_finalizer_holds_an_object_back():
    async def talk(api):
        held = pod() | {"metadata": {"name": "p", "finalizers": ["x.io/y"]}}
        await post(api, PODS, held)
        answer = await api.ask("DELETE", f"{PODS}/p")
        still = await api.ask("GET", f"{PODS}/p")
        await api.ask("PATCH", f"{PODS}/p", {"metadata": {"finalizers": None}}, media=MERGE)
        return answer.json, still.status, (await api.ask("GET", f"{PODS}/p")).status

    answer, still, after = run(talk)
    assert answer["kind"] == "Pod"
    assert answer["metadata"]["deletionTimestamp"]
    assert (still, after) == (200, 404)


def test_a_precondition_refuses():
    async def talk(api):
        await post(api, PODS, pod())
        answer = await api.ask("DELETE", f"{PODS}/p", {"preconditions": {"uid": "another"}})
        return answer.status, (await api.ask("GET", f"{PODS}/p")).status

    assert run(talk) == (409, 200)


def test_a_collection_is_deleted_by_selection():
    async def talk(api):
        await post(api, PODS, pod("a", labels={"app": "x"}), pod("b", labels={"app": "y"}))
        await api.ask("DELETE", f"{PODS}?labelSelector=app%3Dx")
        return [each["metadata"]["name"] for each in (await api.ask("GET", PODS)).json["items"]]

    assert run(talk) == ["b"]


def test_options_of_deletion_that_make_no_sense():
    async def talk(api):
        await post(api, PODS, pod())
        bodies = ({"gracePeriodSeconds": -1}, {"propagationPolicy": "Sideways"}, [])
        return [(await api.ask("DELETE", f"{PODS}/p", each)).status for each in bodies]

    assert run(talk) == [422, 422, 400]

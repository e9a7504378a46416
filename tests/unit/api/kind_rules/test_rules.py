"""Definitions of kinds, kinds that nothing acts on, and refusals, through the API."""

from served_api import run
from unit.api.objects import PODS, deployment, pod, post

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PIPELINES = "/apis/mlops.seldon.io/v1alpha1/namespaces/default/pipelines"
MERGE = "application/merge-patch+json"


def definition(group="neuronetes.io", kind="AgentPool"):
    plural = kind.lower() + "s"
    names = {"plural": plural, "kind": kind}
    versions = [{"name": "v1alpha1", "served": True, "storage": True}]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "names": names, "scope": "Namespaced", "versions": versions},
    }


def condition(document, kind="Unsupported"):
    found = [each for each in document.get("status", {}).get("conditions", []) if each["type"] == kind]
    return found[0] if found else None


def test_a_definition_of_a_known_group_is_established():
    answer = run(lambda api: api.ask("POST", DEFINITIONS, definition()))

    assert answer.status == 201
    assert condition(answer.json, "Established")["status"] == "True"
    assert answer.json["status"]["storedVersions"] == ["v1alpha1"]
    assert answer.warnings == [
        "the kinds of neuronetes.io are built in; this definition of AgentPool is kept and changes nothing"
    ]


def test_a_kind_of_a_known_group_that_is_not_built_in_is_not_established():
    answer = run(lambda api: api.ask("POST", DEFINITIONS, definition(kind="Starship")))

    assert answer.status == 201
    assert condition(answer.json, "Established")["status"] == "False"
    assert "Starship is not among them" in answer.warnings[0]


def test_a_definition_of_another_group_is_refused():
    answer = run(lambda api: api.ask("POST", DEFINITIONS, definition("example.com")))

    assert answer.status == 422
    assert answer.json["details"]["causes"][0]["field"] == "spec.group"


def test_a_kind_that_nothing_acts_on():
    document = {"apiVersion": "mlops.seldon.io/v1alpha1", "kind": "Pipeline", "metadata": {"name": "p"}, "spec": {}}

    answer = run(lambda api: api.ask("POST", PIPELINES, document))

    assert condition(answer.json)["reason"] == "NotActedOn"
    assert answer.warnings == ["Pipeline is kept, but nothing acts on it: data does not flow between models here"]


def test_what_is_left_out_follows_the_changes_of_a_job():
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}}

    async def talk(api):
        (made,) = await post(api, JOBS, {**job, "spec": {"template": template, "backoffLimit": 3}})
        with_field = await api.ask("PATCH", f"{JOBS}/j", {"spec": {"podReplacementPolicy": "Failed"}}, media=MERGE)
        without = await api.ask("PATCH", f"{JOBS}/j", {"spec": {"podReplacementPolicy": None}}, media=MERGE)
        return made, with_field.json, without.json

    made, with_field, without = run(talk)
    assert condition(made) is None
    assert condition(with_field)["message"] == "nothing acts on spec.podReplacementPolicy"
    assert condition(without) is None


def test_what_controllers_follow_is_not_left_out():
    followed = deployment()
    followed["spec"] |= {"minReadySeconds": 9, "strategy": {"type": "Recreate"}, "progressDeadlineSeconds": 60}

    (made,) = run(lambda api: post(api, DEPLOYMENTS, followed))

    assert condition(made) is None


def test_refusals_name_objects_as_clients_do():
    async def talk(api):
        await post(api, PODS, pod())
        stale = pod(labels={"a": "b"})
        stale["metadata"]["resourceVersion"] = "1"
        return [
            await api.ask("POST", PODS, pod()),
            await api.ask("PUT", f"{PODS}/p", stale),
            await api.ask("GET", f"{PODS}/other"),
            await api.ask("POST", "/api/v1/namespaces/nowhere/pods", pod()),
            await api.ask("DELETE", "/api/v1/namespaces/default"),
        ]

    modified = "the object has been modified; please apply your changes to the latest version and try again"
    assert [(each.status, each.json["reason"], each.json["message"]) for each in run(talk)] == [
        (409, "AlreadyExists", 'pods "p" already exists'),
        (409, "Conflict", f'Operation cannot be fulfilled on pods "p": {modified}'),
        (404, "NotFound", 'pods "other" not found'),
        (404, "NotFound", 'namespaces "nowhere" not found'),
        (403, "Forbidden", 'namespaces "default" is forbidden: this namespace may not be deleted'),
    ]


def test_a_binding_of_an_older_version_is_a_conflict():
    async def talk(api):
        (made,) = await post(api, PODS, pod())
        await api.ask("PATCH", f"{PODS}/p", {"metadata": {"labels": {"a": "b"}}}, media=MERGE)
        wish = {
            "metadata": {"name": "p", "resourceVersion": made["metadata"]["resourceVersion"]},
            "target": {"name": "n"},
        }
        return await api.ask("POST", f"{PODS}/p/binding", wish)

    assert run(talk).status == 409


def test_an_old_schema_in_protobuf():
    accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"

    answer = run(lambda api: api.ask("GET", "/openapi/v2", accept=accept))

    assert answer.body == b"\x0a\x032.0"


def test_pages_hold_their_revision():
    answer = run(lambda api: api.ask("GET", f"{PODS}?continue=x&resourceVersion=5"))

    assert answer.status == 400

"""Our own verbs over the objects of the store."""

from bayplan.api.access.roles import Role, User
from served_api import run
from unit.api.objects import NODES, PODS, gpu_pod, node, post

TEAM = User("t", Role.ADMIN, ("team",))


def test_plan_against_the_store():
    async def talk(api):
        await post(api, NODES, node(cards=2))
        fits = await api.ask("POST", "/v1/plan", {"workloads": [gpu_pod("a", 2)]})
        not_ = await api.ask("POST", "/v1/plan", {"workloads": [gpu_pod("a", 3)]})
        return fits.json, not_.json

    fits, not_ = run(talk)
    assert (fits["verdict"], fits["replicas"][0]["workers"][0]["worker"]) == ("fits", "n")
    assert not_["verdict"] == "infeasible"


def test_plan_of_nonsense():
    async def talk(api):
        bodies = ({}, {"workloads": [gpu_pod()], "sede": 1}, {"workloads": [{"kind": "Nonsense"}]})
        return [(await api.ask("POST", "/v1/plan", each)).status for each in bodies]

    assert run(talk) == [400, 400, 422]


def test_why_of_an_object():
    async def talk(api):
        await post(api, NODES, node(cards=1))
        await post(api, PODS, gpu_pod("p", 4))
        found = await api.ask("GET", "/v1/why/pod/p?changes=false")
        return found.json, (await api.ask("GET", "/v1/why/pod/q")).status, (await api.ask("GET", "/v1/why/x/q")).status

    found, missing, unknown = run(talk)
    assert found["workers"][0]["rejections"][0]["code"] == "gpu-count-short"
    assert (missing, unknown) == (404, 400)


def test_what_is_held():
    async def talk(api):
        await post(api, NODES, node())
        await post(api, PODS, gpu_pod("held", 2), gpu_pod("waits"))
        await api.ask("POST", f"{PODS}/held/binding", {"metadata": {"name": "held"}, "target": {"name": "n"}})
        urls = ("/v1/ledger", "/v1/gpus?holders=true")
        return [(await api.ask("GET", url)).json for url in urls]

    ledger, gpus = run(talk)
    assert [each["workload"] for each in ledger["bookings"]] == ["held"]
    assert gpus["total"]["cards"] == 8
    assert gpus["total"]["whole"] == 6


def test_the_whole_cluster_is_for_tokens_of_all_namespaces():
    async def talk(api):
        urls = ("/v1/gpus", "/v1/queue", "/v1/ledger", "/v1/records", "/v1/tokens", "/v1/why/pod/p")
        return [(await api.ask("GET", url, user=TEAM)).status for url in urls]

    assert run(talk) == [403] * 6


def test_without_a_scheduler_there_is_no_queue_and_there_are_no_records():
    async def talk(api):
        asked = [await api.ask("GET", url) for url in ("/v1/records", "/v1/records/x", "/v1/snapshot")]
        return (await api.ask("GET", "/v1/queue")).json, [each.status for each in asked]

    assert run(talk) == ({"kind": "Queue", "items": []}, [409, 409, 409])


def test_why_of_workloads_that_are_not_stored():
    async def talk(api):
        await post(api, NODES, node(cards=1))
        found = await api.ask("POST", "/v1/why", {"workloads": [gpu_pod("p", 4)], "worker": "n"})
        unknown = await api.ask("POST", "/v1/why", {"workloads": [gpu_pod("p", 4)], "order": "queue"})
        return found.json, unknown.status

    found, unknown = run(talk)
    assert found["workers"][0]["rejections"][0]["code"] == "gpu-count-short"
    assert unknown == 400


def test_the_doctor_checks_the_invariants():
    async def talk(api):
        await post(api, NODES, node(cards=1))
        await post(api, PODS, *(gpu_pod(name, 1) for name in ("a", "b")))
        for name in ("a", "b"):
            await api.ask("POST", f"{PODS}/{name}/binding", {"metadata": {"name": name}, "target": {"name": "n"}})
        return (await api.ask("GET", "/v1/doctor")).json, (await api.ask("GET", "/v1/doctor", user=TEAM)).status

    found, refused = run(talk)
    assert len(found["invariants"]) == 13
    assert found["store"]["ok"]
    assert {each["id"]: each["violations"] for each in found["invariants"] if each["ok"] is False} == {
        "I1": ["worker n: 2 nvidia.com/gpu are assigned, it has 1"]
    }
    assert refused == 403


def test_a_store_in_memory_has_no_backup_and_only_an_admin_may_ask():
    async def talk(api):
        editor = User("e", Role.EDITOR)
        return [
            (await api.ask("POST", "/v1/backup", user=user)).status for user in (User("a", Role.ADMIN), editor, TEAM)
        ]

    assert run(talk) == [409, 403, 403]


def test_a_tenant_is_told_what_others_hold_without_their_names():
    async def talk(api):
        for name in ("team", "hush"):
            await api.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        await post(api, NODES, node(cards=2))
        theirs, ours = PODS.replace("default", "hush"), PODS.replace("default", "team")
        await post(api, theirs, gpu_pod("hush-job", 2))
        binding = {"metadata": {"name": "hush-job"}, "target": {"name": "n"}}
        await api.ask("POST", f"{theirs}/hush-job/binding", binding)
        await post(api, ours, gpu_pod("mine", 1))
        url = "/v1/why/pod/mine?namespace=team"
        return [(await api.ask("GET", url, user=user)) for user in (TEAM, User("a", Role.ADMIN))]

    tenant, admin = run(talk)
    assert [each["workload"] for each in admin.json["workers"][0]["held_by"]] == ["hush-job"]
    assert [each["workload"] for each in tenant.json["workers"][0]["held_by"]] == ["workload-1"]
    assert tenant.json["verdict"] == admin.json["verdict"]
    assert b"hush" not in tenant.body

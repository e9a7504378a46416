import asyncio
import json

from bayplan.control.collections import PODS, WORKLOADS
from bayplan.library.plan import plan
from bayplan.library.replay import replay
from bayplan.stores.sqlite.record_archive import RecordArchive
from served_api import run
from unit.api.verbs.running_control import controlled
from unit.control.scheduling.scheduler import pod, worker, workload


def test_the_records_of_a_system_that_runs(tmp_path):
    async def talk():
        async with controlled(worker("a"), worker("b"), archive=RecordArchive(tmp_path)) as api:
            for name in ("p", "q"):
                await api.store.create(PODS, pod(name))
                await api.placed(name)
            listed = (await api.ask("GET", "/v1/records")).json
            one = (await api.ask("GET", "/v1/records?limit=1")).json
            first = listed["items"][0]["id"]
            plain = (await api.ask("GET", f"/v1/records/{first}")).json
            whole = (await api.ask("GET", f"/v1/records/{first}?inputs=true")).json
            return listed, one, plain, whole

    listed, one, plain, whole = asyncio.run(talk())

    assert [each["object"]["name"] for each in listed["items"]] == ["q", "p"]
    assert all("plan" not in each for each in listed["items"])
    assert one["items"] == listed["items"][:1]
    assert plain["outcome"] == "bound"
    assert plain["plan"]["replicas"]
    assert "inputs" not in plain
    assert replay(json.loads(json.dumps(whole)))["same"]


def test_records_that_are_asked_for_wrongly():
    async def talk():
        async with controlled(worker("a")) as api:
            urls = ("?limit=0", "?limit=1001", "?limit=x", "?limit=-1", "/9-9", "/%2e%2e", "/9-9?inputs=true")
            return [(await api.ask("GET", f"/v1/records{url}")) for url in urls]

    answers = asyncio.run(talk())

    assert [each.status for each in answers] == [400, 400, 400, 400, 404, 404, 404]
    assert "there is no record '9-9'; GET /v1/records lists them" in answers[4].json["message"]


def test_without_a_scheduler_there_are_no_records():
    async def talk(api):
        return [(await api.ask("GET", url)).status for url in ("/v1/records", "/v1/records/1-1", "/v1/snapshot")]

    assert run(talk) == [409, 409, 409]


def test_a_snapshot_gives_the_same_plans_elsewhere():
    asked = workload("next", 3, gpus=2)

    async def talk():
        async with controlled(worker("a", 4), worker("b", 8)) as api:
            await api.store.create(WORKLOADS, workload("chat", 2, gpus=3))
            async with asyncio.timeout(60):
                while len(api.control.scheduling.live.state.ledger.entries) < 2:
                    await asyncio.sleep(0.01)
            snapshot = (await api.ask("GET", "/v1/snapshot")).json
            return snapshot, (await api.ask("POST", "/v1/plan", {"workloads": [asked]})).json

    snapshot, there = asyncio.run(talk())
    here = plan(asked, snapshot)

    assert snapshot["kind"] == "Cluster"
    assert len(snapshot["bookings"]) == 2
    assert _places(here) == _places(there)
    assert here["verdict"] == there["verdict"]


def _places(document):
    return [(part["worker"], part["gpus"]) for each in document["replicas"] for part in each["workers"]]


def test_health_shows_a_scheduler_that_cannot_go_on():
    async def talk():
        async with controlled(worker("a")) as api:
            before = [(await api.ask("GET", path)).status for path in ("/livez", "/readyz", "/healthz")]
            api.control.scheduling._error = KeyError("a mistake")
            after = await api.ask("GET", "/livez")
            return before, after.status, after.body

    before, status, body = asyncio.run(talk())

    assert before == [200, 200, 200]
    assert (status, body) == (500, b"the scheduler fails: KeyError; see the log")


def test_questions_are_answered_by_the_configuration_in_effect():
    spread = {
        "apiVersion": "bayplan.io/v1alpha1", "kind": "SchedulerConfig", "metadata": {"name": "placement"},
        "scheduler": "placement", "plugins": [{"type": "spread"}, {"type": "max-score"}],
        "schedulingProfiles": [{"name": "pack", "plugins": [{"pluginRef": "spread"}, {"pluginRef": "max-score"}]}],
    }  # fmt: skip

    async def talk():
        async with controlled(worker("a"), worker("b")) as api:
            asked = {"workloads": [workload("chat", 2)]}
            before = (await api.ask("POST", "/v1/plan", asked)).json
            url = "/apis/bayplan.io/v1alpha1/schedulerconfigs"
            answer = await api.ask("POST", url, spread)
            assert answer.status == 201, answer.body
            async with asyncio.timeout(60):
                while api.control.records.config is None:
                    await asyncio.sleep(0.01)
            return before, (await api.ask("POST", "/v1/plan", asked)).json

    before, after = asyncio.run(talk())

    assert len({name for name, _ in _places(before)}) == 1
    assert len({name for name, _ in _places(after)}) == 2

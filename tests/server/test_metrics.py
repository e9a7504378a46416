"""The metrics of a real `bayplan up`."""

import json
import time

import pytest

from bayplan.manifests.marks import RUNTIME
from bayplan.telemetry.metrics.catalogue import ALL
from bayplan.telemetry.metrics.exposition import Style
from bayplan_up import RunningServer
from metrics_text import READERS, samples

WORKER = {"gpus": [{"index": number, "model": "L4", "memory": "24Gi"} for number in range(2)], "cpu": 16}
NODE = {
    "metadata": {"name": "n", "annotations": {"bayplan.io/worker": json.dumps(WORKER)}, "labels": {RUNTIME: "none"}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
}


def pod(name):
    limits = {"nvidia.com/gpu": "2"}
    containers = [{"name": "c", "image": "i", "resources": {"limits": limits}}]
    return {"metadata": {"name": name}, "spec": {"schedulerName": "bayplan", "containers": containers}}


def until(done):
    """Ask again until it is so; a loaded machine may take a while."""
    for _ in range(300):
        if done():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")


def series(server, name, **labels):
    return samples(scrape(server)).get((name, tuple(sorted(labels.items()))))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with RunningServer(tmp_path_factory.mktemp("metrics") / "data", "--log", "json") as server:
        for number in range(3):
            name = {"metadata": {"name": f"m{number}"}}
            server.request("POST", "/api/v1/namespaces/default/configmaps", {"data": {}, **name})
        server.request("GET", "/api/v1/namespaces/default/configmaps/none")
        server.request("GET", "/v1/gpus")
        server.request("POST", "/api/v1/nodes", NODE)
        for name in ("fits", "waits"):
            server.request("POST", "/api/v1/namespaces/default/pods", pod(name))
        until(lambda: series(server, "bayplan_decisions_total", profile="pack", result="waiting"))
        until(lambda: series(server, "bayplan_pods_bound_total"))
        yield server


def scrape(server, **headers):
    code, body = server.request("GET", "/metrics", **headers)
    assert code == 200, body
    return body.decode()


@pytest.mark.parametrize("style", Style, ids=lambda style: style.name.lower())
def test_every_metric_is_exported(server, style):
    families = {family.name: family.type for family in READERS[style](scrape(server, Accept=style.value))}

    assert families == {
        about.name.removesuffix("_total") if about.kind == "counter" else about.name: about.kind for about in ALL
    }


def test_requests_and_commits_are_counted(server):
    found = samples(scrape(server))

    def of(name, **labels):
        return found[name, tuple(sorted(labels.items()))]

    assert of("bayplan_api_requests_total", verb="create", resource="configmaps", code="201") == 3
    assert of("bayplan_api_requests_total", verb="get", resource="configmaps", code="404") == 1
    assert of("bayplan_api_request_duration_seconds_count", verb="get", resource="v1/gpus", code="200") == 1
    assert of("bayplan_store_writes_total") >= 3
    assert of("bayplan_store_revision") == of("bayplan_store_writes_total")
    assert of("process_resident_memory_bytes") > 0
    assert of("process_start_time_seconds") > 1_600_000_000


def test_decisions_the_ledger_and_nodes_are_told(server):
    assert series(server, "neuronetes_scheduler_attempts_total", profile="pack") >= 2
    assert series(server, "neuronetes_scheduler_success_total", profile="pack") == 1
    assert series(server, "neuronetes_scheduler_pending_pods", state="waiting") == 1
    assert series(server, "bayplan_refused_workers_total", code="gpu-count-short") >= 1
    assert series(server, "bayplan_gpus", model="L4", state="full") == 2
    assert series(server, "bayplan_gpu_memory_bytes", model="L4", state="booked") == 48 * 2**30
    assert series(server, "bayplan_nodes", status="ready") == 1
    assert series(server, "bayplan_pods", phase="Pending") == 2


def test_the_log_names_records_and_objects(server):
    found = [json.loads(line) for line in server.errors().splitlines()]
    (bound,) = [line for line in found if line["msg"] == "1 of 1 replicas bound"]
    refused = [line for line in found if line["msg"].startswith("waiting: ")]

    assert bound["object"] in ("pods default/fits", "pods default/waits")
    assert bound["record"]
    assert {line["object"] for line in refused} == {"pods default/fits", "pods default/waits"} - {bound["object"]}
    assert server.request("GET", f"/v1/records/{bound['record']}")[0] == 200


def test_viewers_may_scrape_and_strangers_may_not(server):
    _, answer = server.request("POST", "/v1/tokens", {"name": "prometheus", "role": "viewer"})
    token = answer.decode().split('"token":"')[1].split('"')[0]

    assert server.request("GET", "/metrics", Authorization=f"Bearer {token}")[0] == 200
    assert server.request("GET", "/metrics", Authorization="Bearer nobody")[0] == 401

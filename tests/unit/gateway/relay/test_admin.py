"""The port for operators."""

import json

from exposition import read_exposition
from unit.gateway.relay.scene import POST, run, scene, settings


def test_metrics_of_requests():
    async def scenario():
        async with scene() as found:
            await found.connect()
            await found.ask()
            await found.until(lambda: len(found.relay.service.connections) == 1)
            _, headers, body = await found.admin("/metrics")
            shown = read_exposition(body.decode())
            labels = {"model_name": "m", "target_model_name": "m", "fairness_id": "default-flow", "priority": "0"}

            assert headers[b"content-type"].startswith(b"text/plain; version=0.0.4")
            assert shown.value("llm_d_epp_request_total", **labels) == 1
            assert shown.value("llm_d_epp_request_duration_seconds_count", **labels) == 1
            assert shown.value("llm_d_epp_request_ttft_seconds_count", **labels, streaming="false") == 1
            assert shown.value("llm_d_epp_ready_endpoints") == 1
            assert shown.value("llm_d_epp_inflight_requests", endpoint_name="e0", namespace="default") == 0
            assert shown.value("bayplan_relay_endings_total", ending="completed") == 1
            assert shown.value("bayplan_relay_engine_connections", state="unused") == 1
            assert shown.value("bayplan_relay_connections") == 1

    run(scenario())


def test_errors_are_counted_by_status():
    async def scenario():
        async with scene() as found:
            await found.ask(POST.replace(b'{"model":"m"}', b'{"model":"m"!'))
            await found.ask(b"GET /a#b HTTP/1.1\r\nhost: x\r\n\r\n")
            shown = read_exposition((await found.admin("/metrics"))[2].decode())

            assert shown.value("llm_d_epp_request_error_total") == 1
            assert shown.value("bayplan_relay_refusals_total", status="400") == 1

    run(scenario())


def test_endpoints():
    async def scenario():
        async with scene() as found:
            await found.ask()
            document = json.loads((await found.admin("/endpoints"))[2])
            (endpoint,) = document["endpoints"]

            assert document["held"] == 0
            assert endpoint["name"] == "e0"
            assert endpoint["inflight"] == {"requests": 0, "tokens": 0}
            assert endpoint["metrics"] is None
            assert (endpoint["lately"]["answered"], endpoint["lately"]["failed"]) == (1, 0)

    run(scenario())


def test_health_and_what_is_not_there():
    async def scenario():
        async with scene() as found:
            assert (await found.admin("/healthz"))[2] == b"ok\n"
            assert (await found.admin("/readyz"))[2] == b"ok\n"
            assert (await found.admin("/x"))[0] == b"HTTP/1.1 404 Not Found"
            found.relay.service.is_draining = True
            assert (await found.admin("/readyz"))[0] == b"HTTP/1.1 503 Service Unavailable"
            line = await found.connect(found.admin_port)
            await line.send(POST)
            assert (await line.message())[0] == b"HTTP/1.1 405 Method Not Allowed"

    run(scenario())


def test_a_decision_on_demand():
    asked = POST.replace(b"host: x\r\n", b"host: x\r\nx-request-id: mine\r\nx-bayplan-decision: inline\r\n")

    async def scenario():
        async with scene(told=settings(records={"on_demand": True})) as found:
            _, headers, _ = await found.ask(asked)
            record = json.loads((await found.admin("/decisions/mine"))[2])

            assert headers[b"x-bayplan-decision"] == b"mine"
            assert json.loads(headers[b"x-bayplan-decision-record"])["kind"] == "Route"
            assert (record["request_id"], record["status"]) == ("mine", 200)
            assert b"x-bayplan-decision" not in found.engines[0].requests[0][1]
            assert (await found.admin("/decisions/other"))[0] == b"HTTP/1.1 404 Not Found"

    run(scenario())


def test_a_decision_is_not_shown_unless_that_is_allowed():
    async def scenario():
        async with scene() as found:
            _, headers, _ = await found.ask(POST.replace(b"host: x", b"host: x\r\nx-bayplan-decision: inline"))

            assert b"x-bayplan-decision" not in headers
            assert json.loads((await found.admin("/decisions"))[2]) == {"decisions": []}

    run(scenario())


def test_samples_of_decisions():
    async def scenario():
        async with scene(told=settings(records={"every": 2, "kept": 3})) as found:
            for _ in range(10):
                await found.ask()
            found_records = json.loads((await found.admin("/decisions"))[2])["decisions"]

            assert len(found_records) == 3
            assert found_records[0]["time"] >= found_records[-1]["time"]

    run(scenario())

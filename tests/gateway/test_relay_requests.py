"""A real relay before real engines: what clients of an engine do, they can do here."""

import http.client
import json
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clients.environment import environment, plain_environment
from engine.running import LONGEST_S, MODEL
from gateway.running_relay import CHAT, chat, relay_and_engines


def test_a_chat(relay):
    answer = relay.chat()

    assert answer.status == 200
    assert answer.document["choices"][0]["message"]["content"]
    assert answer.headers["x-request-id"]
    relay.settled()


def test_a_stream_comes_in_pieces(relay):
    answer = relay.chat(stream=True, stream_options={"include_usage": True}, max_tokens=20)

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.events[-1]["usage"]["completion_tokens"] == 20
    relay.settled()


def test_an_engines_refusal_is_passed_on(relay):
    answer = relay.ask("POST", CHAT, chat(max_tokens=-1))

    assert answer.status == 400
    assert answer.document["error"]["message"]


def test_a_body_that_cannot_be_read(relay):
    answer = relay.ask("POST", CHAT, b"{")

    assert answer.status == 400
    assert answer.document["error"]["type"] == "bad-request"


def test_models(relay):
    assert [each["id"] for each in relay.ask("GET", "/v1/models").document["data"]] == [MODEL]


def test_other_paths_reach_some_engine(relay):
    assert relay.ask("GET", "/health").status == 200
    assert relay.ask("GET", "/nothing").status == 404
    assert relay.ask("HEAD", "/health").status == 200


def test_many_requests_on_one_connection(relay):
    connection = http.client.HTTPConnection("127.0.0.1", relay.port, timeout=LONGEST_S)
    for _ in range(50):
        connection.request("POST", CHAT, json.dumps(chat(max_tokens=2)))
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
    connection.close()
    relay.settled()


def test_the_record_of_a_decision(relay):
    answer = relay.ask("POST", CHAT, chat(), x_bayplan_decision="id", x_request_id="look-at-me")
    record = relay.admin("/decisions/look-at-me").document

    assert answer.headers["x-bayplan-decision"] == "look-at-me"
    assert record["kind"] == "Route"
    assert record["status"] == 200
    assert {each["endpoint"] for each in record["endpoints"]} == {"e0", "e1"}


def test_metrics_of_engines_are_seen(relay):
    relay.until(lambda: all(each["metrics"] is not None for each in relay.endpoints()))
    shown = relay.metrics()

    assert shown.value("llm_d_epp_ready_endpoints") == 2
    assert shown.value("llm_d_epp_per_endpoint_queue_size", endpoint_name="e0") == 0


CURL = {
    "a chat": ((), b'"finish_reason":"length"'),
    "a stream": (("-N",), b"data: [DONE]"),
    "a large body, asked for first": (("-H", "expect: 100-continue"), b'"finish_reason":"length"'),
    "an offer of HTTP/2": (("--http2",), b'"finish_reason":"length"'),
    "HTTP/1.0": (("--http1.0",), b'"finish_reason":"length"'),
    "HTTP/1.0 and a stream": (("-N", "--http1.0"), b"data: [DONE]"),
    "chunks": (("-H", "transfer-encoding: chunked"), b'"finish_reason":"length"'),
    "compression is asked for": (("--compressed",), b'"finish_reason":"length"'),
}


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(("flags", "expected"), CURL.values(), ids=CURL)
def test_curl(relay, flags, expected):
    body = json.dumps(chat("word " * 50_000 if "expect: 100-continue" in flags else "hello", stream="-N" in flags))
    url = f"http://127.0.0.1:{relay.port}{CHAT}"
    command = ["curl", "--fail", "--silent", "--show-error", "--max-time", str(LONGEST_S), *flags, "--data", "@-", url]
    done = subprocess.run(command, input=body.encode(), capture_output=True, timeout=LONGEST_S, check=True)

    assert expected in done.stdout
    relay.settled()


OPENAI = ("chat", "streaming", "completions", "models", "long prompts", "errors")


def test_the_openai_package(relay):
    program = Path(__file__).with_name("programs") / "openai_client.py"
    done = subprocess.run(
        [str(environment("openai")), str(program), f"http://127.0.0.1:{relay.port}"],
        capture_output=True, text=True, timeout=120, check=False, env=plain_environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr

    assert json.loads(done.stdout) == dict.fromkeys(OPENAI, "")
    relay.settled()


def test_a_configuration_that_changes_loses_no_request(tmp_path):
    config = tmp_path / "config.json"

    def write(**weights):
        profile = {
            "name": "default",
            "plugins": [{"pluginRef": name, "weight": each} for name, each in weights.items()],
        }
        config.write_text(
            json.dumps(
                {
                    "apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig",
                    "plugins": [{"type": name} for name in weights], "schedulingProfiles": [profile],
                }
            )
        )  # fmt: skip

    write(**{"queue-scorer": 1})
    with relay_and_engines(tmp_path, "--config", str(config), "--decision-header") as relay:
        statuses = []
        with ThreadPoolExecutor(4) as pool:
            for weight in (2, 3):
                write(**{"queue-scorer": weight, "kv-cache-utilization-scorer": 1})
                statuses += pool.map(lambda _: relay.chat(max_tokens=2).status, range(100))
        assert statuses == [200] * 200

        def weights():
            relay.ask("POST", CHAT, chat(), x_bayplan_decision="id", x_request_id="w")
            record = relay.admin("/decisions/w").document
            return {each["plugin"]: each["weight"] for each in record["endpoints"][0]["terms"]}

        relay.until(lambda: weights() == {"queue-scorer": 3.0, "kv-cache-utilization-scorer": 1.0})
        config.write_text("no: config")
        time.sleep(1.5)
        assert weights()["queue-scorer"] == 3.0

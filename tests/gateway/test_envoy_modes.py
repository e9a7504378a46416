"""A real Envoy before real engines, in every body mode: what clients of an engine do, they can do here."""

import http.client
import json
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from clients.environment import environment, plain_environment
from engine.running import LONGEST_S, MODEL, running
from gateway.running_envoy import MODES, running_envoy, until
from gateway.running_relay import CHAT, chat

PROGRAMS = Path(__file__).with_name("programs")
SPEED = 100
"""How much faster than the real ones the engines are."""
OPENAI = ("chat", "streaming", "completions", "models", "long prompts", "errors")


@pytest.fixture(scope="module")
def engines():
    with ExitStack() as stack:
        yield [stack.enter_context(running("--max-model-len", "400000", speed=str(SPEED))) for _ in range(2)]


@pytest.fixture(scope="module", params=[*MODES, "streamed, answers too"])
def gateway(request, engines, tmp_path_factory):
    mode, _, rest = request.param.partition(",")
    flags = ("--see-answers",) if rest else ()
    with running_envoy(tmp_path_factory.mktemp("envoy"), "--mode", mode, *flags, engines=engines) as found:
        yield found
        assert found.process.poll() is None, "a test has ended it"


@pytest.fixture(autouse=True)
def nothing_is_left(gateway):
    yield
    gateway.settled()


def test_the_picker_decides_about_each_request(gateway):
    before = gateway.decisions()
    for number in range(10):
        assert gateway.chat(f"hello {number}").status == 200

    assert gateway.decisions() - before == 10


def test_a_stream_comes_in_pieces(gateway):
    answer = gateway.chat(stream=True, stream_options={"include_usage": True}, max_tokens=20)

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.events[-1]["usage"]["completion_tokens"] == 20


@pytest.mark.parametrize("size", [16_000, 65_536, 220_000, 1_500_000])
def test_a_long_prompt_arrives_whole(gateway, size):
    answer = gateway.chat("word " * (size // 5))

    assert answer.status == 200
    assert answer.document["usage"]["prompt_tokens"] >= size // 4


def test_requests_without_a_body(gateway):
    assert [each["id"] for each in gateway.ask("GET", "/v1/models").document["data"]] == [MODEL]
    assert gateway.ask("GET", "/nothing").status == 404
    assert gateway.ask("HEAD", "/health").status == 200


def test_a_body_in_chunks(gateway):
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=LONGEST_S)
    pieces = json.dumps(chat()).encode()
    connection.request("POST", CHAT, iter([pieces[:10], pieces[10:20], pieces[20:]]), encode_chunked=True,
                       headers={"transfer-encoding": "chunked"})  # fmt: skip
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["object"]) == (200, "chat.completion")
    connection.close()


def test_a_body_that_cannot_be_read_is_refused_by_the_picker(gateway):
    answer = gateway.ask("POST", CHAT, b"{")

    assert answer.status == 400
    assert answer.document["error"]["type"] == "bad-request"


def test_an_engines_refusal_is_passed_on(gateway):
    answer = gateway.chat(max_tokens=-1)

    assert answer.status == 400
    assert "max_tokens" in answer.document["error"]["message"]


def test_a_client_that_leaves_gives_its_place_back(gateway):
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=LONGEST_S)
    connection.request("POST", CHAT, json.dumps(chat(stream=True, max_tokens=50_000)))
    answer = connection.getresponse()
    assert answer.read(10)
    until(lambda: sum(gateway.inflight().values()) == 1, "the request is not in flight")
    connection.close()
    answer.close()

    until(lambda: sum(gateway.inflight().values()) == 0, "the request is still in flight")


def test_the_first_token_is_told_when_it_comes(gateway):
    """The engine sends the head of a stream at once; the prompt takes as long as the engine says."""
    before, computed = ttft(gateway.metrics()), prefill_s(gateway.engines)
    answer = gateway.chat("word " * 60_000, stream=True, max_tokens=2)
    assert answer.status == 200
    gateway.settled()

    count, seconds = (after - earlier for after, earlier in zip(ttft(gateway.metrics()), before, strict=True))
    assert count == 1
    assert seconds > 0.9 * (prefill_s(gateway.engines) - computed) / SPEED


def prefill_s(engines):
    """For how long the engines have computed prompts, in the time of their simulation."""
    return sum(engine.metric("request_prefill_time_seconds_sum", model_name=MODEL) for engine in engines)


def ttft(shown):
    """How many first tokens of streams were seen, and the seconds until them."""
    found = [0.0, 0.0]
    for (name, labels), value in shown.samples.items():
        if ("streaming", "true") in tuple(labels):
            found[0] += value * (name == "llm_d_epp_request_ttft_seconds_count")
            found[1] += value * (name == "llm_d_epp_request_ttft_seconds_sum")
    return found


@pytest.mark.parametrize("flags", [(), ("--http2-prior-knowledge",)], ids=["HTTP/1.1", "HTTP/2"])
def test_curl(gateway, flags):
    tool = shutil.which("curl")
    assert tool is not None, "curl is needed for this test"
    command = [tool, "--silent", "--show-error", "--max-time", str(LONGEST_S), *flags, "--data", json.dumps(chat()),
               "--write-out", " %{http_code} %{http_version}", f"http://127.0.0.1:{gateway.port}{CHAT}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=True)

    body, status, version = done.stdout.rsplit(" ", 2)
    assert (status, version) == ("200", "2" if flags else "1.1")
    assert json.loads(body)["choices"]


def test_the_openai_package(gateway):
    done = subprocess.run(
        [str(environment("openai")), str(PROGRAMS / "openai_client.py"), f"http://127.0.0.1:{gateway.port}"],
        capture_output=True, text=True, timeout=120, check=False, env=plain_environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)

    assert outcomes == dict.fromkeys(OPENAI, "")

"""A real Envoy whose picker, engines and files go wrong: no request fails that could be answered."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from engine.running import LONGEST_S, running
from gateway.running_envoy import MODES, envoy_and_engines, installed_envoy, running_envoy, until
from gateway.running_relay import CHAT, chat, write_endpoints


class Traffic:
    """Requests one after the other in a few threads, until it is left; `statuses` are what came of them."""

    def __init__(self, gateway, threads=3):
        self._gateway = gateway
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(threads)]
        self.statuses = []

    def __enter__(self):
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        for each in self._threads:
            each.join()

    def _run(self):
        number = 0
        while not self._stopped.is_set():
            number += 1
            try:
                self.statuses.append(self._gateway.chat(f"hello {number}", max_tokens=2).status)
            except (OSError, http.client.HTTPException) as problem:
                self.statuses.append(repr(problem))

    def more(self, count):
        """Wait until so many more requests have ended."""
        wanted = len(self.statuses) + count
        until(lambda: len(self.statuses) >= wanted, f"only {len(self.statuses)} of {wanted} requests have ended")


def open_stream(gateway, **asked):
    """A stream whose first bytes have come."""
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=LONGEST_S)
    connection.request("POST", CHAT, json.dumps(chat(stream=True, **asked)))
    answer = connection.getresponse()
    return connection, answer, answer.read(5)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    """One whose processes are stopped and killed, one test after the other."""
    with envoy_and_engines(tmp_path_factory.mktemp("faults"), "--decision-seconds", "0.5", speed="100") as found:
        yield found


def test_a_picker_that_hangs_delays_requests_and_fails_none(gateway):
    os.kill(gateway.picker_pid(), signal.SIGSTOP)
    try:
        assert [gateway.chat().status for _ in range(3)] == [200] * 3
    finally:
        os.kill(gateway.picker_pid(), signal.SIGCONT)
    until(lambda: gateway.chat().status == 200 and gateway.decisions() > 0, "the picker decides no more")
    gateway.settled()


def test_a_killed_envoy_comes_back(gateway):
    os.kill(gateway.envoy_pid(), signal.SIGKILL)

    def answers():
        try:
            return gateway.chat().status == 200
        except OSError:
            return False

    until(answers, "Envoy does not come back")
    gateway.settled()


def test_a_picker_that_is_killed_costs_no_request_and_comes_back(gateway):
    with Traffic(gateway) as traffic:
        traffic.more(20)
        for _ in range(2):
            before = gateway.picker_pid()
            os.kill(before, signal.SIGKILL)
            traffic.more(20)
            until(lambda before=before: is_replaced(gateway, before), "the picker does not come back")
            traffic.more(20)

    assert set(traffic.statuses) == {200}
    assert gateway.errors().count("the picker ended with -9") == 2


def is_replaced(gateway, before):
    try:
        return gateway.picker_pid() != before
    except AssertionError:
        return False


def test_a_killed_supervisor_takes_both_with_it(gateway):
    pids = gateway.picker_pid(), gateway.envoy_pid()
    gateway.process.kill()
    gateway.process.wait()

    until(lambda: not any(is_alive(each) for each in pids), "a child is left")


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("mode", MODES)
def test_an_engine_that_is_killed(tmp_path, mode):
    with envoy_and_engines(tmp_path, "--mode", mode, speed="10") as gateway:
        with Traffic(gateway) as traffic:
            traffic.more(10)
            gateway.engines[0].process.kill()
            traffic.more(30)
        assert [each for each in traffic.statuses if each != 200] == []
        gateway.settled()

        connection, answer, _ = open_stream(gateway, max_tokens=20_000)
        until(lambda: sum(gateway.inflight().values()) == 1, "the request is not in flight")
        gateway.engines[1].process.kill()
        with pytest.raises((http.client.HTTPException, OSError)):
            answer.read()
        connection.close()
        gateway.settled()


def test_endpoints_that_come_and_go(tmp_path):
    with ExitStack() as stack:
        first, second = (stack.enter_context(running()) for _ in range(2))
        gateway = stack.enter_context(running_envoy(tmp_path, "--policy", "early", engines=[first]))
        assert gateway.chat().status == 200

        write_endpoints(gateway.endpoints_file, [first, second])
        until(lambda: len(gateway.inflight()) == 2, "the second endpoint is not seen")
        first.process.kill()
        with Traffic(gateway, threads=1) as traffic:
            traffic.more(5)
        assert set(traffic.statuses) == {200}

        write_endpoints(gateway.endpoints_file, [])
        until(lambda: gateway.inflight() == {}, "the endpoints are still there")
        answer = gateway.chat()
        assert answer.status == 503
        assert answer.headers["x-llm-d-request-dropped-reason"] == "rejected-no-endpoints"


FLOW = {
    "apiVersion": "llm-d.ai/v1alpha1",
    "kind": "EndpointPickerConfig",
    "featureGates": ["flowControl"],
    "plugins": [{"type": "concurrency-detector", "parameters": {"maxConcurrency": 1}}, {"type": "queue-scorer"}],
    "flowControl": {"saturationDetector": {"pluginRef": "concurrency-detector"}, "enableEviction": True},
}


@contextmanager
def flow_controlled(folder, mode, engines, **more):
    config = folder / "config.json"
    config.write_text(json.dumps(FLOW))
    flags = ("--config", str(config), "--mode", mode, "--decision-seconds", "0.3")
    with running_envoy(folder, *flags, engines=engines, **more) as found:
        yield found


@pytest.mark.parametrize("mode", ["streamed", "full-duplex"])
def test_a_request_waits_for_the_first_engine_longer_than_a_decision_may_take(tmp_path, mode):
    answers = []
    with running() as engine, flow_controlled(tmp_path, mode, []) as gateway:
        asking = threading.Thread(target=lambda: answers.append(gateway.chat().status))
        asking.start()
        until(lambda: gateway.metrics().value("llm_d_epp_flow_control_queue_size") == 1, "the request does not wait")
        time.sleep(0.6)
        assert answers == []
        write_endpoints(gateway.endpoints_file, [engine])
        asking.join(LONGEST_S)

    assert answers == [200]


def test_a_request_of_low_priority_makes_way(tmp_path):
    objectives = [{"name": "low", "priority": -1}, {"name": "high", "priority": 1}]
    with (
        running(speed="1") as engine,
        flow_controlled(tmp_path, "streamed", [engine], objectives=objectives) as gateway,
    ):
        answers = []

        def ask_low():
            answers.append(gateway.ask("POST", CHAT, chat(max_tokens=2_000), x_llm_d_inference_objective="low"))

        low = threading.Thread(target=ask_low)
        low.start()
        until(lambda: sum(gateway.inflight().values()) == 1, "the request is not in flight")
        high = gateway.ask("POST", CHAT, chat(max_tokens=2), x_llm_d_inference_objective="high")
        low.join(LONGEST_S)

        assert high.status == 200
        assert answers[0].status == 429
        assert answers[0].headers["x-llm-d-request-dropped-reason"] == "evicted-priority"


def test_a_stop_lets_answers_end(tmp_path):
    with running(speed="1") as engine, running_envoy(tmp_path, engines=[engine]) as gateway:
        connection, answer, begun = open_stream(gateway, max_tokens=150)
        pids = gateway.picker_pid(), gateway.envoy_pid()
        gateway.process.terminate()
        body = begun + answer.read()
        connection.close()

        assert body.endswith(b"data: [DONE]\n\n")
        assert gateway.process.wait(LONGEST_S) == 0
        assert not any(is_alive(each) for each in pids)


def test_a_port_that_is_in_use(tmp_path):
    write_endpoints(tmp_path / "endpoints.json", [])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = [
            sys.executable, "-m", "bayplan", "gateway", "envoy", "--endpoints", str(tmp_path / "endpoints.json"),
            "--port", str(taken.getsockname()[1]), "--envoy", str(installed_envoy()),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)

    assert done.returncode == 1
    assert "error: Envoy: it ended with 1" in done.stderr

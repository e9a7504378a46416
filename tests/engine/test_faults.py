"""Faults that a running engine is given, and what clients see of them."""

import http.client
import math
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from engine.running import LONGEST_S, MODEL, running

CRASHED = 70


def test_none_by_default(engine):
    faults = engine.ask("GET", "/faults").document

    assert (faults["fail_rate"], faults["hang"], faults["metrics"]) == (0.0, False, "live")


def test_flags_are_faults_from_the_start():
    with running("--fail-rate", "1", "--fail-status", "429", "--metrics", "nan", "--slowdown", "3") as engine:
        faults = engine.ask("GET", "/faults").document
        answer = engine.complete()

    assert (faults["fail_rate"], faults["fail_status"], faults["metrics"], faults["slowdown"]) == (1.0, 429, "nan", 3.0)
    assert (answer.status, answer.error["type"]) == (429, "RateLimitError")


class TestFailures:
    @pytest.mark.parametrize("status", [429, 500, 503])
    def test_have_a_status(self, own_engine, status):
        own_engine.break_by(fail_rate=1, fail_status=status)
        answer = own_engine.chat(stream=True)

        assert (answer.status, answer.error["code"]) == (status, status)
        assert ("retry-after" in answer.headers) is (status != 500)
        assert own_engine.ask("GET", "/health").status == 200

    def test_are_decided_by_the_seed(self):
        def pattern(seed):
            with running("--fail-rate", "0.5", "--seed", seed) as engine:
                return [engine.complete().status for _ in range(20)]

        first = pattern("1")
        assert set(first) == {200, 500}
        assert pattern("1") == first
        assert pattern("2") != first

    def test_end(self, own_engine):
        own_engine.break_by(fail_rate=1)
        own_engine.break_by(fail_rate=0)

        assert own_engine.complete().status == 200


def test_a_slow_engine_takes_longer(own_engine):
    def spent_s(prompt):
        before = own_engine.metric("time_to_first_token_seconds_sum")
        own_engine.complete(prompt, max_tokens=1)
        return own_engine.metric("time_to_first_token_seconds_sum") - before

    normal_s = spent_s("a" * 4_000)
    own_engine.break_by(slowdown=10)

    assert spent_s("b" * 4_000) == pytest.approx(10 * normal_s, rel=1e-3)


def test_a_hanging_engine_is_healthy_and_says_nothing(own_engine):
    own_engine.break_by(hang=True)
    connection = http.client.HTTPConnection("127.0.0.1", own_engine.port, timeout=LONGEST_S)
    connection.request("POST", "/v1/completions", '{"prompt": "x", "max_tokens": 3}')
    own_engine.until("num_requests_waiting", 1)
    assert own_engine.ask("GET", "/health").status == 200

    own_engine.break_by(hang=False)
    assert connection.getresponse().status == 200
    connection.close()


def test_a_mute_engine_answers_nothing_but_its_faults(own_engine):
    own_engine.break_by(mute=True)
    with own_engine.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
        connection.settimeout(0.3)
        with pytest.raises(TimeoutError):
            connection.recv(1)
    assert own_engine.break_by(mute=False).status == 200
    assert own_engine.ask("GET", "/health").status == 200


class TestCrashes:
    def test_after_requests(self, own_engine):
        own_engine.break_by(crash_after_requests=2)
        assert [own_engine.complete().status for _ in range(2)] == [200, 200]

        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
            own_engine.complete()
        assert own_engine.process.wait(LONGEST_S) == CRASHED

    def test_in_the_middle_of_a_stream(self, own_engine):
        own_engine.break_by(crash_after_tokens=5)

        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            own_engine.complete(max_tokens=5_000, stream=True)
        assert own_engine.process.wait(LONGEST_S) == CRASHED

    def test_of_connections_alone(self, own_engine):
        own_engine.break_by(cut_after_tokens=5)
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            own_engine.complete(max_tokens=50, stream=True)
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
            own_engine.complete(max_tokens=50)

        assert own_engine.complete(max_tokens=4).status == 200, "shorter answers are whole"
        own_engine.until("num_requests_running", 0)
        assert own_engine.metric("kv_cache_usage_perc") == 0


class TestNotReady:
    def test_while_it_loads(self):
        with running("--load-seconds", "1000", until="listening") as engine:
            assert engine.said[-1].startswith("listening http://127.0.0.1:")
            assert engine.ask("GET", "/health").status == 503
            answer = engine.complete()
            assert (answer.status, answer.error["message"]) == (503, "the model is loading")
            assert engine.ask("GET", "/v1/models").status == 200
            assert engine.metric("num_requests_running") == 0

    def test_once_it_is_loaded_it_says_so(self):
        with running("--load-seconds", "0.05") as engine:
            assert [each.split()[0] for each in engine.said] == ["listening", "ready"]
            assert engine.ask("GET", "/health").status == 200

    def test_for_a_while(self, own_engine):
        own_engine.break_by(unready_s=1_000)
        assert own_engine.ask("GET", "/health").status == 503
        own_engine.break_by(unready_s=0.01)
        assert own_engine.process.stdout.readline().startswith("ready ")
        assert own_engine.ask("GET", "/health").status == 200


def test_refused_connections(own_engine):
    keeps = http.client.HTTPConnection("127.0.0.1", own_engine.port, timeout=LONGEST_S)
    keeps.request("POST", "/faults", '{"refuse_s": 1000}', {"content-type": "application/json"})
    assert keeps.getresponse().read()
    with pytest.raises(ConnectionRefusedError):
        own_engine.ask("GET", "/health")

    keeps.request("GET", "/health")
    assert keeps.getresponse().read() == b"", "open connections stay"
    keeps.request("POST", "/faults", '{"refuse_s": 0.01}', {"content-type": "application/json"})
    assert keeps.getresponse().read()
    keeps.close()
    for _ in range(LONGEST_S * 100):
        with suppress(ConnectionRefusedError):
            assert own_engine.ask("GET", "/health").status == 200
            return
        time.sleep(0.01)
    raise AssertionError("the port stays closed")


class TestMetrics:
    def test_frozen(self, own_engine):
        own_engine.complete(max_tokens=5)
        own_engine.break_by(metrics="frozen")
        own_engine.complete(max_tokens=5)
        assert own_engine.metric("generation_tokens_total") == 5

        own_engine.break_by(metrics="live")
        assert own_engine.metric("generation_tokens_total") == 10

    def test_that_are_no_numbers(self, own_engine):
        own_engine.break_by(metrics="nan")

        assert math.isnan(own_engine.metric("num_requests_waiting"))
        assert math.isnan(own_engine.metric("kv_cache_usage_perc"))


class TestRefusals:
    def test_unknown_faults(self, engine):
        answer = engine.break_by(explode=True)

        assert (answer.status, answer.error["param"]) == (400, "explode")

    def test_a_page_of_another_origin_cannot_set_them(self, engine):
        """Browsers send other content types without asking the server first."""
        answer = engine.ask("POST", "/faults", b'{"fail_rate": 1}', content_type="text/plain")

        assert answer.status == 415
        assert engine.complete().status == 200

    @pytest.mark.parametrize(
        ("flag", "value", "message"),
        [
            ("--fail-rate", "2", "error: --fail-rate: 2.0 is not between 0 and 1"),
            ("--slowdown", "nan", "error: --slowdown: nan is not between 0.001 and 1e+06"),
            ("--cut-after-tokens", "0", "error: --cut-after-tokens: 0 is less than 1; null means never"),
        ],
    )
    def test_flags_that_cannot_be(self, flag, value, message):
        command = [sys.executable, "-m", "bayplan", "engine", "--model", MODEL, "--port", "0", flag, value]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST_S)

        assert (done.returncode, done.stdout, done.stderr) == (1, "", message + "\n")

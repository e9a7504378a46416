"""How an engine ends: in order, in time, and without losing an answer that it could give."""

import http.client
import json
import signal
import subprocess
import sys
import threading

import pytest

from engine.running import LONGEST_S, errors, running

SIGNALS = [signal.SIGTERM, signal.SIGINT]


def begin(engine, **asked):
    """A request that is under way."""
    connection = http.client.HTTPConnection("127.0.0.1", engine.port, timeout=LONGEST_S)
    connection.request("POST", "/v1/completions", json.dumps({"prompt": "x", **asked}))
    engine.until("num_requests_running", 1)
    return connection


@pytest.mark.parametrize("number", SIGNALS)
def test_an_idle_engine_ends_at_once(own_engine, number):
    own_engine.process.send_signal(number)

    assert own_engine.process.wait(LONGEST_S) == 0
    assert errors(own_engine) == ""


def test_idle_connections_are_closed(own_engine):
    with own_engine.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200 OK")
        assert own_engine.stop() == 0
        assert connection.recv(1) == b""


def test_answers_that_are_under_way_are_finished():
    with running("--step-ms", "100", "--drain-seconds", "1000", speed="1") as engine:
        connection = begin(engine, max_tokens=8, stream=True)
        engine.process.terminate()
        body = connection.getresponse().read()
        connection.close()

        assert body.endswith(b"data: [DONE]\n\n")
        assert body.count(b"data: ") == 8 + 2
        assert engine.process.wait(LONGEST_S) == 0


def test_the_last_answer_says_so_and_nothing_is_taken_after_it():
    with running("--step-ms", "100", "--drain-seconds", "1000", speed="1") as engine:
        keeps = http.client.HTTPConnection("127.0.0.1", engine.port, timeout=LONGEST_S)
        keeps.request("POST", "/v1/completions", '{"prompt": "x", "max_tokens": 25}')
        engine.until("num_requests_running", 1)
        engine.process.terminate()
        answer = keeps.getresponse()
        answer.read()

        assert (answer.status, answer.getheader("connection")) == (200, "close")
        assert engine.process.wait(LONGEST_S) == 0
        with pytest.raises(ConnectionRefusedError):
            engine.ask("GET", "/health")
        keeps.close()


def test_answers_that_take_too_long_are_cut_off():
    with running("--drain-seconds", "0.2", speed="0.001") as engine:
        connection = begin(engine, max_tokens=999, stream=True)
        engine.process.terminate()

        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            connection.getresponse().read()
        connection.close()
        assert engine.process.wait(LONGEST_S) == 0
        assert errors(engine) == "note: requests were cut off after 0.2 s\n"


def test_a_second_signal_ends_it_at_once():
    with running("--drain-seconds", "1000", speed="0.001") as engine:
        connection = begin(engine, max_tokens=999, stream=True)
        answer = connection.getresponse()
        engine.process.terminate()
        refused = threading.Event()
        while not refused.is_set():
            try:
                engine.connect().close()
            except OSError:
                refused.set()
        engine.process.terminate()

        assert engine.process.wait(LONGEST_S) == 0
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            answer.read()
        connection.close()


def test_a_hanging_engine_ends_too():
    with running("--hang", "--drain-seconds", "0.2") as engine:
        connection = http.client.HTTPConnection("127.0.0.1", engine.port, timeout=LONGEST_S)
        connection.request("POST", "/v1/completions", '{"prompt": "x"}')
        engine.until("num_requests_waiting", 1)

        assert engine.stop() == 0
        connection.close()


def test_a_port_that_is_taken(own_engine):
    command = [sys.executable, "-m", "bayplan", "engine", "--model", "m", "--port", str(own_engine.port)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST_S)

    assert done.returncode == 1
    assert done.stderr == (
        f"error: --port: cannot listen on 127.0.0.1 port {own_engine.port}: address already in use; "
        "take another one, or 0 for a free one\n"
    )


def test_nobody_who_reads_its_output_is_no_reason_to_end():
    with running() as engine:
        engine.process.stdout.close()
        engine.break_by(unready_s=0.01)
        engine.break_by(unready_s=0.0)
        assert engine.ask("GET", "/version").status == 200
        assert engine.stop() == 0

"""Engines that die, hang or lie, and clients that leave: no request is lost without need, and no count leaks."""

import json
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from engine.running import LONGEST_S, running
from gateway.running_relay import CHAT, chat, relay_and_engines, running_relay, write_endpoints

SLOW = ("--step-ms", "20")


@pytest.fixture
def slow_relay(tmp_path):
    """Before two engines that take 20 ms for each token."""
    with relay_and_engines(tmp_path, engine_flags=SLOW, speed="1") as found:
        yield found


def raw(body, **headers):
    data = json.dumps(body).encode()
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(data)}\r\n{more}\r\n".encode() + data


def begin_stream(relay, tokens=2000):
    """A stream of which the first tokens have come."""
    connection = relay.connect()
    connection.sendall(raw(chat(stream=True, max_tokens=tokens)))
    received = b""
    while received.count(b"data: ") < 3:
        received += connection.recv(65_536)
    return connection, received


def rest_of(connection):
    received = b""
    with connection, suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            received += part
    return received


def busy_engine(relay):
    """The engine that a request runs on, by the relay's account."""
    (name,) = [each["name"] for each in relay.endpoints() if each["inflight"]["requests"]]
    return relay.engines[int(name.removeprefix("e"))]


def running_requests(engine):
    return engine.metric("num_requests_running")


def test_a_client_that_leaves_in_a_stream_frees_the_engine(slow_relay):
    connection, _ = begin_stream(slow_relay)
    engine = busy_engine(slow_relay)
    assert running_requests(engine) == 1
    connection.close()

    slow_relay.until(lambda: running_requests(engine) == 0)
    slow_relay.settled()


def test_an_engine_killed_in_a_stream(slow_relay):
    connection, received = begin_stream(slow_relay)
    busy_engine(slow_relay).process.kill()
    received += rest_of(connection)

    assert b"[DONE]" not in received
    assert not received.endswith(b"0\r\n\r\n")
    slow_relay.settled()
    assert slow_relay.chat().status == 200


def test_an_engine_killed_before_its_first_byte(slow_relay):
    """Both hang; the one that a request waits at dies, and the other one answers it."""
    first, second = slow_relay.engines
    first.break_by(hang=True)
    second.break_by(hang=True)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(slow_relay.chat)
        slow_relay.until(lambda: any(each["inflight"]["requests"] for each in slow_relay.endpoints()))
        victim = busy_engine(slow_relay)
        other = second if victim is first else first
        other.break_by(hang=False)
        victim.process.kill()

        assert asked.result(LONGEST_S).status == 200
    slow_relay.settled()


def test_all_engines_are_dead(own_relay):
    for each in own_relay.engines:
        each.process.kill()
        each.process.wait()
    answer = own_relay.chat()

    assert answer.status in (502, 503)
    own_relay.settled()


def test_an_engine_that_refuses_connections_costs_nobody(own_relay):
    own_relay.engines[0].break_by(refuse_s=20)

    assert [own_relay.chat().status for _ in range(100)] == [200] * 100
    own_relay.settled()


DEAD = {
    "it answers everything with 500": {"fail_rate": 1.0, "fail_status": 500},
    "it answers everything with 503": {"fail_rate": 1.0, "fail_status": 503},
    "its process is gone": None,
}


@pytest.mark.parametrize("faults", DEAD.values(), ids=DEAD)
def test_an_engine_that_is_ready_but_dead(tmp_path, faults):
    """Less than 1 % of requests may fail; the file of endpoints goes on calling it ready."""
    with relay_and_engines(tmp_path, count=4) as relay:
        if faults is None:
            relay.engines[0].process.kill()
        else:
            relay.engines[0].break_by(**faults)
        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(lambda _: relay.chat(max_tokens=2).status, range(400)))

        assert statuses.count(200) > 396
        relay.settled()


def test_an_engine_that_comes_back_is_used_again(own_relay):
    engine = own_relay.engines[0]
    engine.break_by(fail_rate=1.0, fail_status=503)
    for _ in range(20):
        own_relay.chat()
    own_relay.until(lambda: own_relay.endpoints()[0]["ready"] is False)
    engine.break_by(fail_rate=0.0)

    def is_back():
        own_relay.chat()
        return own_relay.endpoints()[0]["ready"]

    own_relay.until(is_back)


def test_frozen_and_absent_metrics_stop_nothing(own_relay):
    own_relay.engines[0].break_by(metrics="frozen")
    own_relay.engines[1].break_by(metrics="nan")
    time.sleep(0.5)
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: own_relay.chat(max_tokens=2).status, range(80)))

    assert statuses == [200] * 80
    for each in own_relay.engines:
        each.break_by(metrics="live")
    served = [each.metric("request_success_total", finished_reason="length") for each in own_relay.engines]
    assert min(served) > 10
    own_relay.settled()


def test_an_engine_that_hangs_is_given_up_in_time(tmp_path):
    with relay_and_engines(tmp_path, "--first-byte-seconds", "1") as relay:
        relay.engines[0].break_by(hang=True)
        assert [relay.chat(max_tokens=2).status for _ in range(6)] == [200] * 6
        relay.settled()


def test_an_engine_that_is_frozen_costs_time_and_no_request(tmp_path):
    """It accepts connections and answers nothing, and its endpoint is still called ready."""
    with relay_and_engines(tmp_path, count=4) as relay:
        frozen = relay.engines[0].process.pid
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda _: relay.chat(max_tokens=2).status, range(40))) == {200}
            os.kill(frozen, signal.SIGSTOP)
            try:
                statuses = list(pool.map(lambda _: relay.chat(max_tokens=2).status, range(300)))
            finally:
                os.kill(frozen, signal.SIGCONT)

        assert statuses == [200] * 300
        relay.settled()


def test_a_slow_client_is_cut_off_and_others_are_not(tmp_path):
    with relay_and_engines(tmp_path, "--stall-seconds", "1", engine_flags=("--max-model-len", "400000")) as relay:
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(LONGEST_S)
        slow.connect(("127.0.0.1", relay.port))
        slow.sendall(raw(chat(stream=True, max_tokens=100_000)))
        relay.until(lambda: relay.metrics().value("bayplan_relay_slow_clients_total") == 1)

        assert relay.chat().status == 200
        relay.settled()
        slow.close()


def test_endpoints_come_and_go_while_requests_run(slow_relay):
    with running(*SLOW, speed="1") as third:
        ended = threading.Event()
        statuses = []

        def client():
            while not ended.is_set():
                statuses.append(slow_relay.chat(max_tokens=4).status)

        clients = [threading.Thread(target=client) for _ in range(4)]
        for each in clients:
            each.start()
        for engines in (slow_relay.engines[:1], [*slow_relay.engines, third], slow_relay.engines):
            write_endpoints(slow_relay.endpoints_file, engines)
            slow_relay.until(lambda wanted=engines: len(slow_relay.endpoints()) == len(wanted))
        ended.set()
        for each in clients:
            each.join()

        assert set(statuses) == {200}


def test_two_processes_share_one_account(tmp_path):
    with relay_and_engines(tmp_path, "--processes", "2", engine_flags=SLOW, speed="1") as relay:
        with ThreadPoolExecutor(16) as pool:
            statuses = list(pool.map(lambda _: relay.chat(max_tokens=2).status, range(120)))
        shown = relay.metrics()

        assert statuses == [200] * 120
        total = sum(value for (name, _), value in shown.samples.items() if name == "llm_d_epp_request_total")
        assert total == 120
        relay.settled()
        assert relay.stop() == 0


def test_a_worker_process_that_is_killed_is_replaced(tmp_path):
    with relay_and_engines(tmp_path, "--processes", "2") as relay:
        children = _children(relay.process.pid)
        assert len(children) == 1
        _kill(children[0])
        relay.until(lambda: len(_children(relay.process.pid)) == 1 and _children(relay.process.pid) != children)

        assert relay.chat().status == 200
        relay.settled()


def _children(pid):
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _kill(pid):
    os.kill(pid, signal.SIGKILL)


def test_a_request_waits_for_the_first_engine(tmp_path):
    with running() as engine, running_relay(tmp_path, engines=[]) as relay, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(relay.chat)
        relay.until(lambda: relay.metrics().value("llm_d_epp_flow_control_queue_size") == 1)
        write_endpoints(relay.endpoints_file, [engine])

        assert asked.result(LONGEST_S).status == 200


def test_without_holding_a_request_is_refused_at_once(tmp_path):
    with running_relay(tmp_path, "--policy", "early", engines=[]) as relay:
        answer = relay.chat()

        assert answer.status == 503
        assert answer.headers["x-llm-d-request-dropped-reason"] == "rejected-no-endpoints"

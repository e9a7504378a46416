"""Input that no client should send, and more connections than anybody needs."""

import resource
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from engine.running import LONGEST_S
from gateway.running_relay import CHAT, relay_and_engines

MIB = 1024 * 1024
START = f"POST {CHAT} HTTP/1.1\r\nhost: x\r\n".encode()

RAW = {
    "a length and chunks": (START + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "two lengths": (START + b"content-length: 5\r\ncontent-length: 6\r\n\r\n{}", 400),
    "a folded header": (START + b"x: a\r\n b\r\ncontent-length: 2\r\n\r\n{}", 400),
    "lone line feeds": (b"GET /health HTTP/1.1\nhost: x\n\n", 400),
    "a chunk size that is no number": (START + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", 400),
    "a chunk that is too long": (START + b"transfer-encoding: chunked\r\n\r\n2\r\n{}{}\r\n0\r\n\r\n", 400),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 3, 400),
    "long headers": (b"GET /health HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 70_000 + b"\r\n\r\n", 431),
    "a header without an end": (b"GET /health HTTP/1.1\r\nhost: x\r\nx: " + b"y" * MIB, 431),
    "a large body, announced": (START + b"content-length: 99999999\r\n\r\n", 413),
    "a large body in chunks": (
        START + b"transfer-encoding: chunked\r\n\r\n" + (b"100000\r\n" + b"x" * MIB + b"\r\n") * 40,
        413,
    ),
    "deep JSON": (START + b"content-length: 200000\r\n\r\n" + b"[" * 200_000, 400),
    "no JSON": (START + b"content-length: 5\r\n\r\n\xff\xfe\xfd\xfc\xfb", 400),
    "an upgrade": (b"GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n", 501),
}


@pytest.mark.parametrize(("data", "status"), RAW.values(), ids=RAW)
def test_hostile_input(relay, data, status):
    with relay.connect() as connection:
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)
        first = connection.makefile("rb").readline()

    assert first.startswith(b"HTTP/1.1 %d " % status)
    assert relay.chat().status == 200
    relay.settled()


def test_requests_that_are_sent_together_are_answered_in_order(relay):
    body = b'{"model":"org/model","messages":[{"role":"user","content":"hi"}],"max_tokens":1}'
    one = START + b"x-request-id: %d\r\ncontent-length: %d\r\n\r\n%b"
    with relay.connect() as connection:
        connection.sendall(b"".join(one % (number, len(body), body) for number in range(20)))
        reader = connection.makefile("rb")
        seen = []
        while len(seen) < 20:
            line = reader.readline()
            if line.lower().startswith(b"x-request-id:"):
                seen.append(int(line.split()[1]))

    assert seen == list(range(20))
    relay.settled()


def resident_mib(process):
    return int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096 / MIB


def test_ten_thousand_idle_connections(tmp_path):
    wanted = 10_000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 15_000:  # of which the relay takes three in four for clients
        wanted = hard // 2
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted + 500), hard))
    connections = []
    try:
        with relay_and_engines(tmp_path) as relay:
            before_mib = resident_mib(relay.process)
            for number in range(wanted):
                connection = socket.socket()
                connection.settimeout(LONGEST_S)
                # of several addresses, because one has ports for 28,000 connections, those of other tests among them
                connection.bind((f"127.0.0.{2 + number % 4}", 0))
                connection.connect(("127.0.0.1", relay.port))
                connections.append(connection)
            relay.until(lambda: relay.metrics().value("bayplan_relay_connections") == wanted)
            used_mib = resident_mib(relay.process) - before_mib
            cpu_s = relay.metrics().value("process_cpu_seconds_total")
            time.sleep(3)
            idle_s = relay.metrics().value("process_cpu_seconds_total") - cpu_s

            assert relay.chat().status == 200
            assert used_mib / wanted < 0.02  # 20 KiB each
            assert idle_s < 1.0  # of 3 s, with two scrapes of metrics in it
            for connection in connections:
                connection.close()
            relay.until(lambda: relay.metrics().value("bayplan_relay_connections") == 0)
    finally:
        for connection in connections:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

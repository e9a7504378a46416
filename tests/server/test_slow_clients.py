"""Clients that are slow, or do not read, are cut off; others are served meanwhile."""

import socket
import time
from contextlib import suppress

import pytest

from server.running import read_answer, running

LIMITS = "head_s=1, body_s=1, send_s=1, handshake_s=1, idle_s=2, slowest_bytes=10**9, connections=60, tenant_watches=2"
HOST = b"Host: 127.0.0.1\r\n"
WATCH = b"GET /api/v1/configmaps?watch=true HTTP/1.1\r\n" + HOST + b"\r\n"


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    with running(tmp_path_factory.mktemp("impatient"), limits=LIMITS) as server:
        yield server


SLOW = {
    "nothing at all": b"",
    "half a head": b"GET /api HTTP/1.1\r\nHo",
    "only line ends": b"\r\n\r\n",
    "half a body": b"POST /v1/plan HTTP/1.1\r\n" + HOST + b"Content-Length: 10\r\n\r\n{",
    "a chunk without an end": b"POST /v1/plan HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
}


@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW)
def test_what_is_never_finished(impatient, sent):
    with impatient.connect() as connection:
        connection.sendall(sent)
        stream = connection.makefile("rb")
        answer = read_answer(connection, stream)
        assert (answer.code, stream.read()) == (408, b"")
        assert answer.document["reason"] == "RequestTimeout"


def test_a_head_that_comes_byte_by_byte(impatient):
    sent = 0
    with impatient.connect() as connection, suppress(ConnectionError):
        for byte in b"GET /" + b"x" * 95:
            connection.sendall(bytes([byte]))
            time.sleep(0.1)
            sent += 1
    assert sent < 50


def test_line_ends_do_not_keep_an_idle_connection(impatient):
    with impatient.connect() as connection:
        connection.sendall(b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n")
        stream = connection.makefile("rb")
        assert read_answer(connection, stream).code == 200
        connection.sendall(b"\r\n")
        assert read_answer(connection, stream).code == 408


def test_an_idle_connection_is_closed(impatient):
    with impatient.connect() as connection:
        connection.sendall(b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n")
        stream = connection.makefile("rb")
        assert read_answer(connection, stream).code == 200
        assert stream.read() == b""


def received_bytes(connection):
    """What arrives until the other side is gone."""
    received = 0
    with suppress(ConnectionError):
        while chunk := connection.recv(1 << 16):
            received += len(chunk)
    return received


def test_a_watch_that_is_not_read(impatient):
    before = impatient.memory_mib
    with impatient.connect(receive_bytes=4096) as connection:
        connection.sendall(WATCH)
        for number in range(60):
            body = {"metadata": {"name": f"big-{number}"}, "data": {"text": "x" * 200_000}}
            assert impatient.ask("POST", "/api/v1/namespaces/default/configmaps", body).code == 201
        assert impatient.ask("GET", "/livez").code == 200
        time.sleep(3)
        assert received_bytes(connection) < 10_000_000  # of 12 MB
    assert impatient.memory_mib - before < 64


def test_a_list_that_is_not_read(impatient):
    with impatient.connect(receive_bytes=4096) as connection:
        connection.sendall(b"GET /api/v1/configmaps HTTP/1.1\r\n" + HOST + b"\r\n")
        time.sleep(3)
        assert received_bytes(connection) < 10_000_000


def test_a_quiet_watch_is_not_cut(impatient):
    with impatient.connect() as connection:
        connection.sendall(WATCH.replace(b"configmaps", b"services"))
        stream = connection.makefile("rb")
        assert read_answer(connection, stream).code == 200
        connection.settimeout(3)
        with pytest.raises(TimeoutError):
            connection.recv(1)


def test_more_connections_than_there_may_be(impatient):
    held = [impatient.connect() for _ in range(60)]
    try:
        with impatient.connect() as one_more:
            answer = read_answer(one_more)
        assert (answer.code, answer.header("retry-after")) == (503, "1")
    finally:
        for each in held:
            each.close()
    time.sleep(0.3)
    assert impatient.ask("GET", "/livez").code == 200


def test_a_handshake_that_never_comes(tmp_path):
    with running(tmp_path, tls=True, limits=LIMITS) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            assert connection.recv(1) == b""
        token = server.token("t", "viewer", "default")
        head = (
            f"GET /api/v1/namespaces/default/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}"
        )
        watches = []
        for _ in range(2):
            watches.append(server.connect())
            watches[-1].sendall(f"{head}\r\n\r\n".encode())
            assert read_answer(watches[-1]).code == 200
        assert server.send(f"{head}\r\n\r\n".encode()).code == 429
        watches.pop().close()
        time.sleep(0.5)
        assert server.send(f"{head}\r\n\r\n".encode()).code == 200
        watches.pop().close()


def test_a_client_that_leaves_ends_its_watch_also_behind_a_pipelined_request(tmp_path):
    with running(tmp_path, limits="watches=1") as server:
        with server.connect() as connection:
            connection.sendall(WATCH + b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n")
            assert read_answer(connection).code == 200
            assert server.send(WATCH).code == 429
        time.sleep(0.5)
        assert server.send(WATCH).code == 200

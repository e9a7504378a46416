"""Clients that are slow, or do not read, are cut off; others are served meanwhile."""

import socket
import time
from contextlib import ExitStack, contextmanager, suppress

import pytest

from bayplan_up import LONGEST_S, RunningServer
from raw_http import read_answer

LIMITS = "head_s=1, body_s=1, send_s=1, handshake_s=1, idle_s=2, slowest_bytes=10**9, connections=60, tenant_watches=2"
HOST = b"Host: 127.0.0.1\r\n"
WATCH = b"GET /api/v1/configmaps?watch=true HTTP/1.1\r\n" + HOST + b"\r\n"


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    with RunningServer(tmp_path_factory.mktemp("impatient"), "--insecure-http", limits=LIMITS) as server:
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
    """What arrives until the other side is gone; TimeoutError where it stays."""
    received = 0
    with suppress(ConnectionError):
        while chunk := connection.recv(1 << 16):
            received += len(chunk)
    return received


def until(happens):
    """Ask again until it is so."""
    end = time.monotonic() + LONGEST_S
    while not (found := happens()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


EVENTS, EVENT_BYTES = 60, 200_000
ALL_BYTES = EVENTS * EVENT_BYTES  # three times what the kernel keeps for a client that does not read
UNREAD = 8


def fill(server):
    for number in range(EVENTS):
        body = {"metadata": {"name": f"big-{number}"}, "data": {"text": "x" * EVENT_BYTES}}
        assert server.ask("POST", "/api/v1/namespaces/default/configmaps", body).code == 201


@contextmanager
def unread_watches(server, count):
    """Clients that begin a watch and do not read it."""
    with ExitStack() as opened:
        unread = [opened.enter_context(server.connect(receive_bytes=4096)) for _ in range(count)]
        for each in unread:
            each.sendall(WATCH)
            assert each.recv(12) == b"HTTP/1.1 200"
        yield unread


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A server with large objects, and no more watches than are left unread."""
    limits = f"{LIMITS}, watches={UNREAD}"
    with RunningServer(tmp_path_factory.mktemp("filled"), "--insecure-http", limits=limits) as server:
        fill(server)
        yield server


def test_watches_that_are_not_read_are_ended(filled):
    """The place of a watch is free again when the server has cut it off, although its client still holds it open."""
    with unread_watches(filled, UNREAD) as unread, ExitStack() as opened:

        def another_watch():
            connection = opened.enter_context(filled.connect())
            connection.sendall(WATCH.replace(b"configmaps", b"services"))
            return read_answer(connection).code == 200

        for _ in unread:
            until(another_watch)
        for each in unread:
            assert received_bytes(each) < ALL_BYTES / 2


def test_watches_that_are_not_read_fill_no_memory(tmp_path):
    """All events for each of them would be 288 MB, whether they wait or come in one piece when a client reads again."""
    crowd = 24
    with (
        RunningServer(tmp_path, "--insecure-http", limits="send_s=1000") as server,
        unread_watches(server, crowd) as unread,
    ):
        before = server.memory_mib
        fill(server)
        grown = [server.memory_mib - before]
        for each in unread:
            got = 0
            while got < 3 * EVENT_BYTES:
                got += len(each.recv(1 << 16))
        assert server.ask("GET", "/livez").code == 200
        grown.append(server.memory_mib - before)

    assert max(grown) < 64 < crowd * ALL_BYTES / 2**20 / 4


def test_a_body_that_goes_on_after_its_refusal(tmp_path):
    head = b"POST /v1/plan HTTP/1.1\r\n" + HOST + b"Content-Length: 100000000\r\n\r\n"
    with RunningServer(tmp_path, "--insecure-http", limits="body_bytes=1000") as server, server.connect() as connection:
        connection.sendall(head)
        assert read_answer(connection).code == 413
        with pytest.raises(ConnectionError):
            connection.sendall(bytes(100_000_000))


def test_a_list_that_is_not_read(filled):
    with filled.connect(receive_bytes=4096) as connection:
        connection.sendall(b"GET /api/v1/configmaps HTTP/1.1\r\n" + HOST + b"\r\n")
        assert connection.recv(12) == b"HTTP/1.1 200"
        time.sleep(3)  # longer than a client may take that reads nothing
        assert received_bytes(connection) < ALL_BYTES / 2


def test_a_list_that_is_read_comes_whole(filled):
    with filled.connect() as connection:
        connection.sendall(b"GET /api/v1/configmaps HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
        assert received_bytes(connection) > ALL_BYTES


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
    until(lambda: impatient.ask("GET", "/livez").code == 200)


@pytest.fixture(scope="module")
def tenants(tmp_path_factory):
    """TLS and tokens, and tenants that may do little."""
    limits = f"{LIMITS}, tenant_requests_per_s=0.001"
    with RunningServer(tmp_path_factory.mktemp("tenants"), limits=limits) as server:
        yield server


def test_a_handshake_that_never_comes(tenants):
    with socket.create_connection(("127.0.0.1", tenants.port), timeout=LONGEST_S) as connection:
        assert connection.recv(1) == b""


def test_requests_of_a_tenant_that_come_too_fast(tenants):
    token = tenants.token("hasty", "viewer", "default")
    answers = [tenants.ask("GET", "/api/v1/namespaces/default/pods", token=token) for _ in range(2)]

    assert [each.code for each in answers] == [200, 429]
    assert answers[1].header("retry-after") == "1"
    assert {tenants.ask("GET", "/api/v1/pods").code for _ in range(5)} == {200}


def test_watches_of_a_tenant(tmp_path):
    with RunningServer(tmp_path, limits=LIMITS) as server:
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
        until(lambda: server.send(f"{head}\r\n\r\n".encode()).code == 200)
        watches.pop().close()


def test_a_client_that_leaves_ends_its_watch_also_behind_a_pipelined_request(tmp_path):
    with RunningServer(tmp_path, "--insecure-http", limits="watches=1") as server:
        with server.connect() as connection:
            connection.sendall(WATCH + b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n")
            assert read_answer(connection).code == 200
            assert server.send(WATCH).code == 429
        until(lambda: server.send(WATCH).code == 200)

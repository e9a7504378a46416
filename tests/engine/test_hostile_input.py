"""Input that no client should send: each gets a refusal, nothing gets a traceback, and others are served on."""

from contextlib import suppress

import pytest

from engine.running import errors, running

MIB = 1024 * 1024
POST = b"POST /v1/completions HTTP/1.1\r\nhost: x\r\n"


@pytest.fixture(scope="module")
def engine():
    with running() as found:
        yield found
        assert found.ask("GET", "/health").status == 200
        assert found.metric("num_requests_running") == 0
        assert found.stop() == 0
        assert errors(found) == ""


def send(engine, data):
    """Everything that comes back until the connection is closed."""
    with engine.connect() as connection:
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)
        received = b""
        while True:
            try:
                part = connection.recv(65_536)
            except ConnectionResetError:
                return received
            if not part:
                return received
            received += part


RAW = {
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 3, 400),
    "an unknown method": (b"BREW /health HTTP/1.1\r\nhost: x\r\n\r\n", 400),
    "another version": (b"GET /health HTTP/3.7\r\nhost: x\r\n\r\n", 400),
    "a space in a header's name": (b"GET /health HTTP/1.1\r\nho st: x\r\n\r\n", 400),
    "two lengths": (POST + b"content-length: 5\r\ncontent-length: 6\r\n\r\n{}", 400),
    "a length and chunks": (POST + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "a negative length": (POST + b"content-length: -5\r\n\r\n{}", 400),
    "a length that is no number": (POST + b"content-length: many\r\n\r\n{}", 400),
    "a chunk size that is no number": (POST + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", 400),
    "a long URL": (b"GET /" + b"x" * 10_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n", 414),
    "many headers": (b"GET /health HTTP/1.1\r\n" + b"x: y\r\n" * 200 + b"\r\n", 431),
    "long headers": (b"GET /health HTTP/1.1\r\nx: " + b"y" * 40_000 + b"\r\n\r\n", 431),
    "a header without an end": (b"GET /health HTTP/1.1\r\nx: " + b"y" * MIB, 431),
    "a large body, announced": (POST + b"content-length: 99999999\r\n\r\n", 413),
    "a large body in chunks": (
        POST + b"transfer-encoding: chunked\r\n\r\n" + (b"100000\r\n" + b"x" * MIB + b"\r\n") * 9 + b"0\r\n\r\n",
        413,
    ),
    "chunks of one byte": (
        POST + b"transfer-encoding: chunked\r\n\r\n" + b"1;%b\r\nx\r\n" % (b"e" * 900) * 20_000,
        413,
    ),
}


@pytest.mark.parametrize(("data", "status"), RAW.values(), ids=RAW)
def test_what_is_no_request(engine, data, status):
    received = send(engine, data)

    assert received.startswith(b"HTTP/1.1 %d " % status)
    assert b'{"error":{"message":' in received
    assert b"Traceback" not in received


DEEP = b'{"prompt":' + b"[" * 100_000
BODIES = {
    "nested deeply": DEEP,
    "a huge number": b'{"prompt": "x", "max_tokens": 1' + b"0" * 5_000 + b"}",
    "a lone surrogate": b'{"prompt": "\\ud800"}',
    "zeros": b"\0" * 1_000,
    "a message of messages": b'{"prompt": {"prompt": {"prompt": 1}}}',
    "a million ids": b'{"prompt": [' + b"1," * 999_999 + b"1]}",
    "ids that are too large": b'{"prompt": [99999999999]}',
    "a model of a megabyte": b'{"prompt": "x", "model": "' + b"m" * MIB + b'"}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("path", ["/v1/completions", "/v1/chat/completions", "/v1/load_lora_adapter", "/faults"])
def test_bodies_that_cannot_be_used(engine, path, body):
    answer = engine.ask("POST", path, body, content_type="application/json")

    assert answer.status in (400, 404)
    assert len(answer.body) < 1_000
    assert answer.error


def test_a_request_that_wants_another_protocol_is_answered_in_this_one(engine):
    received = send(engine, b"GET /version HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n")

    assert received.startswith(b"HTTP/1.1 200 OK")
    assert b"connection: close" in received


def test_a_client_that_waits_for_permission_gets_it(engine):
    body = b'{"prompt": "x", "max_tokens": 1}'
    with engine.connect() as connection:
        connection.sendall(
            POST + b"expect: 100-continue\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
        )
        assert connection.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        received = b"".join(iter(lambda: connection.recv(65_536), b""))

    assert received.startswith(b"HTTP/1.1 200 OK")


def test_a_body_byte_by_byte(engine):
    request = POST + b'connection: close\r\ncontent-length: 32\r\n\r\n{"prompt": "x", "max_tokens": 1}'
    with engine.connect() as connection:
        for byte in request:
            connection.send(bytes([byte]))
        received = b"".join(iter(lambda: connection.recv(65_536), b""))

    assert received.startswith(b"HTTP/1.1 200 OK")


def test_odd_names_of_requests_are_not_repeated(engine):
    answer = engine.ask("POST", "/v1/completions", {"prompt": "x"}, x_request_id="a" * 300)

    assert len(answer.document["id"]) == len("cmpl-") + 16

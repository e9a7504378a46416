"""Request lines, Host headers, methods and bodies, as raw bytes to a real server."""

import pytest

from raw_http import read_answer

GET = b"GET /api/v1/namespaces/default HTTP/1.1\r\n"
END = b"\r\n"

HOSTS = {
    "own address": (b"Host: 127.0.0.1\r\n", 200),
    "with a port": (b"Host: localhost:7077\r\n", 200),
    "upper case": (b"HOST: LocalHost\r\n", 200),
    "IPv6": (b"Host: [::1]:7077\r\n", 200),
    "IPv6, long form": (b"Host: [0:0:0:0:0:0:0:1]\r\n", 200),
    "missing": (b"", 400),
    "empty": (b"Host:\r\n", 403),
    "another name": (b"Host: evil.example\r\n", 403),
    "a name that begins like ours": (b"Host: 127.0.0.1.evil.example\r\n", 403),
    "IPv6 without brackets": (b"Host: ::1\r\n", 403),
    "a user before it": (b"Host: localhost@evil.example\r\n", 403),
    "several": (b"Host: 127.0.0.1\r\nHost: evil.example\r\n", 400),
    "the same twice": (b"Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n", 400),
}


@pytest.mark.parametrize(("header", "code"), HOSTS.values(), ids=HOSTS)
def test_host(plain, header, code):
    assert plain.send(GET + header + END).code == code


TARGETS = {
    "absolute form": (b"GET http://127.0.0.1/api HTTP/1.1\r\nHost: 127.0.0.1\r\n", 200),
    "absolute form of IPv6": (b"GET http://[::1]:80/api HTTP/1.1\r\nHost: 127.0.0.1\r\n", 200),
    "absolute form counts, not the header": (b"GET http://evil.example/api HTTP/1.1\r\nHost: 127.0.0.1\r\n", 403),
    "absolute form without a path": (b"GET http://127.0.0.1 HTTP/1.1\r\nHost: 127.0.0.1\r\n", 400),
    "with a user": (b"GET http://u:p@127.0.0.1/api HTTP/1.1\r\nHost: 127.0.0.1\r\n", 400),
    "asterisk": (b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n", 400),
    "authority": (b"CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n", 400),
    "no HTTP": (b"\x16\x03\x01\x00\x05hello", 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n", 400),
    "HTTP/1.0": (b"GET /api HTTP/1.0\r\nHost: 127.0.0.1\r\n", 200),
    "not ASCII": (b"GET /api/v1/\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n", 400),
    "two lengths": (b"POST /v1/plan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n", 400),
    "length and chunks": (
        b"POST /v1/plan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        400,
    ),
    "negative length": (b"POST /v1/plan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n", 400),
    "long URL": (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n", 414),
    "large header": (GET + b"Host: 127.0.0.1\r\nX: " + b"x" * 70_000 + END, 431),
    "many headers": (GET + b"Host: 127.0.0.1\r\n" + b"X: y\r\n" * 101, 431),
    "an endless header": (GET + b"X: " + b"x" * 500_000, 431),
    "an unknown upgrade": (GET + b"Host: 127.0.0.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n", 200),
}


@pytest.mark.parametrize(("head", "code"), TARGETS.values(), ids=TARGETS)
def test_targets_and_heads(plain, head, code):
    answer = plain.send(head + END)

    assert answer.code == code
    assert code == 200 or answer.document["code"] == code


@pytest.mark.parametrize("path", ["/", "/api", "/api/v1/pods", "/v1/plan", "/v1/tokens", "/openapi/v3", "/livez"])
def test_no_other_site_may_ask(plain, path):
    head = f"OPTIONS {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n"
    answer = plain.send(head.encode() + b"Access-Control-Request-Method: POST\r\n\r\n")

    assert answer.code == 405
    assert not [name for name, _ in answer.headers if name.startswith("access-control")]


def test_answers_name_no_other_site(plain):
    answer = plain.send(GET + b"Host: 127.0.0.1\r\nOrigin: http://evil.example\r\n\r\n")

    assert answer.code == 200
    assert not [name for name, _ in answer.headers if name.startswith("access-control") or name == "server"]


def test_pipelined_requests_are_answered_in_order(plain):
    with plain.connect() as connection:
        paths = ("/livez", "/api/v1/namespaces/default", "/nothing", "/livez")
        connection.sendall(b"".join(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() for path in paths))
        stream = connection.makefile("rb")
        assert [read_answer(connection, stream).code for _ in paths] == [200, 200, 404, 200]


def test_too_many_pipelined_requests(plain):
    with plain.connect() as connection:
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1_000)
        stream, codes = connection.makefile("rb"), []
        while (answer := read_answer(connection, stream)).code:
            codes.append(answer.code)
    assert len(codes) < 100


CONFIG_MAP = b'{"metadata": {"generateName": "c"}}'
POST = b"POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def test_a_body_in_chunks(plain):
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in CONFIG_MAP) + b"0\r\n\r\n"

    assert plain.send(POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunks).code == 201


def test_a_client_that_asks_before_it_sends(plain):
    with plain.connect() as connection:
        connection.sendall(POST + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(CONFIG_MAP))
        stream = connection.makefile("rb")
        assert stream.readline().startswith(b"HTTP/1.1 100")
        stream.readline()
        connection.sendall(CONFIG_MAP)
        assert read_answer(connection, stream).code == 201


def test_a_client_that_asks_whether_it_may_send_too_much(plain):
    assert plain.send(POST + b"Expect: 100-continue\r\nContent-Length: 4000000\r\n\r\n").code == 413


def test_chunks_that_never_end(plain):
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"

    assert plain.send(POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 60).code == 413


def test_a_connection_lives_on_after_a_body_that_was_too_large(plain):
    with plain.connect() as connection:
        connection.sendall(POST + b"Content-Length: 4000000\r\n\r\n" + b" " * 4_000_000)
        stream = connection.makefile("rb")
        assert read_answer(connection, stream).code == 413
        connection.sendall(GET + b"Host: 127.0.0.1\r\n\r\n")
        assert read_answer(connection, stream).code == 200

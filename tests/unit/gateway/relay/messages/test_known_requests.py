"""Requests that are read without the parser: only those that nobody could read in another way."""

import pytest

from bayplan.gateway.relay.messages.known_requests import KnownRequests
from bayplan.gateway.relay.settings import Limits

START = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\n"
WHOLE = START + b"Content-Length: 2\r\n\r\n{}"


def found(data, **limits):
    """What is found the first time and, by what was learnt then, the second time."""
    known = KnownRequests(Limits(**limits))
    first, second = known.find(data), known.find(data)
    assert first == second
    return first


READ = {
    "a length": (WHOLE, b"{}"),
    "in small letters": (START + b"content-length: 2\r\n\r\n{}", b"{}"),
    "a length among others": (START + b"Content-Length: 2\r\nAccept: */*\r\n\r\n{}", b"{}"),
    "a connection that stays": (START + b"Connection: keep-alive\r\nContent-Length: 2\r\n\r\n{}", b"{}"),
    "a query": (WHOLE.replace(b"completions", b"completions?a=b"), b"{}"),
    "a body like a head": (START + b"Content-Length: 8\r\n\r\na: b\r\n\r\n", b"a: b\r\n\r\n"),
}


@pytest.mark.parametrize(("data", "body"), READ.values(), ids=READ)
def test_read(data, body):
    request, rest = found(data)

    assert rest == body
    assert (request.method, request.path, request.keeps_alive) == (b"POST", "/v1/completions", True)
    assert request.start.startswith(b"POST " + request.target + b" HTTP/1.1\r\nHost: x\r\n")
    assert b"ontent-" not in request.start


LEFT = {
    "half a head": START,
    "half a body": WHOLE[:-1],
    "more than a body": WHOLE + b"P",
    "no body": START + b"Content-Length: 0\r\n\r\n",
    "no length": START + b"\r\n",
    "another method": WHOLE.replace(b"POST", b"PUT"),
    "another version": WHOLE.replace(b"1.1", b"1.0"),
    "an absolute target": WHOLE.replace(b"POST /", b"POST http://x/"),
    "a fragment": WHOLE.replace(b"completions", b"a#b"),
    "a space in the target": WHOLE.replace(b"completions", b"a b"),
    "no host": WHOLE.replace(b"Host", b"Post"),
    "two hosts": WHOLE.replace(b"Host: x", b"Host: x\r\nhost: y"),
    "two lengths": WHOLE.replace(b"Host: x", b"Host: x\r\nContent-length: 2"),
    "two lengths alike": WHOLE.replace(b"Host: x", b"Host: x\r\nContent-Length: 2"),
    "a length and chunks": WHOLE.replace(b"Host: x", b"Host: x\r\nTransfer-Encoding: chunked"),
    "a signed length": WHOLE.replace(b": 2", b": +2"),
    "a length with a space": WHOLE.replace(b": 2", b": 2 "),
    "a length in other digits": WHOLE.replace(b": 2", b": \xb2"),
    "a connection that closes": WHOLE.replace(b"Host: x", b"Host: x\r\nConnection: close"),
    "a connection that names headers": WHOLE.replace(b"Host: x", b"Host: x\r\nConnection: keep-alive, x-hop"),
    "an offer of HTTP/2": WHOLE.replace(b"Host: x", b"Host: x\r\nUpgrade: h2c"),
    "a client that asks whether to go on": WHOLE.replace(b"Host: x", b"Host: x\r\nExpect: 100-continue"),
    "a folded line": WHOLE.replace(b"Host: x", b"Host: x\r\nA: b\r\n c"),
    "a folded line behind the length": WHOLE.replace(b": 2\r\n", b": 2\r\n 3\r\n"),
    "a space before a colon": WHOLE.replace(b"Host: x", b"Host: x\r\nA : b"),
    "a lone line feed": WHOLE.replace(b"Host: x", b"Host: x\nA: b"),
    "a lone carriage return": WHOLE.replace(b"Host: x", b"Host: x\rA: b"),
    "a zero byte": WHOLE.replace(b"Host: x", b"Host: x\r\nA: \x00"),
    "a control character": WHOLE.replace(b"Host: x", b"Host: x\r\nA: \x0b"),
    "a line end before it": b"\r\n" + WHOLE,
}


@pytest.mark.parametrize("data", LEFT.values(), ids=LEFT)
def test_left_to_the_parser(data):
    assert found(data) is None


LIMITS = {
    "bytes of the head": {"head_bytes": 30},
    "headers": {"headers": 1},
    "bytes of the target": {"target_bytes": 10},
    "bytes of the body": {"body_bytes": 1},
}


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_limits_are_for_the_parser_to_judge(limits):
    assert found(WHOLE, **limits) is None


def test_what_was_learnt_holds_for_other_lengths():
    known = KnownRequests(Limits())
    request, _ = known.find(WHOLE)

    assert known.find(START + b"Content-Length: 3\r\n\r\n{ }") == (request, b"{ }")
    assert known.find(START + b"Content-Length: 3\r\n\r\n{}") is None

"""Requests of gateways in every body mode: what the gateway is told, and what the router hears."""

import pytest

from bayplan.routing.endpoints.endpoint import Endpoint
from unit.gateway.ext_proc.gateway_side import (
    BODY,
    BUFFERED,
    DESTINATION,
    DUPLEX,
    HEADERS,
    STREAMED,
    head,
    kinds,
    message,
    piece,
)
from unit.gateway.ext_proc.turn_router import TurnRouter
from unit.gateway.http2.wire import window


def test_streamed_replies_to_headers_and_pieces_at_once(picker):
    it = picker()
    number = it.stream()

    assert it.tell(number, head(STREAMED), piece(BODY[:10], ends=False)) == []
    replies = it.tell(number, piece(BODY[10:], ends=False), piece(b""))

    assert kinds(replies) == ["request_headers", "request_body", "request_body", "request_body"]
    assert replies[0].headers == {DESTINATION: "10.0.0.1:8000"}
    assert replies[0].metadata == {"envoy.lb": {DESTINATION: "10.0.0.1:8000"}}
    assert [each.body for each in replies] == [None] * 4
    assert it.desk._router.requests[0].notes["body"] == BODY
    it.reset(number)


def test_buffered_lets_headers_pass_and_decides_with_the_body(picker):
    it = picker()
    number = it.stream()

    (first,) = it.tell(number, head(BUFFERED))
    (second,) = it.tell(number, piece(ends=False))

    assert (first.kind, first.headers, first.metadata) == ("request_headers", {}, {})
    assert (second.kind, second.headers) == ("request_body", {DESTINATION: "10.0.0.1:8000"})
    assert second.metadata == {"envoy.lb": {DESTINATION: "10.0.0.1:8000"}}
    assert second.body is None
    it.reset(number)


@pytest.mark.parametrize("size", [1, 62_000, 62_001, 220_000])
def test_full_duplex_gives_the_body_back_in_pieces(picker, size):
    it = picker()
    number = it.stream()
    content = (b"0123456789" * 22_000)[:size]

    assert (
        it.tell(number, head(DUPLEX), *(piece(content[at : at + 50_000], ends=False) for at in range(0, size, 50_000)))
        == []
    )
    it.say(window(1_000_000), window(1_000_000, number))
    replies = it.tell(number, piece(b""))

    assert replies[0].kind == "request_headers"
    assert replies[0].clears_route
    assert replies[0].headers == {DESTINATION: "10.0.0.1:8000", "content-length": str(size)}
    pieces = replies[1:]
    assert {each.kind for each in pieces} == {"request_body"}
    assert b"".join(each.body for each in pieces) == content
    assert max(len(each.body) for each in pieces) <= 62_000
    assert [each.ends for each in pieces] == [False] * (len(pieces) - 1) + [True]
    it.reset(number)


def test_full_duplex_with_trailers_ends_with_them(picker):
    it = picker()
    number = it.stream()

    replies = it.tell(number, head(DUPLEX), piece(ends=False), message("request_trailers", b""))

    assert kinds(replies) == ["request_headers", "request_body", "request_trailers"]
    assert not replies[1].ends
    assert "content-length" not in replies[0].headers
    it.reset(number)


def test_trailers_end_a_streamed_body(picker):
    it = picker()
    number = it.stream()

    replies = it.tell(number, head(STREAMED), piece(ends=False), message("request_trailers", b""))

    assert kinds(replies) == ["request_headers", "request_body", "request_trailers"]
    it.reset(number)


WITHOUT_BODY = {
    "headers that end the request": (STREAMED, True),
    "headers that end the request, buffered": (BUFFERED, True),
    "headers that end the request, full duplex": (DUPLEX, True),
    "a gateway that sends no bodies": ((0, 0, False), False),
    "pieces that come only after the headers went on": ((1, 0, False), False),
    "a body that may be cut": ((3, 0, False), False),
}


@pytest.mark.parametrize(("modes", "ends"), WITHOUT_BODY.values(), ids=WITHOUT_BODY)
def test_decided_by_headers_alone(picker, modes, ends):
    it = picker()
    number = it.stream()

    (reply,) = it.tell(number, head(modes, ends=ends))

    assert reply.headers[DESTINATION] == "10.0.0.1:8000"
    assert "content-length" not in reply.headers
    if not ends and modes[0]:
        assert kinds(it.tell(number, piece())) == ["request_body"]
    it.reset(number)


def test_a_gateway_that_does_not_tell_its_modes_is_in_full_duplex(picker):
    it = picker()
    number = it.stream()

    replies = it.tell(number, head(None), piece())

    assert replies[1].streams
    assert replies[1].body == BODY
    it.reset(number)


REWRITTEN = b'{"model": "other"}'


@pytest.mark.parametrize("modes", [STREAMED, BUFFERED, DUPLEX], ids=["streamed", "buffered", "duplex"])
def test_a_rewritten_body(picker, modes):
    it = picker(TurnRouter(body=REWRITTEN))
    number = it.stream()

    replies = it.tell(number, head(modes), piece(BODY[:5], ends=modes is BUFFERED))
    replies += [] if modes is BUFFERED else it.tell(number, piece(BODY[5:], ends=False), piece(b""))

    bodies = [each for each in replies if each.kind == "request_body"]
    if modes is STREAMED:
        assert [(each.clears, each.body) for each in bodies] == [(True, None), (True, None), (False, REWRITTEN)]
    else:
        assert [each.body for each in bodies] == [REWRITTEN]
        told = bodies[0] if modes is BUFFERED else replies[0]
        assert told.headers["content-length"] == str(len(REWRITTEN))
    it.reset(number)


def test_headers_of_the_router_are_added_and_those_for_it_alone_removed(picker):
    it = picker(TurnRouter(headers={"x-prefiller-host-port": "10.0.0.9:8000"}))
    number = it.stream()
    sent = {
        **HEADERS,
        "x-llm-d-inference-objective": "chat",
        DESTINATION: "6.6.6.6:1",
        "prefer": "if-available",
        "x-own": "1",
    }

    reply = it.tell(number, head(STREAMED, sent, ends=True))[0]

    assert reply.headers == {DESTINATION: "10.0.0.1:8000", "x-prefiller-host-port": "10.0.0.9:8000"}
    assert sorted(reply.removed) == ["prefer", "x-llm-d-inference-objective"]
    it.reset(number)


def test_fallbacks_are_named_in_order(picker):
    ends = Endpoint("a", "10.0.0.1"), Endpoint("b", "fd00::1", 9000)
    it = picker(TurnRouter(picked=ends))
    number = it.stream()

    reply = it.tell(number, head(STREAMED, ends=True))[0]

    assert reply.headers[DESTINATION] == reply.metadata["envoy.lb"][DESTINATION] == "10.0.0.1:8000,[fd00::1]:9000"
    it.reset(number)


def hint(told):
    return {"envoy.lb.subset_hint": {"x-gateway-destination-endpoint-subset": told}}


SUBSETS = {
    "not told": (None, None),
    "another namespace": ({"envoy.lb": {"x": "y"}}, None),
    "addresses": (hint(["10.0.0.1:8000", "10.0.0.2"]), ("10.0.0.1:8000", "10.0.0.2")),
    "a text with commas": (hint("10.0.0.1:8000, 10.0.0.2"), ("10.0.0.1:8000", "10.0.0.2")),
    "none": (hint([]), ()),
    "no list": (hint({}), ()),
}  # fmt: skip


@pytest.mark.parametrize(("metadata", "expected"), SUBSETS.values(), ids=SUBSETS)
def test_a_subset(picker, metadata, expected):
    it = picker()
    for _ in range(2):  # the second time it is looked up
        number = it.stream()
        it.tell(number, head(STREAMED, ends=True, metadata=metadata))
        it.reset(number)

    assert [each.subset for each in it.desk._router.requests] == [expected] * 2

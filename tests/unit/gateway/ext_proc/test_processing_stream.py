"""Streams of gateways in every body mode, in order and out of order: what they are told, and what the router hears."""

import pytest
from hypothesis import given, settings as tries, strategies as st

from bayplan.gateway.ext_proc.body_room import BodyRoom
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.router import Router
from unit.gateway.ext_proc.gateway_side import (
    BODY,
    BUFFERED,
    DUPLEX,
    HEADERS,
    STREAMED,
    Picker,
    body,
    field,
    http_headers,
    message,
)  # fmt: skip
from unit.gateway.ext_proc.turn_router import TurnRouter
from unit.gateway.http2.wire import data, window

DESTINATION = "x-gateway-destination-endpoint"
ANSWER_HEADERS = http_headers({":status": "200", "content-type": "application/json"})
USAGE = b'{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}'


@pytest.fixture
def picker():
    made = []

    def make(router=None, **context):
        made.append(Picker(router or TurnRouter(), **context))
        return made[-1]

    yield make
    for each in made:
        assert each.desk.live() == 0, "a request is still counted"
        assert each.context.room.held_bytes == 0, "a body is still kept"
        each.close()


def head(modes, headers=None, *, ends=False, metadata=None):
    return message("request_headers", http_headers(headers or HEADERS, ends=ends), modes=modes, metadata=metadata)


def piece(content=BODY, *, ends=True):
    return message("request_body", body(content, ends=ends))


def answer_head(status=200, *, ends=False, served=None):
    metadata = {"envoy.lb": {"x-gateway-destination-endpoint-served": served}} if served else None
    return message("response_headers", http_headers({":status": str(status)}, ends=ends), metadata=metadata)


def answer_piece(content=USAGE, *, ends=True):
    return message("response_body", body(content, ends=ends))


def kinds(replies):
    return [each.kind for each in replies]


# the request


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


# refusals


REFUSALS = {
    "no endpoint": (
        {"status": 503, "reason": "rejected-no-endpoints", "message": "none"},
        503,
        "rejected-no-endpoints",
    ),
    "saturated": ({"status": 429, "reason": "rejected-saturated", "message": "full"}, 429, "rejected-saturated"),
    "a precondition": ({"status": 412, "message": "no prefix"}, 412, None),
}


@pytest.mark.parametrize("modes", [STREAMED, BUFFERED, DUPLEX], ids=["streamed", "buffered", "duplex"])
@pytest.mark.parametrize(("answer", "status", "reason"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal(picker, modes, answer, status, reason):
    it = picker(TurnRouter(**answer))
    number = it.stream()

    reply = it.tell(number, head(modes), piece())[-1]

    assert (reply.kind, reply.status) == ("immediate", status)
    assert reply.headers.get("x-llm-d-request-dropped-reason") == reason
    assert reply.headers["content-type"] == "application/json"
    assert answer["message"].encode() in reply.body
    assert it.desk.live() == 0
    assert it.tell(number, answer_head(), piece()) == []
    it.reset(number)


def test_a_body_that_is_no_json(picker):
    it = picker()
    number = it.stream()

    (reply,) = it.tell(number, head(STREAMED), piece(b"bad"))

    assert (reply.kind, reply.status) == ("immediate", 400)
    it.reset(number)


def test_a_body_that_is_too_long(picker):
    it = picker(room=BodyRoom(body_bytes=100))
    number = it.stream()

    assert it.tell(number, head(DUPLEX), piece(b"x" * 60, ends=False)) == []
    (reply,) = it.tell(number, piece(b"x" * 60, ends=False))

    assert (reply.kind, reply.status) == ("immediate", 413)
    assert it.desk._router.requests == []
    it.reset(number)


def test_too_many_bodies_at_once(picker):
    it = picker(room=BodyRoom(bodies_bytes=100))
    first, second = it.stream(), it.stream()
    it.tell(first, head(DUPLEX), piece(b"x" * 60, ends=False))

    (reply,) = it.tell(second, head(DUPLEX), piece(b"x" * 60, ends=False))
    assert (reply.kind, reply.status) == ("immediate", 503)
    it.reset(first)
    third = it.stream()
    assert it.tell(third, head(DUPLEX), piece(b"x" * 60, ends=False)) == []
    it.reset(second)
    it.reset(third)


# requests that wait


@pytest.mark.parametrize("modes", [STREAMED, BUFFERED, DUPLEX], ids=["streamed", "buffered", "duplex"])
def test_a_request_that_the_router_holds(picker, modes):
    router = TurnRouter(holds=True)
    it = picker(router)
    number = it.stream()

    replies = it.tell(number, head(modes), piece())
    assert [each.timeout_s for each in replies if not each.kind] == ([] if modes is DUPLEX else [3_600])
    it.desk._settle(router.let_go())

    assert it.replies()[0].kind == ("request_body" if modes is BUFFERED else "request_headers")
    it.reset(number)


def test_a_held_request_whose_client_leaves_is_aborted(picker):
    router = TurnRouter(holds=True)
    it = picker(router)
    number = it.stream()
    it.tell(number, head(STREAMED), piece())

    it.reset(number)

    assert router.heard == [("abort", "1")]
    assert router.waiting == {}


def test_a_held_request_that_the_gateway_answers_itself(picker):
    router = TurnRouter(holds=True)
    it = picker(router)
    number = it.stream()
    it.tell(number, head(STREAMED), piece())

    assert kinds(it.tell(number, answer_head(504), answer_piece())) == ["response_headers", "response_body"]
    assert router.heard == [("abort", "1")]
    it.reset(number)


def test_a_shutdown_refuses_what_is_held(picker):
    it = picker(TurnRouter(holds=True))
    number = it.stream()
    it.tell(number, head(STREAMED), piece())

    it.desk.shutdown()

    assert [(each.kind, each.status) for each in it.replies()] == [("immediate", 503)]
    it.reset(number)


# answers


def test_headers_are_the_first_token_where_bodies_do_not_come(picker):
    it = picker()
    number = it.stream()
    it.tell(number, head(STREAMED), piece())

    (reply,) = it.tell(number, answer_head())
    assert (reply.kind, reply.headers) == ("response_headers", {})
    it.say(data(b"", number, 1))

    assert it.desk._router.heard == [("first token", "1"), ("complete", "1", None, None)]


STREAM = b'{"model": "m", "prompt": "hello", "stream": true}'


def test_a_gateway_is_asked_to_tell_the_first_token_of_a_stream(picker):
    it = picker(asks_notes=True)
    number = it.stream()

    reply = it.tell(number, head(STREAMED), piece(STREAM))[0]
    assert reply.metadata["bayplan"] == {"request": "1"}
    it.tell(number, answer_head())
    assert it.desk._router.heard == []
    for _ in range(2):
        it.context.noted["1"]()
    assert it.desk._router.heard == [("first token", "1")]
    it.reset(number)
    assert it.context.noted == {}


NOT_ASKED = {
    "of an answer that is no stream": (True, STREAMED, BODY),
    "of an answer that comes by anyway": (True, DUPLEX, STREAM),
    "where it would not be told": (False, STREAMED, STREAM),
}


@pytest.mark.parametrize(("asks", "modes", "content"), NOT_ASKED.values(), ids=NOT_ASKED)
def test_no_gateway_is_asked_to_tell_the_first_token(picker, asks, modes, content):
    it = picker(asks_notes=asks)
    number = it.stream()

    reply = it.tell(number, head(modes), piece(content))[0]

    assert "bayplan" not in reply.metadata
    assert it.context.noted == {}
    it.reset(number)


def test_the_first_bytes_of_the_body_are_the_first_token_where_they_come(picker):
    it = picker()
    number = it.stream()
    it.tell(number, head(DUPLEX), piece())
    router = it.desk._router

    (first,) = it.tell(number, answer_head())
    assert first.headers == {"x-went-into-resp-headers": "true"}
    it.tell(number, answer_piece(b"", ends=False))
    assert router.heard == []
    (second,) = it.tell(number, answer_piece(USAGE[:9], ends=False))
    assert (second.streams, second.body, second.ends) == (True, USAGE[:9], False)
    assert router.heard == [("first token", "1")]
    (third,) = it.tell(number, answer_piece(USAGE[9:]))
    assert (third.body, third.ends) == (USAGE[9:], True)
    assert router.heard[1:] == [("complete", "1", 7, 3)]
    it.say(data(b"", number, 1))


def test_an_answer_that_breaks_off_is_not_complete(picker):
    it = picker()
    number = it.stream()
    it.tell(number, head(DUPLEX), piece())
    it.tell(number, answer_head(), answer_piece(b"half", ends=False))

    it.reset(number)

    assert it.desk._router.heard == [("first token", "1"), ("abort", "1")]


def test_trailers_end_an_answer(picker):
    it = picker()
    number = it.stream()
    it.tell(number, head(DUPLEX), piece())

    replies = it.tell(number, answer_head(), answer_piece(ends=False), message("response_trailers", b""))

    assert kinds(replies) == ["response_headers", "response_body", "response_trailers"]
    assert it.desk._router.heard[-1] == ("complete", "1", 7, 3)
    it.reset(number)


def test_a_streamed_answer_stays_in_the_gateway(picker):
    it = picker()
    number = it.stream()
    it.tell(number, head((1, 1, True)), piece())

    replies = it.tell(number, answer_head(), answer_piece())

    assert [(each.kind, each.body) for each in replies] == [("response_headers", None), ("response_body", None)]
    assert it.desk._router.heard == [("first token", "1"), ("complete", "1", 7, 3)]
    it.reset(number)


def test_an_answer_without_a_body_is_complete_with_its_headers(picker):
    it = picker()
    number = it.stream()
    it.tell(number, head(DUPLEX, ends=True), answer_head(204, ends=True))

    assert it.desk._router.heard == [("first token", "1"), ("complete", "1", None, None)]
    it.reset(number)


def test_headers_that_the_router_adds_to_an_answer(picker):
    it = picker(TurnRouter(response_headers={"x-session-token": "abc"}))
    number = it.stream()
    it.tell(number, head(STREAMED), piece())

    (reply,) = it.tell(number, answer_head())

    assert reply.headers == {"x-session-token": "abc"}
    it.reset(number)


class Reports:
    """Hears of the health of endpoints."""

    def __init__(self):
        self.heard = []

    def sent(self, name):
        self.heard.append(("sent", name))

    def failed(self, name):
        self.heard.append(("failed", name))

    def succeeded(self, name):
        self.heard.append(("succeeded", name))


SERVED = {
    "the endpoint that was named": (200, "10.0.0.1:8000", [("succeeded", "e0")], []),
    "nobody says which": (200, None, [("succeeded", "e0")], []),
    "another one": (200, "10.0.0.2:8000", [("failed", "e0"), ("succeeded", "e1")], [("served by", "1", "e1")]),
    "one that nobody knows": (200, "10.9.9.9:1", [("succeeded", "e0")], []),
    "a failure": (503, "10.0.0.1:8000", [("failed", "e0")], []),
    "a refusal of the engine": (404, "10.0.0.1:8000", [("succeeded", "e0")], []),
}


@pytest.mark.parametrize(("status", "served", "health", "heard"), SERVED.values(), ids=SERVED)
def test_served_by(picker, status, served, health, heard):
    router = TurnRouter("10.0.0.1:8000", "10.0.0.2:8000")
    it = picker(router)
    it.desk.health = Reports()
    for each in router.endpoints:
        it.desk.endpoint_up(each)
    number = it.stream()
    it.tell(number, head(STREAMED), piece())

    it.tell(number, answer_head(status, served=served))

    assert it.desk.health.heard == [("sent", "e0"), *health]
    assert [each for each in router.heard if each[0] == "served by"] == heard
    it.reset(number)
    assert router.flying == {}


@pytest.mark.parametrize("answered", [False, True])
def test_an_evicted_request_is_answered_by_the_gateway(picker, answered):
    router = TurnRouter()
    it = picker(router)
    number = it.stream()
    it.tell(number, head(DUPLEX), piece(), *([answer_head()] if answered else []))

    it.desk._settle(router.evict("1"))

    (reply,) = it.replies()
    assert (reply.kind, reply.status) == ("immediate", 429)
    assert reply.headers["x-llm-d-request-dropped-reason"] == "evicted-priority"
    it.reset(number)


# gateways that do what no gateway does


VIOLATIONS = {
    "no kind": [b""],
    "a kind that does not exist": [field(14, b"")],
    "bytes that are no message": [b"\xff\xff\xff"],
    "headers that are no headers": [field(2, b"\x0a\xff")],
    "a body first": [piece()],
    "trailers first": [message("request_trailers", b"")],
    "headers twice": [head(DUPLEX), head(DUPLEX)],
    "a body after its end": [head(DUPLEX), piece(), piece()],
    "a body after headers that ended": [head(DUPLEX, ends=True), piece()],
    "an answer twice": [head(STREAMED), piece(), answer_head(), answer_head()],
    "an unknown mode": [head((9, 0, False))],
    "metadata that is none": [field(2, http_headers(HEADERS)) + field(8, b"\x0a\xff")],
    "a body that is none": [head(STREAMED), field(4, b"\x0a\xff\xff")],
}


@pytest.mark.parametrize("messages", VIOLATIONS.values(), ids=VIOLATIONS)
def test_a_violation_ends_the_stream(picker, messages):
    it = picker()
    number = it.stream()
    for each in messages[:-1]:
        it.tell(number, each)

    frames = it.send(number, messages[-1])

    assert it.statuses(frames) == [3]
    assert it.desk._router.flying == {}
    assert not it.connection.is_closed


def test_a_mode_that_we_do_not_speak(picker):
    it = picker()
    number = it.stream()

    frames = it.send(number, head((5, 0, False)))

    assert it.statuses(frames) == [12]


def test_a_gateway_that_only_looks_on_is_let_alone(picker):
    it = picker()
    number = it.stream()

    frames = it.send(number, head(STREAMED) + field(10, 1))

    assert it.statuses(frames) == [0]
    assert it.desk._router.requests == []


def test_an_answer_without_a_request_goes_through(picker):
    it = picker()
    number = it.stream()

    assert kinds(it.tell(number, answer_head(400), answer_piece())) == ["response_headers", "response_body"]
    it.reset(number)


MESSAGES = [
    head(STREAMED), head(BUFFERED), head(DUPLEX), head(DUPLEX, ends=True), head((1, 1, True)), piece(),
    piece(ends=False), message("request_trailers", b""), answer_head(), answer_head(503, ends=True),
    answer_head(served="10.0.0.2:8000"), answer_piece(), answer_piece(ends=False), message("response_trailers", b""),
    b"", b"\xff", field(10, 1),
]  # fmt: skip
STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.one_of(st.sampled_from(MESSAGES), st.sampled_from(["reset", "end"]))), max_size=30
)


def walk(it, steps, check=lambda: None):
    """Do all that on three streams; a new one takes the place of one that has ended. Then the gateway is gone."""
    streams = [it.stream() for _ in range(3)]
    for which, step in steps:
        if streams[which] not in it.connection.streams:
            streams[which] = it.stream()
        if step == "reset":
            it.reset(streams[which])
        elif step == "end":
            it.say(data(b"", streams[which], 1))
        else:
            it.tell(streams[which], step)
        check()
    assert not it.connection.is_closed
    it.connection.lost()
    it.close()


@pytest.mark.parametrize("holds", [False, True])
@tries(max_examples=200, deadline=None)
@given(steps=STEPS)
def test_whatever_comes_nothing_leaks(holds, steps):
    router = TurnRouter("10.0.0.1:8000", "10.0.0.2:8000", holds=holds)
    it = Picker(router)

    def check():
        assert set(router.flying) | set(router.waiting) == set(it.desk._live)

    walk(it, steps, check)

    assert (router.flying, router.waiting, it.desk.live(), it.context.room.held_bytes) == ({}, {}, 0, 0)


@tries(max_examples=100, deadline=None)
@given(steps=STEPS)
def test_the_router_itself_counts_nothing_in_the_end(steps):
    it = Picker(Router())
    for number in range(2):
        it.desk.endpoint_up(Endpoint(f"e{number}", f"10.0.0.{number + 1}"))

    walk(it, steps)

    assert all(not requests and not tokens for requests, tokens in it.desk.inflight().values())

"""Messages in an order that no gateway sends: streams end, and nothing stays counted."""

import pytest
from hypothesis import given, settings as tries, strategies as st

from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.router import Router
from unit.gateway.ext_proc.gateway_side import (
    BUFFERED,
    DUPLEX,
    HEADERS,
    STREAMED,
    Picker,
    answer_head,
    answer_piece,
    field,
    head,
    http_headers,
    kinds,
    message,
    piece,
)
from unit.gateway.ext_proc.turn_router import TurnRouter
from unit.gateway.http2.wire import data

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

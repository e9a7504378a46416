"""Answers that pass the picker, or stay in the gateway: first tokens, ends, and who served them."""

import pytest

from unit.gateway.ext_proc.gateway_side import (
    BODY,
    DUPLEX,
    STREAMED,
    USAGE,
    answer_head,
    answer_piece,
    head,
    kinds,
    message,
    piece,
)
from unit.gateway.ext_proc.turn_router import TurnRouter
from unit.gateway.http2.wire import data


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

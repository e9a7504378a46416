"""Replies to gateways, read back field by field; the real Envoy and grpcio read them in tests/gateway."""

import pytest

from bayplan.gateway.ext_proc import processing_response as replies
from bayplan.gateway.ext_proc.processing_response import REQUEST, RESPONSE
from unit.gateway.ext_proc.gateway_side import Reply, _messages


def one(pieces):
    (content,) = _messages(pieces)
    return Reply(content)


def test_headers_with_everything():
    changes = replies.mutation({"a": "b"}, ["c"])
    reply = one(
        replies.headers_reply(REQUEST, changes, replies.dynamic_metadata({"ns": {"k": "v"}}), clears_route=True)
    )

    assert (reply.kind, reply.headers, reply.removed) == ("request_headers", {"a": "b"}, ["c"])
    assert reply.metadata == {"ns": {"k": "v"}}
    assert reply.clears_route


CONSTANTS = {
    "request_headers": replies.CONTINUE_REQUEST,
    "request_body": replies.CONTINUE_REQUEST_BODY,
    "request_trailers": replies.CONTINUE_REQUEST_TRAILERS,
    "response_headers": replies.CONTINUE_RESPONSE,
    "response_body": replies.CONTINUE_RESPONSE_BODY,
    "response_trailers": replies.CONTINUE_RESPONSE_TRAILERS,
}


@pytest.mark.parametrize(("kind", "pieces"), CONSTANTS.items(), ids=CONSTANTS)
def test_a_reply_that_changes_nothing(kind, pieces):
    reply = one(pieces)

    assert reply.kind == kind
    assert (reply.headers, reply.removed, reply.body, reply.metadata) == ({}, [], None, {})


def test_a_body_in_place_of_a_piece():
    assert one(replies.body_reply(REQUEST, body=b"new")).body == b"new"
    assert one(replies.body_reply(REQUEST, body=b"")).clears


PIECES = {
    "nothing": (0, [0]),
    "a little": (1, [1]),
    "one message": (62_000, [62_000]),
    "a byte more": (62_001, [62_000, 1]),
    "several": (150_000, [62_000, 62_000, 26_000]),
}


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize(("size", "expected"), PIECES.values(), ids=PIECES)
def test_a_body_in_full_duplex(size, expected, ends):
    found = [Reply(content) for content in _messages(replies.streamed_body(RESPONSE, b"x" * size, ends=ends))]

    assert [len(each.body) for each in found] == expected
    assert [each.ends for each in found] == [False] * (len(found) - 1) + [ends]


def test_an_answer_of_the_gateway():
    reply = one(replies.immediate(429, {"retry-after": "1"}, b"{}", "details"))

    assert (reply.kind, reply.status, reply.headers, reply.body) == ("immediate", 429, {"retry-after": "1"}, b"{}")


def test_a_longer_wait():
    assert one(replies.longer_timeout(3_600)).timeout_s == 3_600

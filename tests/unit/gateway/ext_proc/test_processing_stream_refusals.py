"""Requests that are refused, that wait, or that lose their place: what the gateway is told."""

import pytest

from bayplan.gateway.ext_proc.body_room import BodyRoom
from unit.gateway.ext_proc.gateway_side import BUFFERED, DUPLEX, STREAMED, answer_head, answer_piece, head, kinds, piece
from unit.gateway.ext_proc.turn_router import TurnRouter

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

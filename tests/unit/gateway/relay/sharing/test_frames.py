"""What relay processes say to each other comes out as it went in."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as some

from bayplan.gateway.relay.desk import Ending
from bayplan.gateway.relay.sharing import frames
from bayplan.gateway.relay.sharing.frames import FrameError, Frames, Kind
from bayplan.routing.answer import Answer
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.requests.routed_request import RoutedRequest
from bayplan.telemetry.request_metrics import EndedRequest

WHOLE = frames.frame(Kind.ASK, "a-1", b"x" * 300) + frames.frame(Kind.STATE) + frames.frame(Kind.NEXT, "ü", b"y")


@given(places=some.lists(some.integers(0, len(WHOLE)), max_size=12))
def test_cuts_do_not_matter(places):
    edges = sorted({0, len(WHOLE), *places})
    reader = Frames()
    found = []
    for begin, end in pairwise(edges):
        found += reader.feed(WHOLE[begin:end])

    assert found == [(Kind.ASK, "a-1", b"x" * 300), (Kind.STATE, "", b""), (Kind.NEXT, "ü", b"y")]


@pytest.mark.parametrize("length", [b"\xff\xff\xff\xff", b"\x00\x00\x00\x01"])
def test_what_is_no_frame_is_refused(length):
    with pytest.raises(FrameError):
        Frames().feed(length + b"\x01\x05hello")


def test_a_request():
    asked = ("mine", "/v1/completions", {"host": "x"}, b'{"a":1}')

    assert frames.read_asked(frames.asked(*asked)) == asked


ENDED = {
    "everything is known": EndedRequest(Ending.COMPLETED, 200, 1.5, 0.25, 10, 20, True, 3, 4, 2),
    "nothing is known": EndedRequest(Ending.CANCELLED, None, 0.5, None, 0, 0, False),
}


@pytest.mark.parametrize("ended", ENDED.values(), ids=ENDED)
def test_an_end(ended):
    assert frames.read_facts(frames.facts(ended)) == ended


REQUEST = RoutedRequest("a-1", asked_model="m", model="n")
PICKED = Endpoint("e0", "::1", 8001, "prod")
ANSWERS = {
    "picked": Answer(REQUEST, 200, picked=(PICKED,), headers={"a": "1"}, response_headers={"b": "2"}),
    "with a new body": Answer(REQUEST, 200, picked=(PICKED,), body=b"{}"),
    "with an empty body": Answer(REQUEST, 200, picked=(PICKED,), body=b""),
    "with another path": Answer(REQUEST, 200, picked=(PICKED,), path="/v2/models/iris_2/infer"),
    "the whole answer to the client": Answer(REQUEST, 404, message="none", body=b'{"error": "none"}'),
    "refused": Answer(REQUEST, 429, "rejected-saturated", "too much"),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_an_answer(answer):
    found = frames.read_answered("a-1", frames.answered(answer))

    for name in ("status", "reason", "message", "picked", "headers", "response_headers", "body", "path"):
        assert getattr(found, name) == getattr(answer, name)
    assert (found.request.id, found.request.asked_model, found.request.model) == ("a-1", "m", "n")


def test_endpoints():
    assert frames.read_endpoints(frames.endpoints([PICKED])) == [PICKED]

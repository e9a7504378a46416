"""Replies that repeat are made once; what differs is never taken from another request."""

from bayplan.gateway.ext_proc.answer_replies import AnswerReplies
from bayplan.routing.answer import DESTINATION_HEADER, Answer
from bayplan.routing.endpoints.endpoint import Endpoint
from bayplan.routing.requests.routed_request import RoutedRequest
from unit.gateway.ext_proc.gateway_side import Reply, _messages, message


def answer(address="10.0.0.1", **headers):
    endpoint = Endpoint("a", address)
    return Answer(
        RoutedRequest("1"), 200, picked=(endpoint,), headers={DESTINATION_HEADER: endpoint.address, **headers}
    )


def first(pieces):
    return Reply(_messages(pieces)[0])


def test_equal_destinations_share_their_reply():
    make = AnswerReplies()

    assert make.changes(answer(), {}) is make.changes(answer(), {"a": "b"})
    assert make.changes(answer(), {}) is not make.changes(answer("10.0.0.2"), {})


def test_other_headers_are_of_one_request_alone():
    make = AnswerReplies()
    make.changes(answer(**{"x-prefiller-host-port": "a"}), {})
    make.changes(answer(), {"x-llm-d-inference-objective": "chat"})

    reply = first(make.changes(answer(), {}).head)
    assert reply.headers == {DESTINATION_HEADER: "10.0.0.1:8000"}
    assert reply.removed == []


def test_scores_are_told_of_each_request():
    scores = iter([{"10.0.0.1:8000": 0.5}, {"10.0.0.1:8000": 1.0}])
    make = AnswerReplies(lambda _: next(scores))

    found = [first(make.changes(answer(), {}).head).metadata["envoy.lb"] for _ in range(2)]

    assert [each["x-gateway-destination-endpoint-scores"] for each in found] == [
        {"10.0.0.1:8000": 0.5},
        {"10.0.0.1:8000": 1.0},
    ]


def test_what_is_kept_does_not_grow_without_end():
    make = AnswerReplies()
    for number in range(5_000):
        make.changes(answer(f"10.0.{number >> 8}.{number & 255}"), {})
        metadata = message("request_headers", b"", metadata={"x": {"y": str(number)}})
        make.subset(metadata)
        make.served(metadata)

    assert max(len(make._changes), len(make._subsets), len(make._served)) <= 4_096


def test_a_refusal_that_may_be_none_later():
    make = AnswerReplies()

    assert first(make.refusal(429, "full", "rejected-saturated")).headers["retry-after"] == "1"
    assert "retry-after" not in first(make.refusal(400, "bad", None)).headers

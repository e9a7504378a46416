import pytest

from bayplan.routing.answer import CODES, Answer
from bayplan.routing.documents.route import route_document, waiting_document
from bayplan.routing.requests.routed_request import RoutedRequest
from unit.routing.routers import config, endpoint, request, router

FIELDS = {
    "kind", "request", "status", "code", "reason", "message", "model", "priority", "fairness_id", "parser",
    "prompt_tokens", "profile", "saturation", "picked", "headers", "response_headers", "profiles", "endpoints",
    "warnings",
}  # fmt: skip


def document(*plugins, profiles=None, **fields):
    made = router(
        config(*plugins, profiles=profiles),
        endpoint("a", 1, waiting=0, kv_usage=0.1, labels={"x": "1"}, cached=((1, 2, 3),)),
        endpoint("b", 2, waiting=4, kv_usage=0.2),
    )
    (answer,) = made.arrive(request(made, "r", [1, 2, 3], explained=True, **fields), 0.0)
    return made.explain(answer)


def test_every_field_of_the_contract():
    assert set(document("queue-scorer")) == FIELDS
    assert set(waiting_document(RoutedRequest("r"), 0.5)) == FIELDS


def test_rows_of_endpoints():
    found = document(("by-label", {"label": "x", "validValues": ["1"]}), "prefix-cache-scorer")

    kept, refused = found["endpoints"]
    assert kept == {
        "endpoint": "a",
        "kept": True,
        "rejections": [],
        "total": 1.0,
        "terms": [{"plugin": "prefix-cache-scorer", "weight": 1.0, "score": 1.0}],
        "prefix": {"matched_blocks": 1, "total_blocks": 1, "block_size": 16},
    }
    assert (refused["kept"], refused["total"], refused["terms"]) == (False, None, [])
    assert refused["rejections"][0]["code"] == "label-mismatch"
    assert refused["rejections"][0]["message"] == "its label x is absent; allowed: 1"
    assert found["profiles"]["default"]["endpoints"] == found["endpoints"]


def test_a_profile_that_fails_tells_why():
    found = document(("by-label", {"label": "x", "validValues": ["2"]}))

    assert (found["status"], found["picked"], found["profile"]) == (429, [], "default")
    assert found["profiles"]["default"]["failed"] is True
    assert found["message"] == "no endpoint passed the filters of profile default"


MESSAGES = {
    "a pick": ({}, "profile default picked a"),
    "a refusal": ({"subset": ["10.9.9.9"]}, "none of the 2 endpoints that are ready is among the 1 allowed ones"),
}


@pytest.mark.parametrize(("fields", "message"), MESSAGES.values(), ids=MESSAGES)
def test_messages(fields, message):
    assert document("queue-scorer", **fields)["message"] == message


def test_fallbacks():
    found = document("queue-scorer", ("max-score-picker", {"maxNumOfEndpoints": 2}))

    assert found["message"] == "profile default picked a; fallbacks: b"
    assert [each["address"] for each in found["picked"]] == ["10.0.0.1:8000", "10.0.0.2:8000"]


@pytest.mark.parametrize("status", CODES)
def test_every_status_has_a_code(status):
    answer = Answer(RoutedRequest("r"), status, message="because")

    assert route_document(answer, ["of the configuration"])["code"] == CODES[status]
    assert route_document(answer, ["of the configuration"])["warnings"] == ["of the configuration"]

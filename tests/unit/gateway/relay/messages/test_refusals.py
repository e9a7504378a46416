"""Refusals as clients get them."""

import json

import pytest

from bayplan.gateway.relay.messages.refusals import (
    RefusalError,
    code_of,
    refusal_body,
    refusal_headers,
    whole_answer,
)


def test_the_body_is_what_clients_of_openai_read():
    body = refusal_body(RefusalError(429, "too much", reason="rejected-saturated"))

    assert json.loads(body) == {
        "error": {
            "message": "too much", "type": "resource-exhausted", "code": 429, "reason": "rejected-saturated",
            "param": None,
        }
    }  # fmt: skip


HEADERS = {
    "saturated": (RefusalError(429, "", reason="rejected-saturated"),
                  "x-llm-d-request-dropped-reason: rejected-saturated\r\nretry-after: 1\r\n"),
    "no reason": (RefusalError(503, ""), "retry-after: 1\r\n"),
    "not curable by waiting": (RefusalError(400, ""), ""),
}  # fmt: skip


@pytest.mark.parametrize(("refusal", "lines"), HEADERS.values(), ids=HEADERS)
def test_headers(refusal, lines):
    assert refusal_headers(refusal) == lines


def test_a_long_message_is_cut():
    assert len(refusal_body(RefusalError(400, "x" * 100_000))) < 3_000


@pytest.mark.parametrize(("status", "code"), [(400, "bad-request"), (502, "bad-gateway"), (418, "error")])
def test_codes(status, code):
    assert code_of(status) == code


def test_an_answer_to_head_has_its_head_alone():
    answer = whole_answer(404, b"{}", keeps_alive=False, is_head=True)

    assert answer == (
        b"HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n"
    )

"""A JSON document as an answer."""

import asyncio

from bayplan.api.json_response import JsonResponse


def sent_by(response: JsonResponse) -> list[dict]:
    sent: list[dict] = []

    async def send(message: dict) -> None:
        sent.append(message)

    asyncio.run(response({"type": "http"}, None, send))
    return sent


def test_a_document_with_its_length():
    start, body = sent_by(JsonResponse(b'{"a":1}', 201))

    assert start["status"] == 201
    assert start["headers"] == [(b"content-length", b"7"), (b"content-type", b"application/json")]
    assert body["body"] == b'{"a":1}'


def test_headers_can_be_added():
    response = JsonResponse(b"{}")
    response.headers.append("Warning", '299 - "x"')

    assert (b"warning", b'299 - "x"') in sent_by(response)[0]["headers"]
    assert len(sent_by(JsonResponse(b"{}"))[0]["headers"]) == 2

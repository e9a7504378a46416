"""Large answers: in pieces, complete, and with their length."""

import asyncio

from bayplan.api.large_response import LargeResponse


def test_a_large_answer_is_sent_in_pieces_of_known_length():
    sent = []

    async def send(message):
        sent.append(message)

    body = bytes(range(256)) * 3_000
    asyncio.run(LargeResponse(body, media_type="application/json")({"type": "http"}, None, send))

    start, *pieces = sent
    assert (b"content-length", str(len(body)).encode()) in start["headers"]
    assert b"".join(piece["body"] for piece in pieces) == body
    assert [piece["more_body"] for piece in pieces] == [True, True, False]

"""A request as ASGI hands it over."""

import asyncio
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from bayplan.api.access.roles import LOCAL
from bayplan.api.http_request import HttpRequest


def request(*messages: dict[str, Any], headers=(), query: bytes = b"") -> HttpRequest:
    left = list(messages)

    async def receive() -> dict[str, Any]:
        return left.pop(0)

    scope = {
        "type": "http", "method": "POST", "path": "/api/v1/nodes", "headers": list(headers), "query_string": query,
        "state": {"user": LOCAL},
    }  # fmt: skip
    return HttpRequest(scope, receive)


def piece(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


BODIES = {
    "none": ([{"type": "http.request"}], b""),
    "one piece": ([piece(b"{}", more=False)], b"{}"),
    "three pieces": ([piece(b"{", more=True), piece(b"", more=True), piece(b"}", more=False)], b"{}"),
}


@pytest.mark.parametrize(("messages", "body"), BODIES.values(), ids=BODIES)
def test_body(messages, body):
    assert asyncio.run(request(*messages).body()) == body


@pytest.mark.parametrize("before", [[], [piece(b"{", more=True)]], ids=["at once", "in the middle"])
def test_a_client_that_goes_away(before):
    with pytest.raises(ClientDisconnect):
        asyncio.run(request(*before, {"type": "http.disconnect"}).body())


def test_of_several_headers_the_first_counts():
    asked = request(headers=[(b"accept", b"a"), (b"accept", b"b")])

    assert asked.header(b"accept") == "a"
    assert asked.header(b"user-agent") == ""


QUERIES = {
    "none": (b"", {}),
    "a value": (b"limit=5", {"limit": "5"}),
    "no value": (b"watch", {"watch": ""}),
    "escapes": (b"labelSelector=a%3Db+c", {"labelSelector": "a=b c"}),
    "twice": (b"limit=1&limit=2", {"limit": "2"}),
}


@pytest.mark.parametrize(("query", "values"), QUERIES.values(), ids=QUERIES)
def test_query(query, values):
    assert request(query=query).query().values == values


def test_who_and_what():
    asked = request()

    assert (asked.user, asked.method, asked.path) == (LOCAL, "POST", "/api/v1/nodes")

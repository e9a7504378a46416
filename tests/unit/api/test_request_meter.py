"""Every request is counted, whatever becomes of it."""

import asyncio
from contextlib import suppress

import pytest

from bayplan.api.request_meter import ASKED, RequestMeter
from bayplan.telemetry.api_metrics import ApiMetrics
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from metrics_text import samples, shown


def counted(app, method="GET", path="/v1/plan", state=None):
    """The requests that are counted after one, by verb, resource and code."""
    metrics = Metrics()
    meter = RequestMeter(app, ApiMetrics(metrics))
    scope = {"type": "http", "method": method, "path": path, "state": state or {}}

    async def send(message):
        """The client takes everything."""

    async def call():
        await meter(scope, None, send)

    with suppress(ConnectionError):
        asyncio.run(call())
    found = samples(metrics.text(Style.PROMETHEUS))
    names = {
        dict(labels)["code"]: dict(labels)
        for (name, labels), _ in found.items()
        if name == "bayplan_api_requests_total"
    }
    return [(each["verb"], each["resource"], code) for code, each in names.items()], metrics


def answering(status, asked=None):
    async def app(scope, receive, send):
        if asked:
            scope["state"][ASKED] = asked
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    return app


PATHS = {
    "/v1/plan": "v1/plan",
    "/v1/why/pod/p": "v1/why",
    "/v1/nonsense": "other",
    "/v1": "other",
    "/metrics": "metrics",
    "/openapi/v3/apis": "openapi",
    "/": "other",
    "": "other",
    "/x" * 500: "other",
}


@pytest.mark.parametrize(("path", "resource"), PATHS.items(), ids=[each[:20] or "empty" for each in PATHS])
def test_paths_are_counted_by_known_words(path, resource):
    assert counted(answering(200), path=path)[0] == [("get", resource, "200")]


def test_unknown_methods():
    assert counted(answering(405), method="BREW")[0] == [("other", "v1/plan", "405")]


def test_objects_are_counted_by_what_was_asked():
    found, metrics = counted(answering(201, ("create", "pods/binding")))

    assert found == [("create", "pods/binding", "201")]
    labels = {"verb": "create", "resource": "pods/binding", "code": "201"}
    assert shown(metrics, "bayplan_api_request_duration_seconds_count", **labels) == 1


@pytest.mark.parametrize("asked", [("watch", "pods"), ("get", "pods/log")])
def test_what_lasts_as_long_as_clients_like_is_counted_and_not_timed(asked):
    found, metrics = counted(answering(200, asked))

    assert found == [(*asked, "200")]
    labels = {"verb": asked[0], "resource": asked[1], "code": "200"}
    assert shown(metrics, "bayplan_api_request_duration_seconds_count", **labels) is None


def test_a_client_that_goes_away():
    async def app(scope, receive, send):
        raise ConnectionError

    assert counted(app)[0] == [("get", "v1/plan", "499")]


def test_requests_in_flight_are_those_that_are_no_watches():
    metrics = Metrics()
    api = ApiMetrics(metrics)
    api.ask_watches(lambda: 2)
    seen = []

    async def app(scope, receive, send):
        seen.extend((shown(metrics, "bayplan_api_requests_in_flight"), shown(metrics, "bayplan_api_watches")))

    api.in_flight = 2
    asyncio.run(RequestMeter(app, api)({"type": "http", "method": "GET", "path": "/", "state": {}}, None, None))

    assert seen == [1, 2]
    assert shown(metrics, "bayplan_api_requests_in_flight") == 0

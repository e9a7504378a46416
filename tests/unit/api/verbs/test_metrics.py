"""GET /metrics."""

import asyncio

from bayplan.api.access.roles import Role, User
from bayplan.api.verbs.metrics import Exposition
from bayplan.telemetry.metrics.catalogue import ALL, SCRAPE_TIME
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from metrics_text import READERS
from served_api import run


def asked(user=None, accept=""):
    async def talk(api):
        more = {"user": user} if user else {}
        return await api.ask("GET", "/metrics", accept=accept, **more)

    return run(talk)


def test_viewers_of_all_namespaces_read_all_metrics():
    answer = asked(User("v", Role.VIEWER))
    families = {family.name for family in READERS[Style.PROMETHEUS](answer.body.decode())}

    assert answer.status == 200
    assert {"neuronetes_scheduler_pending_pods", "bayplan_store_writes"} <= families
    assert len(families) == len(ALL)
    assert dict(answer.headers)[b"content-type"].startswith(b"text/plain; version=0.0.4")


def test_tokens_for_some_namespaces_do_not():
    assert asked(User("t", Role.ADMIN, ("team",))).status == 403


def test_openmetrics_for_who_asks_for_it():
    answer = asked(accept="application/openmetrics-text;version=1.0.0,text/plain;q=0.5")

    assert answer.body.endswith(b"# EOF\n")
    assert len(list(READERS[Style.OPENMETRICS](answer.body.decode()))) == len(ALL)
    assert dict(answer.headers)[b"content-type"].startswith(b"application/openmetrics-text")


def test_others_have_their_turn_while_metrics_are_written(monkeypatch):
    monkeypatch.setattr("bayplan.api.verbs.metrics._STEP_S", 0.0)
    turns = 0

    async def others():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def scenario():
        metrics = Metrics()
        exposition = Exposition(metrics)
        busy = asyncio.create_task(others())
        await asyncio.gather(*(exposition.answer("") for _ in range(2)))
        busy.cancel()
        return metrics

    metrics = asyncio.run(scenario())
    assert turns > len(ALL)
    assert metrics.histogram(SCRAPE_TIME).count() == 2

"""All metrics of a process."""

import logging

import pytest

from bayplan.telemetry.metrics import catalogue
from bayplan.telemetry.metrics.catalogue import ALL
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from metrics_text import READERS, samples, shown


@pytest.mark.parametrize("style", Style, ids=lambda style: style.name.lower())
def test_every_metric_is_there_before_anything_happened(style):
    families = {family.name: family for family in READERS[style](Metrics().text(style))}

    for about in ALL:
        found = families[about.name.removesuffix("_total")] if about.kind == "counter" else families[about.name]
        assert (found.type, found.documentation) == (about.kind, about.help)
    assert len(families) == len(ALL)


def test_both_formats_say_the_same():
    metrics = Metrics()
    metrics.histogram(catalogue.LATENCY).observe(0.2, "spread", "placed")
    metrics.counter(catalogue.REFUSALS).add("locality", by=3)
    prometheus, openmetrics = (samples(metrics.text(style), style) for style in Style)

    assert prometheus == openmetrics


def test_sources_are_asked_at_each_scrape():
    metrics = Metrics()
    numbers = iter((1, 2))
    metrics.ask("nodes", lambda: metrics.gauge(catalogue.NODES).set(next(numbers), "ready"))

    assert [shown(metrics, "bayplan_nodes", status="ready") for _ in "12"] == [1, 2]


def test_a_source_that_fails_costs_only_its_own(caplog):
    metrics = Metrics()
    metrics.ask("broken", lambda: 1 / 0)
    with caplog.at_level(logging.WARNING, "bayplan"):
        text = metrics.text(Style.PROMETHEUS)

    assert samples(text)["bayplan_metrics_errors_total", (("source", "broken"),)] == 1
    assert "broken failed: ZeroDivisionError" in caplog.text


def test_dropped_series_are_told():
    metrics = Metrics()
    for number in range(catalogue.REQUESTS.most_series + 3):
        metrics.counter(catalogue.REQUESTS).add("get", str(number), "200")
    metrics.text(Style.PROMETHEUS)

    assert shown(metrics, "bayplan_metrics_dropped_total", metric="bayplan_api_requests_total") == 3

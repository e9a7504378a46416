"""Plugins are timed in some decisions."""

from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.plugin_metrics import PluginMetrics
from metrics_text import shown
from unit.framework.builders import Keeps, Scores, freest, roomy, scheduler, table

CALLS = "bayplan_plugin_duration_seconds_count"


def decide(count, *plugins, every=4, **options):
    """The metrics after some decisions, each on a table that changed."""
    metrics, on = Metrics(), table()
    mine = scheduler(*plugins, on=on, observers=[PluginMetrics(metrics, every=every)], **options)
    for number in range(count):
        on.write(0, {"free": 5 + number})
        mine.schedule(number)
    return metrics


def test_one_decision_of_so_many_is_timed():
    metrics = decide(9, roomy(), freest())

    assert shown(metrics, CALLS, kind="filter", plugin="roomy") == 2
    assert shown(metrics, CALLS, kind="scorer", plugin="freest") == 2


def test_none_before_its_turn():
    assert shown(decide(4, roomy(), freest()), CALLS, kind="filter", plugin="roomy") is None


def test_a_plugin_that_fails_is_timed_and_counted():
    def boom(ask, rows, cycle):
        raise ValueError("no")

    metrics = decide(2, Keeps("bad", ("free",), boom), freest(), every=1, skip_broken=True)
    assert shown(metrics, CALLS, kind="filter", plugin="bad") == 1
    assert shown(metrics, "bayplan_plugin_faults_total", plugin="bad") == 2


def test_scores_out_of_range_are_counted():
    wild = Scores("wild", ("free",), lambda ask, rows, cycle: rows.free + 1.5)

    assert shown(decide(1, wild), "bayplan_plugin_clamped_scores_total", plugin="wild") == 3

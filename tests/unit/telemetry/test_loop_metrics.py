"""What the loops tell."""

import pytest

from bayplan.control.observing import UNOBSERVED, Demand, LoopObserver, Phase, QueueLine, Result
from bayplan.telemetry.loop_metrics import LoopMetrics, ask_queue
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from metrics_text import samples, shown

TOLD = {
    "refused": (("locality", 7), {"bayplan_refusals_total": 1, "bayplan_refused_workers_total": 7}),
    "bound": ((3, 1.5), {"bayplan_pods_bound_total": 3, "bayplan_pod_pending_seconds_count": 1}),
    "passed": ((Phase.COMMIT, 0.01), {"bayplan_decision_phase_seconds_count": 1}),
    "preempted": ((2,), {"bayplan_pods_preempted_total": 2}),
    "evicted": ((2, "node-lost"), {"bayplan_pods_evicted_total": 2}),
    "models_booked": ((3,), {"bayplan_serving_bookings_total": 3}),
    "model_answered": (("loaded",), {"bayplan_serving_answers_total": 1}),
    "models_retried": ((2,), {"bayplan_serving_retries_total": 2}),
    "models_overtaken": ((), {"bayplan_serving_lost_races_total": 1}),
    "topology_violated": ((Demand.REQUIRED, 2), {"neuronetes_scheduler_topology_violations_total": 2}),
    "cards_reconfigured": ((2,), {"bayplan_gpu_reconfigurations_total": 2}),
    "node_changed": (("not-ready",), {"bayplan_node_changes_total": 1}),
    "heartbeat": ((), {"bayplan_heartbeats_total": 1}),
    "event_dropped": ((), {"bayplan_events_dropped_total": 1}),
}


def changed(metrics, before):
    """The series that are not as before, added up by name; buckets and sums left out."""
    found = {}
    for (name, labels), value in samples(metrics.text(Style.PROMETHEUS)).items():
        grown = value - before.get((name, labels), 0)
        if grown and not name.endswith(("_bucket", "_sum")):
            found[name] = found.get(name, 0) + grown
    return found


@pytest.mark.parametrize(("method", "told"), TOLD.items(), ids=TOLD)
def test_each_event_counts_where_it_belongs(method, told):
    given, expected = told
    metrics = Metrics()
    observer, before = LoopMetrics(metrics), samples(metrics.text(Style.PROMETHEUS))
    getattr(observer, method)(*given)
    getattr(UNOBSERVED, method)(*given)

    assert changed(metrics, before) == expected


def test_every_event_has_a_metric():
    events = {name for name in vars(LoopObserver) if not name.startswith("_")}

    assert events == set(vars(LoopMetrics)) - {"__module__", "__doc__", "__init__"}
    assert events == {*TOLD, "decided", "reconciled"}


def test_tries_and_successes_have_the_same_series():
    metrics = Metrics()
    observer = LoopMetrics(metrics)
    for result in Result:
        observer.decided("spread", result, 0.004)

    assert shown(metrics, "neuronetes_scheduler_attempts_total", profile="spread") == len(Result)
    assert shown(metrics, "neuronetes_scheduler_success_total", profile="spread") == 2
    assert shown(metrics, "bayplan_decisions_total", profile="spread", result="lost-race") == 1
    assert shown(metrics, "neuronetes_scheduler_latency_seconds_count", profile="spread", result="placed") == 1


def test_a_profile_that_never_succeeded_can_be_divided_too():
    metrics = Metrics()
    LoopMetrics(metrics).decided("spread", Result.WAITING, 0.1)

    assert shown(metrics, "neuronetes_scheduler_success_total", profile="spread") == 0


def test_reconciles_and_their_failures():
    metrics = Metrics()
    observer = LoopMetrics(metrics)
    observer.reconciled("pools", 0.1, failed=False)
    observer.reconciled("pools", 0.1, failed=True)

    assert shown(metrics, "bayplan_reconcile_duration_seconds_count", loop="pools") == 2
    assert shown(metrics, "bayplan_reconcile_failures_total", loop="pools") == 1


def test_the_queue_is_asked():
    class Queue:
        def lines(self):
            return [QueueLine("ready", 1, 4, 2.5), QueueLine("waiting", 0, 0, 0.0)]

    metrics = Metrics()
    ask_queue(metrics, Queue())

    assert shown(metrics, "neuronetes_scheduler_pending_pods", state="ready") == 4
    assert shown(metrics, "neuronetes_scheduler_pending_pods", state="waiting") == 0
    assert shown(metrics, "bayplan_queue_workloads", state="ready") == 1
    assert shown(metrics, "bayplan_queue_oldest_seconds", state="ready") == 2.5

"""Metrics of the loops: what they tell while they work, and what their queue says when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.observing import LoopObserver, Result
from bayplan.telemetry.metrics import catalogue

if TYPE_CHECKING:
    from bayplan.control.observing import Demand, Phase, QueueView
    from bayplan.telemetry.metrics.registry import Metrics

_SUCCESS = frozenset({Result.PLACED, Result.PARTLY})


class LoopMetrics(LoopObserver):
    """Counts what the loops do."""

    def __init__(self, metrics: Metrics) -> None:
        self._attempts = metrics.counter(catalogue.ATTEMPTS)
        self._success = metrics.counter(catalogue.SUCCESS)
        self._decisions = metrics.counter(catalogue.DECISIONS)
        self._latency = metrics.histogram(catalogue.LATENCY)
        self._phases = metrics.histogram(catalogue.PHASES)
        self._refusals = metrics.counter(catalogue.REFUSALS)
        self._refused_workers = metrics.counter(catalogue.REFUSED_WORKERS)
        self._binds = metrics.counter(catalogue.BINDS)
        self._pending = metrics.histogram(catalogue.PENDING_TIME)
        self._preemptions = metrics.counter(catalogue.PREEMPTIONS)
        self._evictions = metrics.counter(catalogue.EVICTIONS)
        self._violations = metrics.counter(catalogue.TOPOLOGY_VIOLATIONS)
        self._reconfigurations = metrics.counter(catalogue.RECONFIGURATIONS)
        self._node_changes = metrics.counter(catalogue.NODE_CHANGES)
        self._heartbeats = metrics.counter(catalogue.HEARTBEATS)
        self._events_dropped = metrics.counter(catalogue.EVENTS_DROPPED)
        self._reconciles = metrics.histogram(catalogue.RECONCILES)
        self._failures = metrics.counter(catalogue.RECONCILE_FAILURES)
        self._models_booked = metrics.counter(catalogue.SERVING_BOOKINGS)
        self._model_answers = metrics.counter(catalogue.SERVING_ANSWERS)
        self._models_retried = metrics.counter(catalogue.SERVING_RETRIES)
        self._models_overtaken = metrics.counter(catalogue.SERVING_LOST_RACES)

    def decided(self, profile: str, result: Result, seconds: float) -> None:
        self._attempts.add(profile)
        self._success.add(profile, by=result in _SUCCESS)  # 0 too: both series are there, so that they can be divided
        self._decisions.add(profile, result)
        self._latency.observe(seconds, profile, result)

    def passed(self, phase: Phase, seconds: float) -> None:
        self._phases.observe(seconds, phase)

    def refused(self, code: str, workers: int) -> None:
        self._refusals.add(code)
        self._refused_workers.add(code, by=workers)

    def bound(self, pods: int, waited_s: float) -> None:
        self._binds.add(by=pods)
        self._pending.observe(waited_s)

    def preempted(self, pods: int) -> None:
        self._preemptions.add(by=pods)

    def evicted(self, pods: int, reason: str) -> None:
        self._evictions.add(reason, by=pods)

    def topology_violated(self, demand: Demand, pods: int = 1) -> None:
        self._violations.add(demand, by=pods)

    def models_booked(self, bookings: int) -> None:
        self._models_booked.add(by=bookings)

    def model_answered(self, answer: str) -> None:
        self._model_answers.add(answer)

    def models_retried(self, bookings: int) -> None:
        self._models_retried.add(by=bookings)

    def models_overtaken(self) -> None:
        self._models_overtaken.add()

    def cards_reconfigured(self, cards: int) -> None:
        self._reconfigurations.add(by=cards)

    def node_changed(self, change: str) -> None:
        self._node_changes.add(change)

    def heartbeat(self) -> None:
        self._heartbeats.add()

    def event_dropped(self) -> None:
        self._events_dropped.add()

    def reconciled(self, loop: str, seconds: float, *, failed: bool) -> None:
        self._reconciles.observe(seconds, loop)
        self._failures.add(loop, by=failed)


def ask_queue(metrics: Metrics, queue: QueueView) -> None:
    """Ask a queue at each scrape how long it is."""
    pods, workloads = metrics.gauge(catalogue.PENDING_PODS), metrics.gauge(catalogue.QUEUE_WORKLOADS)
    oldest = metrics.gauge(catalogue.QUEUE_AGE)

    def ask() -> None:
        lines = list(queue.lines())
        pods.replace({(each.state,): each.pods for each in lines})
        workloads.replace({(each.state,): each.workloads for each in lines})
        oldest.replace({(each.state,): each.oldest_s for each in lines})

    metrics.ask("queue", ask)

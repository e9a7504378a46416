"""What metrics cost: each event that is counted, a scrape of tens of thousands of series, and timing plugins."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from time import thread_time
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from bayplan.api.request_meter import RequestMeter
from bayplan.api.verbs.metrics import Exposition
from bayplan.cluster.ledger import Ledger
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.control.observing import Phase, Result
from bayplan.placement.asks.ask import Taking
from bayplan.placement.decision.strategies import Strategies
from bayplan.placement.defaults import DEFAULT_CONFIG
from bayplan.telemetry.api_metrics import ApiMetrics
from bayplan.telemetry.card_metrics import show_cards
from bayplan.telemetry.ledger_metrics import ask_ledger
from bayplan.telemetry.loop_metrics import LoopMetrics
from bayplan.telemetry.metrics.definition import FAST_S
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.plugin_metrics import PluginMetrics
from bench.measure import Row, interleaved
from bench.placement import Subject, Tiers, all_plugins, read_config
from bench.worker_fleet import worker_fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bayplan.cluster.worker import Worker
    from bayplan.framework.plugins import Observer
    from bench.measure import Work

ROUNDS = 7
CALLS = 20_000
WORKERS = 5_000
DECISIONS = 1_500
CARDS = 8
EVENT_GOAL_US = 2
STEP_GOAL_MS = 10
SCRAPE_GOAL_MS = 100
REQUEST_GOAL_US = 5
SAMPLING_GOAL = 1.05


def rows(say: Callable[[str], None], *, workers: int = WORKERS, decisions: int = DECISIONS) -> Iterator[Row]:
    """Events, requests, scrapes and plugins, each beside the client library of Prometheus where it has the same."""
    yield from _events()
    yield _requests()
    yield from _scrapes(workers)
    yield _sampling(workers, decisions)


def _events() -> Iterator[Row]:
    """One decision with its phases, as the scheduling loop tells it; a peer counts the same."""
    found = interleaved({"ours": lambda: _told(LoopMetrics(Metrics())), "peer": _told_to_peer}, ROUNDS)
    each = {name: seconds / CALLS / 3 * 1e6 for name, seconds in found.items()}  # three calls
    yield Row("metrics/event/cpu", each["ours"], "us", EVENT_GOAL_US, "<=", baseline=each["peer"])


def _told(observer: LoopMetrics) -> Work:
    def run() -> None:
        for _ in range(CALLS):
            observer.decided("pack", Result.PLACED, 0.003)
            observer.passed(Phase.PLAN, 0.002)
            observer.bound(8, 0.5)

    return run


def _told_to_peer() -> Work:
    registry = CollectorRegistry()
    attempts, success = (Counter(name, "x", ["profile"], registry=registry) for name in ("attempts", "success"))
    decisions = Counter("decisions", "x", ["profile", "result"], registry=registry)
    latency = Histogram("latency", "x", ["profile", "result"], registry=registry, buckets=FAST_S)
    phases = Histogram("phases", "x", ["phase"], registry=registry, buckets=FAST_S)
    binds, pending = Counter("binds", "x", registry=registry), Histogram("pending", "x", registry=registry)

    def run() -> None:
        for _ in range(CALLS):
            attempts.labels("pack").inc()
            success.labels("pack").inc()
            decisions.labels("pack", "placed").inc()
            latency.labels("pack", "placed").observe(0.003)
            phases.labels("plan").observe(0.002)
            binds.inc(8)
            pending.observe(0.5)

    return run


def _requests() -> Row:
    """What measuring adds to a request."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def send(message: Any) -> None:
        return None

    def calls(called: Any) -> Work:
        async def ask() -> None:
            for _ in range(CALLS):
                await called({"type": "http", "method": "GET", "path": "/v1/gpus", "state": {}}, None, send)

        return lambda: asyncio.run(ask())

    meter = RequestMeter(app, ApiMetrics(Metrics()))
    found = interleaved({"metered": lambda: calls(meter), "alone": lambda: calls(app)}, ROUNDS)
    return Row("metrics/request/cpu", (found["metered"] - found["alone"]) / CALLS * 1e6, "us", REQUEST_GOAL_US, "<=")


def _scrapes(size: int) -> Iterator[Row]:
    """All metrics of a fleet: where nothing changed since the last scrape, and where every card was measured anew."""
    fleet = worker_fleet(size, 1, Taking.WHOLE)
    workers = [_measured(worker, 1.0) for worker in fleet.workers]
    ledger = Ledger.planned(fleet.snapshot(), fleet.bookings)
    metrics = Metrics()
    ask_ledger(metrics, lambda: ledger)
    show_cards(metrics, lambda: workers)
    percent = 1.0

    def changed() -> Work:
        nonlocal percent
        percent += 1
        workers[:] = [_measured(worker, percent) for worker in workers]
        return lambda: metrics.text(Style.PROMETHEUS)

    def unchanged() -> Work:
        metrics.text(Style.PROMETHEUS)
        return lambda: metrics.text(Style.PROMETHEUS)

    found = interleaved({"unchanged": unchanged, "changed": changed, "peer": lambda: _peer_scrape(workers)}, ROUNDS)
    name = f"metrics/scrape/{size * CARDS}-cards"
    for each in ("unchanged", "changed"):
        yield Row(f"{name}/{each}", found[each] * 1e3, "ms", SCRAPE_GOAL_MS, "<=", baseline=found["peer"] * 1e3)
    holds = []
    for _ in range(ROUNDS):
        changed()
        holds.append(asyncio.run(_longest_hold(metrics)))
    yield Row(f"{name}/longest-hold", min(holds) * 1e3, "ms", STEP_GOAL_MS, "<=")
    yield Row(f"{name}/size", len(metrics.text(Style.PROMETHEUS).encode()) / 1e6, "MB")


def _measured(worker: Worker, percent: float) -> Worker:
    gpus = tuple(GpuUtilization(gpu.index, gpu.runtime, gpu_percent=percent) for gpu in worker.gpus)
    return replace(worker, utilization=Utilization(gpus=gpus))


def _peer_scrape(workers: Sequence[Worker]) -> Work:
    registry = CollectorRegistry()
    gauge = Gauge("gpu_utilization_percent", "x", ["node", "gpu", "model"], registry=registry)
    for worker in workers:
        for gpu in worker.gpus:
            gauge.labels(worker.name, str(gpu.card), gpu.model or "unknown").set(1)
    return lambda: generate_latest(registry)


async def _longest_hold(metrics: Metrics) -> float:
    """The most CPU that is used between two turns of another task while metrics are written."""
    longest, done = 0.0, False

    async def other() -> None:
        nonlocal longest
        while not done:
            began = thread_time()
            await asyncio.sleep(0)
            longest = max(longest, thread_time() - began)

    waiting = asyncio.create_task(other())
    await asyncio.sleep(0)
    await Exposition(metrics).answer("")
    done = True
    await waiting
    return longest


def _sampling(size: int, decisions: int) -> Row:
    """Decisions, each booked before the next, with plugins timed in one of 64 and without."""
    fleet = worker_fleet(size, decisions, Taking.WHOLE)
    profiles = {each.name: each for each in read_config(DEFAULT_CONFIG, all_plugins()).profiles}

    def placing(observers: Sequence[Observer]) -> Work:
        ready = Strategies(fleet.snapshot(), profiles, observers=observers)
        scheduler, table = ready.scheduler("pack"), ready.snapshot.table

        def run() -> None:
            for number, ask in enumerate(fleet.asks):
                outcome = scheduler.schedule(Subject("job", number), Tiers("pack", (ask,)))
                for pick in outcome.picked:
                    for row, values in pick.resolution.writes.items():
                        table.write(row, values)

        return run

    variants = {"timed": lambda: placing((PluginMetrics(Metrics()),)), "alone": lambda: placing(())}
    found = interleaved(variants, ROUNDS)
    return Row("metrics/plugins/timed-to-alone", found["timed"] / found["alone"], "x", SAMPLING_GOAL, "<=")

"""What the process says of itself."""

import asyncio

import bayplan
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.process_metrics import LoopDelay, ask_process
from bayplan.telemetry.system_metrics import SystemMetrics
from metrics_text import shown, value


def test_the_process_is_asked():
    metrics = Metrics()
    ask_process(metrics)
    text = metrics.text(Style.PROMETHEUS)

    assert value(text, "process_resident_memory_bytes") > 1 << 20
    assert value(text, "process_cpu_seconds_total") > 0
    assert value(text, "process_open_fds") >= 3
    assert value(text, "process_start_time_seconds") > 1_600_000_000
    assert f'bayplan_build_info{{version="{bayplan.__version__}"' in text


def test_the_event_loop_is_watched_until_it_is_stopped(monkeypatch):
    monkeypatch.setattr("bayplan.telemetry.process_metrics._TICK_S", 0.0)

    async def scenario():
        metrics = Metrics()
        delay = LoopDelay(metrics)
        delay.start()
        while not shown(metrics, "bayplan_event_loop_delay_seconds_count"):
            await asyncio.sleep(0)
        delay.stop()
        seen = shown(metrics, "bayplan_event_loop_delay_seconds_count")
        for _ in range(20):
            await asyncio.sleep(0)
        return shown(metrics, "bayplan_event_loop_delay_seconds_count") - seen

    assert asyncio.run(scenario()) == 0


def test_a_system_starts_and_stops():
    async def scenario():
        system = SystemMetrics()
        system.start()
        system.stop()
        return system

    assert shown(asyncio.run(scenario()).metrics, "bayplan_bookings") == 0

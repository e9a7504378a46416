"""Metrics of the process: what it is, what it uses, and how late its event loop wakes up."""

from __future__ import annotations

import asyncio
import os
import platform
import time
from typing import TYPE_CHECKING

import bayplan
from bayplan.telemetry.metrics import catalogue

if TYPE_CHECKING:
    from bayplan.telemetry.metrics.registry import Metrics

_TICK_S = 0.5
_PAGE = os.sysconf("SC_PAGE_SIZE")


def ask_process(metrics: Metrics) -> None:
    """Ask at each scrape what the process uses; the names are those that Prometheus' own clients have."""
    metrics.gauge(catalogue.BUILD).set(1, bayplan.__version__, platform.python_version())
    metrics.gauge(catalogue.START).set(round(time.time() - _age_s(), 3))
    cpu, memory = metrics.counter(catalogue.CPU_TIME), metrics.gauge(catalogue.MEMORY)
    files = metrics.gauge(catalogue.FILES)

    def ask() -> None:
        cpu.reach(round(time.process_time(), 3))
        with open("/proc/self/statm", "rb") as statm:  # noqa: PTH123 (read at each scrape)
            memory.set(int(statm.read().split()[1]) * _PAGE)
        files.set(len(os.listdir("/proc/self/fd")))  # noqa: PTH208 (names are enough)

    metrics.ask("process", ask)


def _age_s() -> float:
    """How long the process has lived: the start in ticks since the machine's, the 22nd field of its stat."""
    with open("/proc/self/stat", "rb") as stat:  # noqa: PTH123 (a file of the system)
        ticks = int(stat.read().rpartition(b")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


class LoopDelay:
    """Measures how long ready work waits because something holds the event loop."""

    def __init__(self, metrics: Metrics) -> None:
        self._delays = metrics.histogram(catalogue.LOOP_DELAY)
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + _TICK_S
        self._timer = loop.call_at(due, self._tick, loop, due)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _tick(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self._delays.observe(max(0.0, loop.time() - due))
        self.start()

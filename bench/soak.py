"""One virtual day of the running system, with a simulated fleet: what comes goes again, and memory stays flat."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayplan.control.collections import NODES, PODS, WORKLOADS
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import NotFoundError
from bayplan.control.system import ControlSystem
from bayplan.manifests.inventory.described_node import node_document
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.reader import Document
from bayplan.sim.fleet.fleet import SimulatedFleet
from bayplan.sim.virtual_time import VirtualLoop, run_virtually
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from bench.measure import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.control.store import Store

WORKERS = 40
HOURS = 24
SETTLED_AFTER = 6
"""Hours after which memory must stay flat."""
HASTE = 8
"""Times as much comes and goes in these first hours: histories of 2,000 to 10,000 entries are full then, and numba is
loaded. At the usual pace that takes two days, in which memory grows towards its bounds."""
GROWTH_GOAL = 1.05


def rows(hours: int = HOURS) -> Iterator[Row]:
    """In a process of its own, because memory that other benchmarks left would hide growth."""
    program = f"from bench.soak import day; print(*day({hours}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    early, late, bound, seconds = map(float, done.stdout.split())
    yield Row(f"system/soak/{hours}h/growth", late / early, "times", GROWTH_GOAL, "<=")
    yield Row(f"system/soak/{hours}h/memory", late, "MiB")
    yield Row(f"system/soak/{hours}h/bound", bound, "pods")
    yield Row(f"system/soak/{hours}h/speed", hours * 3600 / seconds, "times real time")


def day(hours: int) -> tuple[float, float, int, float]:
    """MiB after the first hours and at the end, Pods that were bound, and seconds that it took."""
    loop = VirtualLoop()
    begun = time.perf_counter()
    early, late, bound = run_virtually(_day(loop, hours), loop)
    return early, late, bound, time.perf_counter() - begun


async def _day(loop: VirtualLoop, hours: int) -> tuple[float, float, int]:
    async with EmbeddedStore(MemoryShelf(2_000), clock=loop.clock) as store:
        for each in _nodes():
            await store.create(NODES, each)
        system = ControlSystem(store, clock=loop.clock)
        fleet = SimulatedFleet(store, system.cache, system.events, loop.clock, heartbeats=system.heartbeats)
        await system.start()
        fleet.start()
        measured = []
        bound: set[str] = set()
        settled = min(SETTLED_AFTER, hours // 2)
        number = 0
        for minute in range(hours * 60):
            for _ in range(HASTE if minute < settled * 60 else 1):
                await _come_and_go(store, number)
                number += 1
            _cut_off(fleet, minute)
            await asyncio.sleep(60)
            bound |= {each["metadata"]["uid"] for each in system.cache.all(PODS) if each["spec"].get("nodeName")}
            if minute % 60 == 59:
                measured.append(_memory_mib())
        await fleet.stop()
        await system.stop()
        return measured[max(settled, 1) - 1], measured[-1], len(bound)


async def _come_and_go(store: Store, number: int) -> None:
    """A workload and a Pod come, and old ones go."""
    await store.create(WORKLOADS, _workload(f"load-{number}", 1 + number % 5))
    await store.create(PODS, _pod(f"pod-{number}", 1 + number % 4))
    for collection, name in ((WORKLOADS, f"load-{number - 40}"), (PODS, f"pod-{number - 30}")):
        try:
            await store.delete(Key(collection, "default", name), Deletion())
        except NotFoundError:
            continue


def _cut_off(fleet: SimulatedFleet, minute: int) -> None:
    """Now and then a worker is cut off and comes back."""
    worker = fleet.workers.get(f"w-{minute % WORKERS}")
    if worker is not None and minute % 30 == 0:
        worker.cuts += 1
    for each in fleet.workers.values():
        if each.cuts and minute % 30 == 10:
            each.cuts = 0
            fleet.resume(each, restarted=False)


def _memory_mib() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * 4096 / 2**20


def _nodes() -> Iterator[dict[str, Any]]:
    cards = {"count": 8, "model": "H100-SXM5-80GB", "memory": "80Gi"}
    workers = [{"name": f"w-{each}", "cpu": 192, "ram": "2Ti", "gpus": cards} for each in range(WORKERS)]
    for worker in read_inventory([Document({"workers": workers}, "bench")]).cluster.workers:
        yield node_document(worker, "simulated")


def _workload(name: str, replicas: int) -> dict[str, Any]:
    gang = {"gang": {}} if replicas > 3 else {}
    return {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"replicas": replicas, "gpus": {"count": 1 + replicas % 2}, "cpu": 4, **gang},
    }


def _pod(name: str, gpus: int) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"schedulerName": "bayplan", "containers": [container]},
        "status": {"phase": "Pending"},
    }

"""I13 of a loop that runs: its own ledger against the Pods that the cache says are bound, worker by worker."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bayplan.cluster.invariants import worker_drift

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.worker import Worker
    from bayplan.control.scheduling.live_cluster import LiveCluster

_TOGETHER = 50  # workers that are counted before others have the event loop


async def ledger_drift(live: LiveCluster) -> list[str]:
    """What is wrong; changes that are not taken in yet are no drift. Each worker is judged at one moment."""
    found: list[str] = []
    for number, name in enumerate(list(live.state.workers)):
        if number % _TOGETHER == 0:
            await asyncio.sleep(0)
        worker = live.state.workers.get(name)
        if worker is not None and live.is_settled(name):
            found += _drift_on(live, worker)
    return found


def _drift_on(live: LiveCluster, worker: Worker) -> Iterator[str]:
    ledger, pods = live.state.ledger, live.pods
    for violation in worker_drift(ledger, worker):
        yield f"{violation.place}: the scheduler counts wrong: {violation.message}"
    bound, holders = live.bound_pods(worker.name), set()
    for entry in ledger.held_on(worker.name):
        name = pods.pod_of(entry.booking)
        if name is not None:
            holders.add(name)
            if name not in bound and name not in pods.assumed:
                yield f"worker {worker.name}: the scheduler counts Pod {'/'.join(name)}, which is not bound there"
    for name in sorted(bound - holders):
        yield f"worker {worker.name}: the scheduler does not count Pod {'/'.join(name)}, which is bound there"

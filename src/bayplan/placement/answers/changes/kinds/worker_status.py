"""Workers that take no new work, open again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.answers.changes.ladder import Ladder, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.worker import Worker
    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.look import Look

CHANGE = "worker-status"


def ladders(look: Look) -> Iterator[Ladder]:
    """The closed workers that a plan would use if all were ready: the first, the first two, and so on."""
    closed = {worker.name: worker for worker in look.workers if worker.status is not WorkerStatus.READY}
    plan = look.oracle.attempt(_opened(look.case, tuple(closed.values()))) if closed else None
    if plan is None:
        return
    used = tuple(closed[name] for name in dict.fromkeys(each.worker for each in plan.bookings) if name in closed)
    if used:
        yield Ladder(
            change=CHANGE,
            field="workers[].status",
            before={worker.name: str(worker.status) for worker in used},
            steps=[used[: number + 1] for number in range(len(used))],
            apply=_opened,
            short="is not enough",
            told=lambda step, _: f"make {_names(step)} ready",
            named=_names,
            shown=lambda step: {worker.name: "ready" for worker in step},
        )


def _opened(case: Case, workers: tuple[Worker, ...]) -> Case:
    opened = tuple(replace(worker, status=WorkerStatus.READY) for worker in workers)
    return replace(case, workers=(*case.workers, *opened))


def _names(workers: tuple[Worker, ...]) -> str:
    return listed([f"{worker.name} ({worker.status} now)" for worker in workers])

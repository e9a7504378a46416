"""What gangs within a rack cost, through `Planner.plan`; and MIG instances and preemption, each in its own file."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from bayplan.library.planner import planner_of
from bench.documents import MODEL_8B, half_held_cluster, sized, workload
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bench.measure import Work

SIZE = 2_000
MEMBERS = 8
ROUNDS = 5
GOAL_MS = 5.0
BEFORE_MS = 100.0
"""What a gang of whole cards took before step 5."""
KINDS: Mapping[str, Mapping[str, object]] = {
    "cards": {"gpus": {"count": 1}},
    "memory": {"gpus": {"memory": "10Gi"}},
    "model": {"model": MODEL_8B, "backend": {"name": "vllm"}},
}
PARTS = ("bench.mig", "bench.preemption")


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """All figures of this suite, as they come."""
    for kind in KINDS:
        yield from gangs(kind)
    for part in PARTS:
        yield from importlib.import_module(part).rows(say)


def gangs(kind: str, size: int = SIZE) -> Iterator[Row]:
    """A gang of eight within a rack where half of all cards are held: a planner's first plan, and its next one."""
    cluster = half_held_cluster(size)
    warm, asked = sized(*(_gang(name, kind) for name in ("warm", "gang")))

    def prepared(*, first: bool) -> Work:
        planner, _ = planner_of(cluster)
        if not first:
            planner.plan(warm)

        def run() -> None:
            if len(planner.plan(asked).replicas) != MEMBERS:
                raise AssertionError("a rack has room for the gang, and the plan finds none")

        return run

    seconds = interleaved({"first": lambda: prepared(first=True), "next": lambda: prepared(first=False)}, ROUNDS)
    for which, taken in seconds.items():
        yield Row(f"gangs/rack/{kind}/{which}/{size}", taken * 1e3, "ms", GOAL_MS, "<=", BEFORE_MS)


def _gang(name: str, kind: str) -> dict[str, object]:
    return workload(name, replicas=MEMBERS, cpu=1, ram="4Gi", gang={"within": "rack"}, **KINDS[kind])

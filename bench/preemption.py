"""What preemption costs: plans for important workloads on workers whose cards are all held, through `Planner.plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.library.planner import planner_of
from bench.documents import full_cluster, sized, workload
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.measure import Work

SIZE = 5_000
ROUNDS = 2
GOAL_S = 1.0
BEFORE_S = 7.0
"""What eight replicas of eight cards took before step 5: 7 to 18 s, depending on the holders."""


def rows(say: Callable[[str], None], size: int = SIZE) -> Iterator[Row]:
    """Four cards for one replica; eight replicas of eight cards, where pairs or single cards are held."""
    yield Row(f"preemption/1x4/{size}", _seconds(size, 2, 2, replicas=1, gpus={"count": 4}), "s")
    eight = {"replicas": 8, "gpus": {"count": 8}}
    pairs = _seconds(size, 2, 32, **eight)
    yield Row(f"preemption/8x8/{size}", pairs, "s", GOAL_S, "<=", BEFORE_S)
    single = _seconds(size, 1, 64, **eight, gang={"within": "rack"})
    yield Row(f"preemption/8x8/within-rack/{size}", single, "s", GOAL_S, "<=", BEFORE_S)


def _seconds(size: int, cards_each: int, victims: int, **spec: object) -> float:
    """A plan with the smallest set of victims; the planner is new each time, as it is for each call of the library."""
    cluster = full_cluster(size, cards_each)
    (asked,) = sized(workload("urgent", cpu=8, ram="4Gi", priority=100, preemption="lower-priority", **spec))

    def prepared() -> Work:
        planner, _ = planner_of(cluster)

        def run() -> None:
            found = len(planner.plan(asked).victims)
            if found != victims:
                raise AssertionError(f"{found} victims make room, not {victims}: that is another benchmark")

        return run

    return interleaved({"plan": prepared}, ROUNDS)["plan"]

"""What asks for MIG instances cost at 5,000 workers, through `Scheduler.schedule`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.gpu import Gpu
from bayplan.cluster.mig import MigState
from bayplan.placement.asks.ask import Ask, CardShape, Taking
from bayplan.placement.asks.subject import Subject
from bayplan.placement.decision.fit_tiers import Tiers
from bench.measure import Row, interleaved
from bench.placement import placer
from bench.worker_fleet import WorkerFleet, worker_fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.measure import Work

SIZE = 5_000
MIG_ASKS = 2_000
PROFILES = ("1g.5gb", "2g.10gb", "3g.20gb", "1g.10gb")
ROUNDS = 5


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """MIG instances of four profiles on cards that may be cut anew, each booked before the next."""
    cards = tuple(
        Gpu(index, model="A100-SXM4-40GB", memory_mib=40_960, mig=MigState(reconfigurable=True)) for index in range(8)
    )
    workers = tuple(replace(each, gpus=cards) for each in worker_fleet(SIZE, 1, Taking.WHOLE).workers)
    fleet = WorkerFleet(workers, (), ())
    asks = [Ask(taking=Taking.SLICES, mig=profile, shapes=(CardShape(1),), cpu_milli=1_000) for profile in PROFILES]
    tiers = [Tiers("pack", (ask,)) for ask in asks]
    asked = [(Subject("job", number), tiers[number * 7 % len(tiers)]) for number in range(MIG_ASKS)]

    def prepared() -> Work:
        ready = placer(fleet, five=False)
        scheduler, table = ready.scheduler("pack"), ready.snapshot.table
        for tier in tiers:
            scheduler.schedule(Subject("warm"), tier)

        def run() -> None:
            for subject, tier in asked:
                pick = scheduler.schedule(subject, tier).picked[0]
                if pick.resolution is not None:
                    for row, values in pick.resolution.writes.items():
                        table.write(row, values)

        return run

    seconds = interleaved({"mig": prepared}, ROUNDS)["mig"]
    yield Row(f"gangs/mig/{SIZE}", MIG_ASKS / seconds, "/s", 18_000, ">=")

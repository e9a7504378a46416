"""The small fleet of the tour: six workers, two filters, two scorers and one profile, all of them real plugins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Resolution
from bayplan.framework.profile import Profile, Weighted
from bayplan.framework.reasons import Reasons
from bayplan.framework.scheduler import Scheduler
from bayplan.framework.table import Table

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.framework.table import AnyTable

WORKERS = (
    # name, ready, total MiB, free MiB, USD per hour
    ("oslo-1", True, 81_920, 70_000, 4.10),
    ("oslo-2", True, 81_920, 30_000, 4.10),
    ("bergen-1", True, 49_152, 41_000, 1.90),
    ("bergen-2", False, 49_152, 49_152, 1.90),
    ("tromso-1", True, 24_576, 24_576, 0.80),
    ("tromso-2", True, 24_576, 9_000, 0.80),
)


@dataclass(frozen=True, slots=True)
class Need:
    """What a model asks for; equal needs are one class, whoever has them."""

    memory_mib: int


class Ready:
    """Refuses a worker that does not answer. Not curable: evicting others wakes nobody."""

    name = "ready"
    reads: tuple[str, ...] = ("ready",)

    def mask(self, ask: Need, rows: Rows, cycle: Cycle) -> BoolArray:
        mask: BoolArray = rows.ready.copy()
        return mask

    def explain(self, ask: Need, rows: Rows, cycle: Cycle) -> Reasons:
        return Reasons("not-ready", text="does not answer")


class EnoughMemory:
    """Refuses a worker with too little free memory. Curable where the whole card would be enough."""

    name = "enough-memory"
    reads: tuple[str, ...] = ("free_mib", "total_mib")

    def mask(self, ask: Need, rows: Rows, cycle: Cycle) -> BoolArray:
        mask: BoolArray = rows.free_mib >= ask.memory_mib
        return mask

    def explain(self, ask: Need, rows: Rows, cycle: Cycle) -> Reasons:
        return Reasons(
            "gpu-memory-short",
            curable=(rows.total_mib >= ask.memory_mib).tolist(),
            unit="MiB",
            needed=ask.memory_mib,
            free=rows.free_mib,
            text="needs {needed} MiB, {free} are free: {short} too few",
        )


class Fullness:
    """Scores how full the card would be: 1.0 when nothing is left over."""

    name = "fullness"
    reads: tuple[str, ...] = ("free_mib", "total_mib")

    def score(self, ask: Need, rows: Rows, cycle: Cycle) -> FloatArray:
        scores: FloatArray = 1.0 - (rows.free_mib - ask.memory_mib) / rows.total_mib
        return scores


class Thrift:
    """Scores how cheap the worker is beside the dearest of the fleet, whose price is a value that all rows share."""

    name = "thrift"
    reads: tuple[str, ...] = ("usd_per_hour", "dearest_usd_per_hour")

    def score(self, ask: Need, rows: Rows, cycle: Cycle) -> FloatArray:
        scores: FloatArray = 1.0 - rows.usd_per_hour / rows.dearest_usd_per_hour
        return scores


class Card:
    """Turns a picked worker into the memory that a booking would leave on it, in MiB."""

    name = "card"

    def resolve(self, ask: Need, table: AnyTable, row: int, cycle: Cycle) -> Resolution:
        left_mib = int(table.columns["free_mib"][row]) - ask.memory_mib
        return Resolution(left_mib, {row: {"free_mib": left_mib}})


def table() -> Table:
    """The fleet as columns: prices and sizes stand still, readiness and free memory do not."""
    names, ready, total_mib, free_mib, usd_per_hour = zip(*WORKERS, strict=True)
    return Table(
        static={"total_mib": total_mib, "usd_per_hour": usd_per_hour},
        state={"ready": ready, "free_mib": free_mib},
        shared={"dearest_usd_per_hour": max(usd_per_hour)},
        keys=names,
    )


def scheduler() -> Scheduler:
    """One profile, `pack`: fullness counts three times as much as price."""
    pack = Profile(
        "pack",
        picker=MaxScore(),
        filters=(Ready(), EnoughMemory()),
        scorers=(Weighted(Fullness(), 3.0), Weighted(Thrift(), 1.0)),
        resolver=Card(),
    )
    return Scheduler([pack], SingleProfile(), table=table())

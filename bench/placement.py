"""What placement costs: decisions with device choice and booking, one decision on a half full fleet, whys, sizes."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.twins import Twin
from bayplan.library.registry import all_plugins, read_config
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.subject import Subject
from bayplan.placement.decision.fit_tiers import Tiers
from bayplan.placement.decision.strategies import Strategies
from bayplan.placement.defaults import DEFAULT_CONFIG
from bench.measure import Row, interleaved
from bench.worker_fleet import DEAREST_USD_PER_HOUR, MOST_CARBON, worker_fleet
from bench.worker_peers import WEIGHTS, HostKernel, HostObjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.framework.plugins import Compiler, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bench.measure import Work
    from bench.worker_fleet import WorkerFleet

SIZES = {1_000: 1_000, 5_000: 5_000, 50_000: 3_000}
SLOW_DECISIONS = {1_000: 200, 5_000: 100, 50_000: 10}
KINDS = {"whole": (Taking.WHOLE, 25_000), "mib": (Taking.SHARE, 18_000)}
ROUNDS = 5
PARTS = ("bench.inventory", "bench.sizing", "bench.answers", "bench.many_workloads")


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """All figures of this suite, as they come."""
    for size in SIZES:
        for kind in KINDS:
            yield from _decisions(size, kind)
    yield from _one_decision()
    for part in PARTS:
        yield from importlib.import_module(part).rows(say)


def quotient(part: int, whole: int) -> float:
    return part / whole


class Price:
    name = "price"
    reads = ("usd_per_hour",)

    def score(self, ask: Ask, rows: Rows, cycle: Any) -> FloatArray:
        return 1.0 - rows.usd_per_hour / DEAREST_USD_PER_HOUR


class Green:
    name = "green"
    reads = ("carbon_g_per_kwh",)

    def score(self, ask: Ask, rows: Rows, cycle: Any) -> FloatArray:
        return 1.0 - rows.carbon_g_per_kwh / MOST_CARBON


class SpareCpu:
    name = "spare-cpu"
    reads = ("cpu_free_milli", "cpu_milli")

    def score(self, ask: Ask, rows: Rows, cycle: Any) -> FloatArray:
        return rows.cpu_free_milli / rows.cpu_milli

    def twin(self, ask: Ask, shared: Any) -> Twin:
        return Twin(quotient)


class IdleCards:
    name = "idle-cards"
    reads = ("wholly_free_count", "card_count")

    def score(self, ask: Ask, rows: Rows, cycle: Any) -> FloatArray:
        return rows.wholly_free_count / rows.card_count

    def twin(self, ask: Ask, shared: Any) -> Twin:
        return Twin(quotient)


def placer(fleet: WorkerFleet, *, five: bool = True, compiler: Compiler | None = None) -> Strategies:
    """The strategy `pack`: all filters of the product, `binpack`, and where `five`, four scorers beside it."""
    known = all_plugins()
    config: dict[str, Any] = DEFAULT_CONFIG
    if five:
        for plugin in (Price, Green, SpareCpu, IdleCards):
            known.register(plugin)
        uses = [{"pluginRef": name, "weight": weight} for name, weight in WEIGHTS.items()]
        config = {
            "scheduler": "placement",
            "plugins": [{"type": name} for name in (*WEIGHTS, "max-score")],
            "schedulingProfiles": [{"name": "pack", "plugins": [*uses, {"pluginRef": "max-score"}]}],
        }
    profiles = read_config(config, known).profiles
    named = {profile.name: profile for profile in profiles}
    return Strategies(fleet.snapshot(), named, compiler=compiler)


def _decisions(size: int, kind: str) -> Iterator[Row]:
    """Decisions with device choice and booking, next to plain objects and a hand-written kernel in the same run."""
    taking, goal = KINDS[kind]
    decisions = SIZES[size]
    fleet = worker_fleet(size, decisions, taking)
    few = SLOW_DECISIONS[size]
    picked: dict[str, list[int]] = {}
    seconds = interleaved(
        {
            "placer": lambda: _placing(fleet, picked),
            "kernel": lambda: _peer(HostKernel(fleet.snapshot(), decisions), fleet.asks, picked, "kernel"),
            "objects": lambda: _peer(HostObjects(fleet.snapshot()), fleet.asks[:few], picked, "objects"),
        },
        ROUNDS if size < 50_000 else 2,
    )
    for name, found in picked.items():
        if found != picked["placer"][: len(found)]:
            raise AssertionError(f"{name} picks other workers than placement, of {size} ({kind})")
    if -1 in picked["placer"]:
        raise AssertionError(f"an ask fits nowhere among {size} workers: that is another benchmark")
    counts = {"placer": decisions, "kernel": decisions, "objects": few}
    rate = {name: counts[name] / seconds[name] for name in seconds}
    wanted = goal if size == 5_000 else None
    yield Row(f"placement/{kind}/{size}", rate["placer"], "/s", wanted, wanted and ">=", rate["objects"])
    yield Row(f"placement/{kind}/{size}/vs-objects", rate["placer"] / rate["objects"], "x", baseline=1.0)
    yield Row(f"placement/{kind}/{size}/vs-kernel", rate["placer"] / rate["kernel"], "x", baseline=1.0)


def _placing(
    fleet: WorkerFleet, picked: dict[str, list[int]], name: str = "placer", compiler: Compiler | None = None
) -> Work:
    """One decision after the other, each booked before the next."""
    ready = placer(fleet, compiler=compiler)
    scheduler, table = ready.scheduler("pack"), ready.snapshot.table
    tiers = {ask: Tiers("pack", (ask,)) for ask in set(fleet.asks)}
    asked = [(Subject("job", number), tiers[ask]) for number, ask in enumerate(fleet.asks)]

    def run() -> None:
        found = []
        for subject, tier in asked:
            outcome = scheduler.schedule(subject, tier)
            row = -1
            for pick in outcome.picked:
                row = pick.row
                for written, values in pick.resolution.writes.items():
                    table.write(written, values)
            found.append(row)
        picked[name] = found

    return run


def _peer(peer: HostObjects | HostKernel, asks: Any, picked: dict[str, list[int]], name: str) -> Work:
    def run() -> None:
        picked[name] = [peer.decide(ask) for ask in asks]

    return run


def _one_decision() -> Iterator[Row]:
    """1,000 workers of eight cards, half full: a workload of a kind never seen before, and the same kinds once more.

    GPUStack 2.3.0 needs 4 to 21 s of CPU for it. The scheduler is built already and has decided once.
    """
    fleet = worker_fleet(1_000, 200, Taking.SHARE)
    ready = placer(fleet, five=False)
    chance = np.random.default_rng(5)
    kinds = tuple(set(fleet.asks))
    known = list(kinds)

    def new() -> Work:
        return lambda: _place([replace(ask, cpu_milli=int(chance.integers(1, 64_000))) for ask in kinds])

    def _place(asks: list[Ask]) -> None:
        for number, ask in enumerate(asks):
            ready.place(Subject("job", number), "pack", (ask,))

    _place(known)
    seconds = interleaved({"new": new, "again": lambda: lambda: _place(known)}, ROUNDS)
    ms = {name: value / len(kinds) * 1e3 for name, value in seconds.items()}
    yield Row("placement/one-decision/1000", ms["new"], "ms", 1.0, "<=", 4_160.0)
    yield Row("placement/one-decision/1000/again", ms["again"], "ms")

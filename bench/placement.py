"""What placement costs: decisions with device choice and booking, one decision on a half full fleet, whys, sizes."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.cycle import Cycle
from bayplan.framework.evaluation.definition import define
from bayplan.framework.twins import Twin
from bayplan.library.registry import all_plugins, read_config
from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.subject import Subject
from bayplan.placement.decision.fit_tiers import Tiers
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.decision.strategies import Strategies
from bayplan.placement.defaults import DEFAULT_CONFIG
from bench.compiler import numba_compiler
from bench.measure import Row, interleaved
from bench.worker_fleet import DEAREST_USD_PER_HOUR, MOST_CARBON, worker_fleet
from bench.worker_peers import WEIGHTS, HostKernel, HostObjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bayplan.framework.plugins import Compiler, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bench.measure import Work
    from bench.worker_fleet import WorkerFleet

SIZES = {1_000: 1_000, 5_000: 5_000, 50_000: 3_000}
SLOW_DECISIONS = {1_000: 200, 5_000: 100, 50_000: 10}
KINDS = {
    "whole": (Taking.WHOLE, 9_000, 22_000),
    "mib": (Taking.SHARE, 10_000, 24_000),
    "mig": (Taking.SLICES, 9_000, 16_000),
}
"""What is asked for, and the decisions a second that are wanted among 5,000 workers: NumPy alone, and with numba."""
ROUNDS = 5
PARTS = ("bench.inventory", "bench.sizing", "bench.answers", "bench.many_workloads")


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """All figures of this suite, as they come."""
    for size in SIZES:
        for kind in KINDS:
            yield from _decisions(size, kind, say)
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


def _decisions(size: int, kind: str, say: Callable[[str], None]) -> Iterator[Row]:
    """Decisions with device choice and booking, with NumPy alone and compiled, next to their peers in the same run."""
    taking, *goals = KINDS[kind]
    decisions, few, name = SIZES[size], SLOW_DECISIONS[size], f"placement/{kind}/{size}"
    fleet = worker_fleet(size, decisions, taking)
    picked: dict[str, list[int]] = {}
    variants: dict[str, Callable[[], Work]] = {"placer": lambda: _placing(fleet, picked)}
    compiler = numba_compiler(say, f"{name}/numba")
    if compiler is not None:
        _placing(fleet, {}, compiler=compiler)()  # compiles, outside the clock
        variants["numba"] = lambda: _placing(fleet, picked, "numba", compiler)
    if taking is Taking.SLICES:  # instances have no peer of their own: the plain definition is one
        variants["plain"] = lambda: _defined(fleet, fleet.asks[:few], picked)
    else:
        variants["kernel"] = lambda: _peer(HostKernel(fleet.snapshot(), decisions), fleet.asks, picked, "kernel")
        variants["objects"] = lambda: _peer(HostObjects(fleet.snapshot()), fleet.asks[:few], picked, "objects")
    seconds = interleaved(variants, ROUNDS if size < 50_000 else 2)
    for each, found in picked.items():
        if found != picked["placer"][: len(found)]:
            raise AssertionError(f"{each} picks other workers than placement, of {size} ({kind})")
    if -1 in picked["placer"]:
        raise AssertionError(f"an ask fits nowhere among {size} workers: that is another benchmark")
    rate = {each: len(picked[each]) / seconds[each] for each in seconds}
    slowest = "plain" if "plain" in rate else "objects"
    for each, row, goal in (("placer", name, goals[0]), ("numba", f"{name}/numba", goals[1])):
        if each in rate:
            wanted = goal if size == 5_000 else None
            yield Row(row, rate[each], "/s", wanted, wanted and ">=", rate[slowest])
    for peer in ("plain", "objects", "kernel"):
        if peer in rate:
            yield Row(f"{name}/vs-{peer}", rate["placer"] / rate[peer], "x", baseline=1.0)


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


def _defined(fleet: WorkerFleet, asks: Sequence[Ask], picked: dict[str, list[int]]) -> Work:
    """What the strategy means, worked out anew for each ask."""
    ready = placer(fleet)
    scheduler, table = ready.scheduler("pack"), ready.snapshot.table

    def decide(number: int, ask: Ask) -> int:
        cycle = Cycle(Subject("job", number), ask)
        prepared: Any = scheduler.evaluator(variant_of("pack", ask))
        binding = prepared.active(ask, cycle).binding
        row = int(define(binding, table, ask, cycle)[-1].argmax())
        for written, values in binding.profile.resolver.resolve(ask, table, row, cycle).writes.items():
            table.write(written, values)
        return row

    def run() -> None:
        picked["plain"] = [decide(number, ask) for number, ask in enumerate(asks)]

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

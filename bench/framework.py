"""What the scheduling framework costs: decisions over large tables, cycles over small ones, reasons and records."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from bayplan.framework.cycle import Cycle
from bayplan.framework.evaluation.binding import bind
from bayplan.framework.evaluation.contributions import contributions
from bayplan.framework.evaluation.definition import define
from bayplan.framework.evaluation.explain import explain
from bayplan.framework.handlers.single_profile import SingleProfile
from bayplan.framework.scheduler import Scheduler
from bench import endpoints
from bench.compiler import numba_compiler
from bench.factors import profile
from bench.fleet import fleet
from bench.measure import Row, interleaved
from bench.peers import Kernel, Objects, picks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bayplan.framework.plugins import Compiler
    from bench.fleet import Ask, Fleet
    from bench.measure import Work

DECISIONS = {1_000: 1_000, 5_000: 5_000, 50_000: 5_000}
SLOW_DECISIONS = {1_000: 400, 5_000: 300, 50_000: 40}  # of those who look at every row
REQUESTS = 2_000
RECORDED = 2_048
FLUSH = 256
ROUNDS = 7


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """All figures of this suite, as they come."""
    for workers in DECISIONS:
        yield from _decisions(workers, say)
    yield from _cycles()
    yield from _refusals()
    yield from _record()
    if importlib.util.find_spec("bench.reader"):
        yield from importlib.import_module("bench.reader").rows()


class Rates:
    """Decisions per second by variant, once each of them has picked the same rows."""

    def __init__(self, world: Fleet) -> None:
        self._world = world
        self._slow = SLOW_DECISIONS[world.size]
        self._picked: dict[str, list[int]] = {}
        asks = world.asks
        few = asks[: self._slow]
        self._counts = {"folded": len(asks), "kernel": len(asks), "plain": len(few), "objects": len(few)}
        self._variants: dict[str, Callable[[], Work]] = {
            "folded": lambda: self._kept("folded", _booking(world, asks)),
            "kernel": lambda: self._kept("kernel", _peer(Kernel(world), asks)),
            "plain": lambda: self._kept("plain", _plain(world, few)),
            "objects": lambda: self._kept("objects", _peer(Objects(world), few)),
        }

    def add_compiled(self, compiler: Compiler) -> None:
        self._counts["compiled"] = len(self._world.asks)
        self._variants["compiled"] = lambda: self._kept("compiled", _booking(self._world, self._world.asks, compiler))

    def measure(self) -> dict[str, float]:
        seconds = interleaved(self._variants, ROUNDS)
        expected = self._picked["folded"]
        for name, picked in self._picked.items():
            if picked != expected[: len(picked)]:
                raise AssertionError(f"{name} picks other rows than folded, of {self._world.size}")
        if -1 in expected:
            raise AssertionError(f"an ask fits nowhere among {self._world.size} workers: that is another benchmark")
        return {name: self._counts[name] / seconds[name] for name in seconds}

    def _kept(self, name: str, work: Callable[[], list[int]]) -> Work:
        def run() -> None:
            self._picked[name] = work()

        return run


def _decisions(workers: int, say: Callable[[str], None]) -> Iterator[Row]:
    """Decisions with booking; the slow peers decide the first few hundred asks, which is what they are held to."""
    rates = Rates(fleet(workers, DECISIONS[workers]))
    compiler = numba_compiler(say, f"framework/decisions/{workers}/compiled")
    if compiler is not None:
        _booking(fleet(1_000, 1_000), fleet(1_000, 1_000).asks[:100], compiler)()  # compiles, outside the clock
        rates.add_compiled(compiler)
    found = rates.measure()
    goals = {"folded": {5_000: 23_000, 50_000: 15_000}, "compiled": {5_000: 55_000}}
    for name, rate in found.items():
        goal = goals.get(name, {}).get(workers)
        baseline = None if name == "objects" else found["objects"]
        yield Row(f"framework/decisions/{workers}/{name}", rate, "/s", goal, goal and ">=", baseline)
    for name, goal in (("objects", 40), ("kernel", 0.8)):
        ratio = found["folded"] / found[name]
        wanted = goal if workers == 5_000 else None
        yield Row(f"framework/decisions/{workers}/vs-{name}", ratio, "x", wanted, wanted and ">=", 1.0)


def _scheduler(world: Fleet, compiler: Compiler | None = None) -> Scheduler:
    return Scheduler([profile()], SingleProfile(), table=world.table(), compiler=compiler)


def _booking(world: Fleet, asks: Sequence[Ask], compiler: Compiler | None = None) -> Callable[[], list[int]]:
    """One decision after the other, each booked before the next: the way everything else uses the framework."""
    scheduler = _scheduler(world, compiler)
    table = scheduler.table
    assert table is not None

    def run() -> list[int]:
        picked = []
        for ask in asks:
            outcome = scheduler.schedule(ask)
            row = -1
            for pick in outcome.picked:
                row = pick.row
                for written, values in pick.resolution.writes.items():
                    table.write(written, values)
            picked.append(row)
        return picked

    return run


def _plain(world: Fleet, asks: Sequence[Ask]) -> Callable[[], list[int]]:
    """What the profile means, worked out anew for each ask."""
    table, five = world.table(), profile()
    binding = bind(five, table.schema)

    def run() -> list[int]:
        picked = []
        for ask in asks:
            cycle = Cycle(ask, ask)
            (totals,) = define(binding, table, ask, cycle)
            row = int(totals.argmax())
            for written, values in five.resolver.resolve(ask, table, row, cycle).writes.items():
                table.write(written, values)
            picked.append(row)
        return picked

    return run


def _peer(peer: Objects | Kernel, asks: Sequence[Ask]) -> Callable[[], list[int]]:
    return lambda: picks(peer, asks)


def _cycles() -> Iterator[Row]:
    """One cycle over lists; every request is new, so nothing can be kept. The peer is the same choice by hand.

    `new-table` builds a table for each request, and that is counted; `called` has the same plugins without twins.
    """
    requests = endpoints.requests(REQUESTS)
    for size, goal in ((16, 30), (64, 65)):
        objects = endpoints.endpoints(size)
        works = {
            "": endpoints.routed(size, requests),
            "/new-table": endpoints.routed(size, requests, new=True),
            "/called": endpoints.routed(size, requests, twins=False),
            "/objects": lambda objects=objects: [endpoints.choose(objects, request) for request in requests],
        }
        chosen = works["/objects"]()
        for name, work in works.items():
            if work() != chosen:
                raise AssertionError(f"cycle/{size}{name} picks other endpoints than the objects")
        seconds = interleaved({name: lambda work=work: work for name, work in works.items()}, ROUNDS)
        us = {name: value / REQUESTS * 1e6 for name, value in seconds.items()}
        peer = us.pop("/objects")
        for name, value in us.items():
            yield Row(f"framework/cycle/{size}{name}", value, "us", goal, "<=", peer)


def _refusals() -> Iterator[Row]:
    """Every refusal of five filters over 5,000 rows, as columns; no sentence is rendered."""
    world = fleet(5_000, DECISIONS[5_000])
    table = world.table()
    binding = bind(profile(), table.schema)
    asks = world.asks[:200]

    def work() -> None:
        for ask in asks:
            explain(binding, table, ask, Cycle(ask, ask), scored=False)

    seconds = interleaved({"explain": lambda: work}, ROUNDS)["explain"]
    yield Row("framework/refusals/5000", seconds / len(asks) * 1e3, "ms", 0.2, "<=")


def _record() -> Iterator[Row]:
    """What it costs to have every pick's contributions as numbers, beyond deciding.

    Deciding already keeps the values that the scorers saw; that cannot be switched off and is in every other figure.
    Here the same decisions are made with and without asking for the contributions, and the difference is what a pick
    costs: `record` the way a recorder works, which asks for a few hundred at once before it writes them; `record/one`
    pick by pick, as for a single answer.
    """
    asks = fleet(5_000, DECISIONS[5_000]).asks[:RECORDED]
    seconds = interleaved(
        {
            "bare": lambda: _recording(asks, 0),
            "together": lambda: _recording(asks, FLUSH),
            "one": lambda: _recording(asks, 1),
        },
        ROUNDS,
    )
    us = {name: (seconds[name] - seconds["bare"]) / len(asks) * 1e6 for name in ("together", "one")}
    yield Row("framework/record", us["together"], "us", 10, "<=")
    yield Row("framework/record/one", us["one"], "us")


def _recording(asks: Sequence[Ask], flush: int) -> Work:
    """Decide all asks; have contributions made for each `flush` picks, or not at all when that is 0."""
    schedule = _scheduler(fleet(5_000, DECISIONS[5_000])).schedule

    def run() -> None:
        seen = []
        for ask in asks:
            seen.append(schedule(ask).picked[0].seen)
            if flush and len(seen) == flush:
                contributions(seen)
                seen.clear()

    return run

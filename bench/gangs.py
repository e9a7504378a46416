"""What gangs, MIG instances and preemption cost at 5,000 workers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.cluster import Cluster
from bayplan.cluster.gang import Gang
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.mig import MigState
from bayplan.cluster.topology import Level, TopologyPath
from bayplan.cluster.workload import GpuRequest, Preemption, Shape, Workload, WorkloadId
from bayplan.library.registry import all_plugins, read_config
from bayplan.placement.answers.why import explain
from bayplan.placement.answers.why_document import why_document
from bayplan.placement.asks.ask import Ask, CardShape, Taking
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload
from bayplan.placement.asks.subject import Subject
from bayplan.placement.decision.fit_tiers import Tiers
from bayplan.placement.decision.profiles import variant_of
from bayplan.placement.defaults import DEFAULT_CONFIG
from bayplan.placement.gangs.equal_gangs import GangAsk, GangPlacer
from bayplan.placement.planning.planner import Planner
from bayplan.placement.preemption.candidate_victims import Field
from bayplan.placement.preemption.hypothetical import Judge
from bayplan.placement.preemption.least_harm import others
from bayplan.placement.preemption.units import Budgets
from bayplan.sizing.engine import read_engine
from bench.gang_peers import GangKernel
from bench.measure import Row, interleaved
from bench.placement import placer
from bench.worker_fleet import WorkerFleet, worker_fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.measure import Work

SIZE, RACKS = 5_000, 50
GANGS, MEMBERS, AT_ONCE = 400, 4, 8
MIG_ASKS = 2_000
PROFILES = ("1g.5gb", "2g.10gb", "3g.20gb", "1g.10gb")
ROUNDS = 5


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """All figures of this suite, as they come."""
    for name, cards in (("4x1", 1), ("4x8", 8)):
        yield from _gangs(name, cards)
    yield from _instances()
    yield from _preemption()
    yield from _why()


@cache
def racks(*, held: bool = False) -> WorkerFleet:
    """Workers of eight cards in racks of a hundred; where `held`, half of their cards are somebody's."""
    fleet = worker_fleet(SIZE, 1, Taking.WHOLE)
    workers = tuple(
        replace(each, topology=TopologyPath(rack=f"rack-{number % RACKS}")) for number, each in enumerate(fleet.workers)
    )
    return WorkerFleet(workers, fleet.bookings if held else (), fleet.asks)


def _gangs(name: str, cards: int) -> Iterator[Row]:
    """Gangs of four inside the tightest rack, on its fullest workers, each booked before the next; then by eights."""
    ask = Ask(taking=Taking.WHOLE, shapes=(CardShape(cards),), cpu_milli=1_000, ram_mib=4_096)
    picked: dict[str, Any] = {}
    seconds = interleaved(
        {
            "one": lambda: _one_by_one(ask, picked),
            "eight": lambda: _by_eights(ask, picked),
            "kernel": lambda: _kernel(ask, picked),
        },
        ROUNDS,
    )
    one, eight = _cards(picked["one"]), _cards(picked["eight"])
    if one != eight:
        raise AssertionError(f"gangs of {name} by eights stand elsewhere than one by one")
    if picked["kernel"] != [row for row, _ in one]:
        raise AssertionError(f"the kernel picks other workers for gangs of {name}")
    rate = {each: GANGS * MEMBERS / taken for each, taken in seconds.items()}
    goals = {"one": 40_000.0, "eight": 110_000.0} if cards == 1 else {}
    for each, called in (("one", "one-by-one"), ("eight", "by-eights")):
        goal = goals.get(each)
        yield Row(f"gangs/{name}/{called}/{SIZE}", rate[each], "pods/s", goal, goal and ">=", rate["kernel"])


def _one_by_one(ask: Ask, picked: dict[str, Any]) -> Work:
    known = _ready(ask)
    gangs = [GangAsk(f"gang-{number}", ask, MEMBERS, MEMBERS, Level.RACK) for number in range(GANGS)]

    def run() -> None:
        found = []
        for gang in gangs:
            placed, writes = known.place(gang)
            writes.apply()
            found.append(placed)
        picked["one"] = found

    return run


def _by_eights(ask: Ask, picked: dict[str, Any]) -> Work:
    known = _ready(ask)
    gangs = [GangAsk(f"gang-{number}", ask, MEMBERS, MEMBERS, Level.RACK) for number in range(GANGS)]
    handed = [gangs[place : place + AT_ONCE] for place in range(0, GANGS, AT_ONCE)]

    def run() -> None:
        found = []
        for some in handed:
            placed, writes = known.place_many(some)
            writes.apply()
            found += placed
        picked["eight"] = found

    return run


def _kernel(ask: Ask, picked: dict[str, Any]) -> Work:
    snapshot = racks().snapshot()
    kernel = GangKernel(snapshot, ask, snapshot.domains[Level.RACK], GANGS * MEMBERS)

    def run() -> None:
        picked["kernel"] = [row for _ in range(GANGS) for row in kernel.place(MEMBERS)]

    return run


def _ready(ask: Ask) -> GangPlacer:
    ready = placer(racks(), five=False)
    known = GangPlacer(ready, "pack")
    known.copies(ask)
    return known


def _cards(found: Any) -> list[tuple[int, tuple[int, ...]]]:
    return [
        (placed.parts[0].row, tuple(card.index for card in placed.parts[0].booking.cards))
        for gang in found
        for placed in gang.members
    ]


def _instances() -> Iterator[Row]:
    """MIG instances of four profiles on cards that may be cut anew, each booked before the next."""
    cards = tuple(
        Gpu(index, model="A100-SXM4-40GB", memory_mib=40_960, mig=MigState(reconfigurable=True)) for index in range(8)
    )
    workers = tuple(
        replace(each, gpus=cards, topology=TopologyPath(rack=f"rack-{number % RACKS}"))
        for number, each in enumerate(racks().workers)
    )
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


def _sized(shape: Shape) -> SizedRole:
    return SizedRole(shape, None, read_engine(None))


def _request(workload: Workload) -> SizedWorkload:
    return SizedWorkload(workload, (SizedRole(None, workload.replicas, _sized(workload.shape)),))


@cache
def _full() -> Cluster:
    """Every card held, by jobs of priorities 0 to 9."""
    workers = racks().workers
    bookings = tuple(
        Booking(
            f"job-{row}-{part}", 0, worker.name, 4_000, 8_192, (CardBooking(part * 2), CardBooking(part * 2 + 1)),
            priority=(row + part) % 10,
        )
        for row, worker in enumerate(workers)
        for part in range(4)
    )  # fmt: skip
    return Cluster(workers, bookings)


def _profiles() -> dict[str, Any]:
    read = read_config(DEFAULT_CONFIG, all_plugins())
    return {profile.name: profile for profile in read.profiles}


def _preemption() -> Iterator[Row]:
    """Who would have to go on 5,000 full workers: each without its 1, 2, 3 and 4 least important holders, in one call.

    The second row also works out those states from bookings, for all holders of each worker; the third is a whole
    plan, with the smallest set of victims.
    """
    planner = Planner(_full(), _profiles())
    shape = Shape(gpus=GpuRequest(count=4), cpu_milli=8_000)
    workload = Workload(WorkloadId("urgent", priority=100), shape, preemption=Preemption.LOWER_PRIORITY)
    request = _request(workload)
    field = Field(planner.state.snapshot, list(others(planner, request)), Budgets((), planner.state.bookings))
    judge = Judge(planner, request, request.roles[0], field)
    bar = field.priorities[-1]
    ask = ask_tiers(request.roles[0], planner.state.snapshot).asks[0]
    evaluator: Any = planner.state.strategies.checker("pack").evaluator(
        variant_of("pack", ask), planner.state.snapshot.table
    )
    holders = [field.at(row, bar) for row in range(SIZE)]
    cases = field.gone([(row, gone[:number]) for row, gone in enumerate(holders) for number in range(1, 5)])
    states = field.claims.without(cases.rows, cases.case, cases.claim)

    def asked() -> None:
        passed = evaluator.judge(ask, cases.rows, states)[0] != -np.inf
        if len(passed) != 4 * SIZE or not passed.reshape(SIZE, 4)[:, 3].all() or passed.reshape(SIZE, 4)[:, 0].any():
            raise AssertionError("two holders of two cards each must go on every worker, and no fewer")

    def worked_out() -> None:
        if len(judge.open_below(bar)) != SIZE:
            raise AssertionError("not every worker would do without its holders")

    def planned() -> None:
        if not planner.plan(request, reasons=False).victims:
            raise AssertionError("nobody makes room")

    variants = {"asked": lambda: asked, "states": lambda: worked_out, "plan": lambda: planned}
    seconds = interleaved(variants, ROUNDS)
    yield Row(f"gangs/preemption/{SIZE}", seconds["asked"] * 1e3, "ms", 5.0, "<=")
    yield Row(f"gangs/preemption/with-states/{SIZE}", seconds["states"] * 1e3, "ms")
    yield Row(f"gangs/preemption/plan/{SIZE}", seconds["plan"], "s")


def _why() -> Iterator[Row]:
    """Every worker and every check, for a gang of 64 that finds no rack."""
    planner = Planner(Cluster(racks(held=True).workers, racks(held=True).bookings), _profiles())
    shape = Shape(gpus=GpuRequest(count=8), cpu_milli=8_000)
    request = _request(Workload(WorkloadId("large"), shape, replicas=64, gang=Gang(within=Level.RACK)))

    def run() -> None:
        document = why_document(explain(planner, request))
        if not document["gang"]["blocking"] or len(document["workers"]) != SIZE:
            raise AssertionError("why does not answer what was asked")

    seconds = interleaved({"why": lambda: run}, 3)["why"]
    yield Row(f"gangs/why/{SIZE}", seconds, "s", 1.0, "<=")

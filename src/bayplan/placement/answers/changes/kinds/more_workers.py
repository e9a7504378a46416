"""More workers like the ones of the cluster."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.taint import repelling
from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.answers.changes.ladder import Ladder
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.constraints.cost_sum import limit_of
from bayplan.placement.preemption.victims import may_preempt_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.worker import Worker
    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.look import Look

CHANGE = "more-workers"
MOST_KINDS = 6
MOST_WORKERS = 8
MOST_ANSWERS = 2


def ladders(look: Look) -> Iterator[Ladder]:
    """One more of each kind, the cheapest first; only where one of no kind suffices, up to eight of a kind."""
    kinds = _kinds(look)
    if _is_counted(look) and not look.oracle.fits(_everything(look.case, kinds)):
        return
    for counts in ((1,), range(1, MOST_WORKERS + 1)):
        found = 0
        for example in kinds:
            if look.oracle.fits(_added(look.case, example, counts[-1])):
                yield _ladder(example, counts)
                found += 1
            if found == MOST_ANSWERS:
                break
        if found:
            return


def _is_counted(look: Look) -> bool:
    """Whether more workers never hold fewer replicas: equal ones, each on a worker of its own choice.

    Then no kind helps where eight workers of every kind together do not, which is asked by one plan.
    """
    sized, workload = look.sized, look.sized.workload
    if len(sized.roles) != 1 or workload.gang is not None or workload.spread_over is not None:
        return False
    if sized.most_on_spot is not None or may_preempt_below(workload) is not None:
        return False
    asks = ask_tiers(sized.roles[0], look.planner.state.snapshot).asks
    return limit_of(asks) is None and not any(ask.spans for ask in asks)


def _everything(case: Case, kinds: Sequence[Worker]) -> Case:
    for example in kinds:
        case = _added(case, example, MOST_WORKERS)
    return case


def _ladder(example: Worker, counts: Sequence[int]) -> Ladder:
    price = "" if example.usd_per_hour is None else f", {example.usd_per_hour:g} USD an hour each"
    return Ladder(
        change=CHANGE,
        field="workers",
        before=0,
        steps=counts,
        short="is not enough",
        apply=lambda case, step: _added(case, example, step),
        told=lambda step, _: (
            f"{step} more worker{'' if step == 1 else 's'} like {example.name} ({cards_of(example)}{price})"
        ),
        shown=lambda step: {"count": step, "like": example.name},
    )


def cards_of(worker: Worker) -> str:
    """`8 x A100-SXM4-80GB`."""
    counted = Counter(gpu.model or "unknown card" for gpu in worker.gpus)
    return " + ".join(f"{number} x {model}" for model, number in counted.items()) or "no cards"


def _kinds(look: Look) -> list[Worker]:
    """One example of each kind: the cheapest worker among those with the fewest violated constraints."""
    shapes = [part.shape for part in look.parts]
    best: dict[tuple[object, ...], tuple[tuple[int, float], Worker]] = {}
    cards: dict[int, tuple[object, ...]] = {}  # by id: equal workers of a document share one tuple of cards
    for worker in look.workers:
        if id(worker.gpus) not in cards:
            cards[id(worker.gpus)] = tuple((gpu.runtime, gpu.model, gpu.memory_mib) for gpu in worker.gpus)
        key = cards[id(worker.gpus)], worker.cpu_milli, worker.ram_mib
        misses = sum(
            (not shape.selector.matches(worker.labels, worker.name))
            + bool(worker.taints and repelling(worker.taints, shape.tolerations))
            + bool(shape.regions and worker.topology.region not in shape.regions)
            for shape in shapes
        )
        rank = misses, _price(worker)
        if key not in best or rank < best[key][0]:
            best[key] = rank, worker
    ranked = sorted(best.values(), key=lambda each: (each[0][1], each[0][0], each[1].name))
    return [worker for _, worker in ranked[:MOST_KINDS]]


def _price(worker: Worker) -> float:
    return float("inf") if worker.usd_per_hour is None else worker.usd_per_hour


def _added(case: Case, example: Worker, count: int) -> Case:
    """New workers are empty and ready, and their cards are healthy and unused."""
    gpus = tuple(replace(gpu, healthy=True, observed_used_mib=None) for gpu in example.gpus)
    fresh = replace(example, uid="", name="?", status=WorkerStatus.READY, gpus=gpus, utilization=None)
    new = (replace(fresh, uid="", name=f"{example.name}+{number}") for number in range(1, count + 1))
    return replace(case, workers=(*case.workers, *new))

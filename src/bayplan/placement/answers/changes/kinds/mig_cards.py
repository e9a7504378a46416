"""Allow MIG cards to be reconfigured that may not be reconfigured now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.mig import MigState
from bayplan.placement.answers.changes.ladder import Ladder, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.worker import Worker
    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.look import Look

CHANGE = "mig-reconfigurable"
UNCUT = MigState(enabled=False)


def ladders(look: Look) -> Iterator[Ladder]:
    """The cards that a plan would cut if all of them were allowed to be cut: the first, the first two, and so on."""
    wanted = {part.gpus.mig.lower() for part in look.parts if part.gpus and part.gpus.mig}
    if not wanted:
        return
    fixed = {worker.name: [gpu for gpu in worker.gpus if _fixed(gpu, wanted)] for worker in look.workers}
    workers = {worker.name: worker for worker in look.workers if fixed[worker.name]}
    allowed = {name: _allowing(worker, fixed[name]) for name, worker in workers.items()}
    plan = look.oracle.attempt(_with(look.case, allowed.values())) if allowed else None
    if plan is None:
        return
    known = {(name, gpu.card): gpu for name in workers for gpu in fixed[name]}
    cut = [(each.worker, each.card) for each in plan.reconfigurations]
    used = [(name, known[name, card]) for name, card in cut if (name, card) in known]
    if used:
        yield Ladder(
            change=CHANGE,
            field="workers[].gpus[].mig.reconfigurable",
            before=False,
            steps=[tuple(used[: number + 1]) for number in range(len(used))],
            apply=lambda case, step: _with(case, _allowed(workers, step)),
            short="is not enough",
            told=lambda step, _: f"let the MIG instances of {_names(step)} be changed",
            named=_names,
            shown=_shown,
        )


def _fixed(gpu: Gpu, wanted: set[str]) -> bool:
    """Whether the card could give such an instance if its owner allowed it to be reconfigured."""
    if not gpu.healthy or (gpu.mig is not None and gpu.mig.reconfigurable):
        return False
    return gpu.geometry is not None and any(gpu.geometry.profile(name) for name in wanted)


def _allowing(worker: Worker, gpus: Iterable[Gpu]) -> Worker:
    cards = {gpu.card for gpu in gpus}
    changed = [
        replace(gpu, mig=replace(gpu.mig or UNCUT, reconfigurable=True)) if gpu.card in cards else gpu
        for gpu in worker.gpus
    ]
    return replace(worker, gpus=tuple(changed))


def _allowed(workers: dict[str, Worker], step: Iterable[tuple[str, Gpu]]) -> list[Worker]:
    by_worker: dict[str, list[Gpu]] = {}
    for name, gpu in step:
        by_worker.setdefault(name, []).append(gpu)
    return [_allowing(workers[name], gpus) for name, gpus in by_worker.items()]


def _with(case: Case, workers: Iterable[Worker]) -> Case:
    return replace(case, workers=(*case.workers, *workers))


def _names(step: tuple[tuple[str, Gpu], ...]) -> str:
    return listed(_shown(step))


def _shown(step: tuple[tuple[str, Gpu], ...]) -> list[str]:
    return [f"{name}:{gpu.card}" for name, gpu in step]

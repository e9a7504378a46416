"""Which changes would make a workload fit: every kind in its order, each answer planned with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.climbing import climb
from bayplan.placement.answers.changes.kinds import (
    anti_affinity,
    carbon,
    card_count,
    card_memory,
    card_share,
    concurrency,
    context,
    cost,
    cpu_offload,
    distributed,
    gpu_ids,
    gpu_models,
    host,
    kv_cache,
    kv_dtype,
    labels,
    memory_fraction,
    mig_cards,
    mig_profile,
    more_workers,
    nearness,
    overcommit,
    parallelism,
    preemption,
    quantization,
    regions,
    replicas,
    resources,
    spread_over,
    tolerations,
    within,
    worker_status,
)
from bayplan.placement.answers.changes.look import Look
from bayplan.placement.answers.changes.oracle import Oracle, SpentError
from bayplan.placement.answers.changes.pairs import pairs
from bayplan.placement.planning.plan import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bayplan.placement.answers.changes.case import Resize
    from bayplan.placement.answers.changes.change import Change
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.planning.planner import Planner

    Kind = Callable[[Look], Iterator[Ladder]]

MOST_SHOWN = 8  # as many as a reader compares; one of each group finds a place
MOST_OF_A_KIND = 3  # more of one kind tell little more, and each costs several plans

GROUPS: tuple[tuple[Kind, ...], ...] = (
    (parallelism.ladders, memory_fraction.ladders, distributed.ladders),
    (
        labels.ladders, tolerations.ladders, gpu_models.ladders, gpu_ids.ladders, card_memory.ladders, regions.ladders,
        carbon.ladders, anti_affinity.ladders, cost.ladders, nearness.ladders, within.ladders, spread_over.ladders,
    ),
    (worker_status.ladders, mig_cards.ladders),
    (kv_dtype.ladders, concurrency.ladders, context.ladders, kv_cache.ladders, quantization.ladders),
    (host.ladders, resources.ladders, card_share.ladders, card_count.ladders, mig_profile.ladders, cpu_offload.ladders),
    (replicas.ladders,),
    (more_workers.ladders, preemption.ladders),
    (overcommit.ladders,),
)  # fmt: skip
"""The least intrusive first: how the engine is run, constraints, closed workers, how the model is served, how much is
asked for, how many replicas, what it costs others, and last overselling."""


@dataclass(frozen=True, slots=True)
class FoundChanges:
    """The changes in order, at most eight; `cut_off` where the search ended before it was through.

    `helpless`: it was through, and found that no single change and no pair of changes makes the workload fit.
    """

    changes: tuple[Change, ...] = ()
    cut_off: bool = False
    helpless: bool = False


def find_changes(
    planner: Planner, sized: SizedWorkload, verdict: Verdict, resize: Resize, oracle: Oracle | None = None
) -> FoundChanges:
    """What would make a workload of that verdict fit; empty where it fits, or where its need is not known."""
    unknown = any(each.shape.unknown or (each.need is not None and each.need.unknown) for each in sized.roles)
    if verdict is Verdict.FITS or unknown:
        return FoundChanges()
    look = Look(planner, sized, verdict, resize, oracle or Oracle(planner))
    look.oracle.tell(sized, verdict)
    groups: list[list[Change]] = [[] for _ in GROUPS]
    tried: list[Ladder] = []
    couples: list[Change] = []
    cut_off = False
    try:
        for kinds, group in zip(GROUPS, groups, strict=True):
            for kind in kinds:
                group.extend(_of_kind(look, kind, tried))
        if not any(groups):
            couples.extend(pairs(look.oracle, look.case, tried))
    except SpentError:
        cut_off = True
    changes = tuple(couples) or _chosen(groups)
    return FoundChanges(changes, cut_off, helpless=not changes and not cut_off)


def _of_kind(look: Look, kind: Kind, tried: list[Ladder]) -> Iterator[Change]:
    """Overselling is a last resort, never one half of an answer."""

    def climbed() -> Iterator[Change]:
        for ladder in kind(look):
            if kind is not overcommit.ladders:
                tried.append(ladder)
            change = climb(look.oracle, look.case, ladder)
            if change is not None:
                yield change

    return islice(climbed(), MOST_OF_A_KIND)


def _chosen(groups: list[list[Change]]) -> tuple[Change, ...]:
    """One of each group before the second of any, so that no group is crowded out; in the order of the groups."""
    in_turn = [change for row in zip_longest(*map(_by_kinds, groups)) for change in row if change is not None]
    kept = {id(change) for change in in_turn[:MOST_SHOWN]}
    return tuple(change for group in groups for change in group if id(change) in kept)


def _by_kinds(changes: list[Change]) -> list[Change]:
    """One of each kind before the second of any."""
    seen: Counter[str] = Counter()
    ranked = []
    for change in changes:
        ranked.append((seen[change.kind], change))
        seen[change.kind] += 1
    return [change for _, change in sorted(ranked, key=lambda each: each[0])]

"""One more taint that is tolerated."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.taint import Toleration, repelling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.taint import Taint
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "toleration"
MOST_TAINTS = 8


def ladders(look: Look) -> Iterator[Ladder]:
    """Each taint that repels, that of the most workers first: only one that suffices alone is of use."""
    for part in look.parts:
        for taint in _repelling(look, part):
            yield part.ladder(
                CHANGE,
                "tolerations",
                None,
                (taint,),
                lambda shape, step: replace(shape, tolerations=(*shape.tolerations, tolerating(step))),
                lambda step, _: f"tolerate the taint {step}",
                shown=_shown,
            )


def tolerating(taint: Taint) -> Toleration:
    """A toleration of exactly this taint."""
    operator = "Equal" if taint.value else "Exists"
    return Toleration(taint.key, operator, taint.value, taint.effect)


def _repelling(look: Look, part: ExaminedRole) -> list[Taint]:
    distinct = Counter(worker.taints for worker in look.workers if worker.taints)
    found: Counter[Taint] = Counter()
    for taints, workers in distinct.items():
        for taint in set(repelling(taints, part.shape.tolerations)):
            found[taint] += workers
    return sorted(found, key=lambda taint: (-found[taint], str(taint)))[:MOST_TAINTS]


def _shown(taint: Taint) -> dict[str, str]:
    toleration = tolerating(taint)
    value = {"value": toleration.value} if toleration.value else {}
    return {"key": toleration.key, "operator": toleration.operator, **value, "effect": str(taint.effect)}

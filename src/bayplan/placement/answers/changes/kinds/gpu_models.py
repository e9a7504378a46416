"""One more model of GPU that would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.catalogue import matches
from bayplan.placement.answers.changes.edits import with_gpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "gpu-models"
MOST_MODELS = 6


def ladders(look: Look) -> Iterator[Ladder]:
    """The other models of the cluster, those on the cheapest workers first."""
    for part in look.parts:
        now = part.gpus.models if part.gpus else ()
        for model in _others(look, now):
            yield _ladder(part, now, model)


def _others(look: Look, models: tuple[str, ...]) -> list[str]:
    if not models:
        return []
    prices: dict[str, float] = {}
    for worker in look.workers:
        for model in {gpu.model for gpu in worker.gpus if gpu.model}:
            price = float("inf") if worker.usd_per_hour is None else worker.usd_per_hour
            prices[model] = min(price, prices.get(model, price))
    others = [model for model in prices if not any(matches(asked, model) for asked in models)]
    return sorted(others, key=lambda model: (prices[model], model))[:MOST_MODELS]


def _with_model(shape: Shape, model: str) -> Shape:
    return with_gpus(shape, models=(*(shape.gpus.models if shape.gpus else ()), model))


def _ladder(part: ExaminedRole, now: tuple[str, ...], model: str) -> Ladder:
    return part.ladder(
        CHANGE,
        "gpus.models",
        list(now),
        (model,),
        _with_model,
        lambda step, _: f"allow {step} beside {', '.join(now)}",
        shown=lambda step: [*now, step],
    )

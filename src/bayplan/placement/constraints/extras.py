"""What only some workloads need of a strategy: filters beside those of every profile, and weights of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.topology import Level
    from bayplan.cluster.workload import Shape
    from bayplan.placement.asks.ask import Ask


@dataclass(frozen=True, slots=True)
class Extras:
    """Hashable: a scheduler is kept for each. `sample` is how many workers are scored, 0 for all of them.

    `within` and `spread` are the levels of which a decision keeps to some domains; `weights` are scorers by name.
    `shares_spot` says that only some replicas may stand on spot workers.
    """

    avoids: bool = False
    pays: bool = False
    sample: int = 0
    within: Level | None = None
    spread: Level | None = None
    weights: tuple[tuple[str, float], ...] = ()
    shares_spot: bool = False


NONE = Extras()


def extras_of(
    asks: Iterable[Ask],
    shape: Shape | None = None,
    *,
    within: Level | None = None,
    spread: Level | None = None,
    shares_spot: bool = False,
) -> Extras:
    """What these asks of a shape need; without the shape, neither a sample nor weights."""
    asks = tuple(asks)
    return Extras(
        avoids=any(ask.anti_affinity for ask in asks),
        pays=any(ask.max_usd_per_hour is not None for ask in asks),
        sample=(shape.max_workers_to_score or 0) if shape else 0,
        within=within,
        spread=spread,
        weights=shape.weights if shape else (),
        shares_spot=shares_spot,
    )

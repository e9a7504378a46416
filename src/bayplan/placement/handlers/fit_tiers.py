"""Run a strategy once a fit tier, in order, until one answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.framework.outcome import Decision
from bayplan.framework.plugins import Run
from bayplan.placement.domains import SOURCE, worker_ask
from bayplan.placement.tier import Tier
from bayplan.placement.variants import DOMAINS, variant_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.profile import Profile
    from bayplan.placement.ask import Ask


@dataclass(frozen=True, slots=True)
class Tiers:
    """What a replica asks, tier by tier, under a strategy (the name of a profile)."""

    strategy: str
    asks: tuple[Ask, ...]


class FitTiers:
    """Tries the tiers that a workload allows, in order: one GPU, one worker, several workers, partial offload, CPU.

    Each is one run of the strategy's profile, named `STRATEGY/TIER`. A tier that spans workers is two runs: the
    profile on the workers, then a choice among the domains made from who passed. The first tier that answers wins,
    whatever the scores.
    """

    name = "fit-tiers"

    def pick_profiles(
        self, cycle: Cycle, profiles: Mapping[str, Profile], results: Mapping[str, RunResult]
    ) -> Sequence[Run]:
        tiers: Any = cycle.ask
        for ask in tiers.asks:
            name = run_name(tiers.strategy, ask)
            if name in results:
                if results[name].ok:
                    return ()
                continue
            if not ask.spans:
                return (Run(variant_of(tiers.strategy, ask), name, ask),)
            workers = f"{name}/workers"
            if workers not in results:
                asked = worker_ask(ask)
                return (Run(variant_of(tiers.strategy, asked), workers, asked),)
            if results[workers].ok:
                return (Run(DOMAINS, name, ask, candidates=SOURCE),)
        return ()

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        tiers: Any = cycle.ask
        for ask in tiers.asks:
            name = run_name(tiers.strategy, ask)
            if name in results and results[name].ok:
                return Decision(name, ask)
        return Decision(None)


def run_name(strategy: str, ask: Ask) -> str:
    """`STRATEGY/TIER`; a tier that may span workers, but is tried on one first, has two names."""
    spanning = "/many" if ask.spans and ask.tier is not Tier.MANY_WORKERS else ""
    oversold = "/overcommit" if ask.overcommit else ""
    return f"{strategy}/{ask.tier}{spanning}{oversold}"

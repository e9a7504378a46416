"""Run a strategy once for each fit tier, in order, until one answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.framework.outcome import Decision
from bayplan.framework.plugins import Run
from bayplan.placement.asks.tier import Tier
from bayplan.placement.decision.profiles import DOMAINS, variant_of
from bayplan.placement.decision.worker_domains import SOURCE, worker_ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.profile import Profile
    from bayplan.placement.asks.ask import Ask


class Step(NamedTuple):
    """One tier: the runs that lead to its answer, and what is decided if the last of them picks."""

    runs: tuple[Run, ...]
    answer: Decision


@dataclass(frozen=True, slots=True)
class Tiers:
    """What a replica asks, tier by tier, under a strategy (the name of a profile)."""

    strategy: str
    asks: tuple[Ask, ...]
    steps: tuple[Step, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(_step(self.strategy, ask) for ask in self.asks))


class FitTiers:
    """Tries the tiers that a workload allows, in order: one GPU, one worker, several workers, partial offload, CPU.

    Each is one run of the strategy's profile, named `STRATEGY/TIER`. A tier that spans workers is two runs: the
    profile on the workers, then a choice among the domains of the workers that passed. The first tier that answers
    wins, whatever the scores.
    """

    name = "fit-tiers"

    def pick_profiles(
        self, cycle: Cycle, profiles: Mapping[str, Profile], results: Mapping[str, RunResult]
    ) -> Sequence[Run]:
        tiers: Any = cycle.ask
        for step in tiers.steps:
            for run in step.runs:
                result = results.get(run.name)
                if result is None:
                    return (run,)
                if not result.ok:
                    break
            else:
                return ()
        return ()

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        tiers: Any = cycle.ask
        steps: tuple[Step, ...] = tiers.steps
        for step in steps:
            result = results.get(step.runs[-1].name)
            if result is not None and result.ok:
                return step.answer
        return Decision(None)


def _step(strategy: str, ask: Ask) -> Step:
    name = run_name(strategy, ask)
    answer = Decision(name, ask)  # the first tier that answers wins, so a run that picks is the end of the cycle
    if not ask.spans:
        return Step((Run(variant_of(strategy, ask), name, ask, answer=answer),), answer)
    asked = worker_ask(ask)
    workers = Run(variant_of(strategy, asked), f"{name}/workers", asked)
    return Step((workers, Run(DOMAINS, name, ask, candidates=SOURCE, answer=answer)), answer)


def run_name(strategy: str, ask: Ask) -> str:
    """`STRATEGY/TIER`; a tier that may span workers, but is tried on one first, has two names.

    A tier that asks for devices of several kinds has one name for each kind.
    """
    spanning = "/many" if ask.spans and ask.tier is not Tier.MANY_WORKERS else ""
    oversold = "/overcommit" if ask.overcommit else ""
    devices = "" if ask.devices is None else f"/{ask.devices.kind}{ask.devices.profile and '-'}{ask.devices.profile}"
    return f"{strategy}/{ask.tier}{devices}{spanning}{oversold}"

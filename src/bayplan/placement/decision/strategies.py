"""Strategies on a snapshot: the schedulers that decide, one for each strategy and set of demands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.evaluation.binding import bind
from bayplan.framework.evaluation.classes import KeptBytes
from bayplan.framework.filters.sample import Sample
from bayplan.framework.nearest import did_you_mean
from bayplan.framework.plugins import Depends
from bayplan.framework.scheduler import Scheduler
from bayplan.placement.cards.numa.zones import any_strict
from bayplan.placement.constraints.active import FILTERS
from bayplan.placement.decision.bookings import Devices
from bayplan.placement.decision.fit_tiers import FitTiers, Tiers
from bayplan.placement.decision.foresight import Foresight, looking_ahead
from bayplan.placement.decision.profiles import card_order, domain_profile, variant_of, variants
from bayplan.placement.decision.tuning import PLAIN, Tuning
from bayplan.placement.decision.worker_domains import WorkerDomains
from bayplan.placement.decision.workload_weights import reweighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.fork import Fork
    from bayplan.framework.outcome import Outcome
    from bayplan.framework.plugins import Compiler, FloatArray, Observer, Picker
    from bayplan.framework.profile import Profile
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.subject import Subject
    from bayplan.placement.cards.choose import CardOrder
    from bayplan.placement.packing.mix import Mix


IMPLIED = frozenset({"five-factors", "vgpu-cost-saving", "vgpu-high-performance"})
"""Strategies that AgentPools and Pods ask for without naming them."""


LEAST_KEPT_BYTES = 64 * 1024 * 1024
KEPT_BYTES_A_WORKER = 4096
"""What all profiles together may keep of former asks.

4096 bytes a worker hold some hundred kinds of asks, at 8 bytes a worker and level; small clusters get 64 MiB.
"""


class Strategies:
    """Decides where a replica goes; nothing is written. Plugins that only some workloads need run for those alone."""

    def __init__(
        self,
        snapshot: Snapshot,
        profiles: Mapping[str, Profile],
        *,
        observers: Sequence[Observer] = (),
        skip_broken: bool = False,
        mix: Mix | None = None,
        compiler: Compiler | None = None,
    ) -> None:
        """`mix`: what is known, or being learnt, of the workloads that come; once it is known, `pack` looks ahead.

        `compiler`: compiles the loops over changed workers, where the process lives long enough.
        """
        self.snapshot = snapshot
        self._profiles = profiles
        self._observers = tuple(observers)
        self._skip_broken = skip_broken
        self._compiler = compiler
        self._last: Tiers | None = None
        self._foresight = None if mix is None else Foresight(snapshot, mix)
        self._ahead = False
        self._zoned = any_strict(snapshot.pools)
        self._schedulers: dict[tuple[str, Tuning], Scheduler] = {}
        self._checkers: dict[str, Scheduler] = {}
        self._kept_bytes = KeptBytes(max(LEAST_KEPT_BYTES, KEPT_BYTES_A_WORKER * len(snapshot.workers)))

    def strategy(self, name: str) -> str:
        """The profile that serves a strategy: the one of its name, or the only one there is.

        Dialects that cannot name a strategy ask for one of ours; where a configuration has none of that name, `pack` or
        its first profile serves them.
        """
        if name in self._profiles:
            return name
        if len(self._profiles) == 1:
            return next(iter(self._profiles))
        if name in IMPLIED:
            return "pack" if "pack" in self._profiles else next(iter(self._profiles))
        message = f"no profile is called {name!r}"
        raise InputError(message, place="strategy", next=did_you_mean(name, self._profiles))

    def place(
        self,
        subject: Subject,
        strategy: str,
        asks: Sequence[Ask],
        *,
        table: Table | Fork | None = None,
        tuning: Tuning = PLAIN,
        seed: int = 0,
        now: float = 0.0,
        explained: bool = False,
        reasons: bool = True,
    ) -> Outcome:
        """One decision: the first tier that answers; without `reasons`, a refusal is not explained."""
        name = self.strategy(strategy)
        if table is None and self._foresight is not None:  # on forks and other tables the outlook must not change
            self._foresight.tick()
        return self.scheduler(name, tuning).schedule(
            subject,
            self._tiers(name, tuple(asks)),
            table=table,
            seed=seed,
            now=now,
            explained=explained,
            reasons=reasons,
        )

    @property
    def foresight(self) -> Foresight | None:
        """What the strategies expect to come; None where they look at the present alone."""
        return self._foresight

    @property
    def looks_ahead(self) -> bool:
        """Whether `pack` uses what is expected to come."""
        return self._foresight is not None and self._foresight.known

    def look_ahead(self) -> None:
        """A decision is about to be made on forks of the snapshot's table: the outlook may be made anew now."""
        if self._foresight is not None:
            self._foresight.tick()

    def _tiers(self, name: str, asks: tuple[Ask, ...]) -> Tiers:
        """The tiers of these asks; those of the last replica are kept, because the next one asks the same."""
        last = self._last
        if last is None or last.strategy != name or last.asks != asks:
            last = self._last = Tiers(name, asks)
        return last

    def devices(self, strategy: str) -> Devices:
        """The resolve step of a strategy, for rows that were not picked."""
        return Devices(self.snapshot, self.order(strategy))

    def picker(self, strategy: str) -> Picker:
        """The picker of a strategy."""
        return self._profiles[self.strategy(strategy)].picker

    def order(self, strategy: str) -> CardOrder:
        """How a strategy chooses cards inside a worker."""
        return card_order(self._profiles[self.strategy(strategy)])

    def scheduler(self, name: str, tuning: Tuning = PLAIN) -> Scheduler:
        """The scheduler of a strategy and of the filters that only some workloads need."""
        self._follow_zones()
        self._follow_mix()
        known = self._schedulers.get((name, tuning))
        if known is None:
            known = self._schedulers[name, tuning] = self._scheduler(name, tuning)
        return known

    def checker(self, name: str) -> Scheduler:
        """The filters of a strategy that judge each row by itself, and no scores: for hypothetical rows."""
        self._follow_zones()
        known = self._checkers.get(name)
        if known is None:
            profile, table = self._profiles[name], self.snapshot.table
            alone = {use.name for use in bind(profile, table.schema).filters if use.depends < Depends.CYCLE}
            filters = tuple(each for each in profile.named_filters if each.name in alone)
            bare = replace(profile, filters=filters, scorers=())
            checks = [replace(each, scorers=()) for each in variants(bare, self.snapshot)]
            known = Scheduler(
                checks, FitTiers(), table=table, skip_broken=self._skip_broken, budget_bytes=self._kept_bytes
            )
            self._checkers[name] = known
        return known

    def _follow_zones(self) -> None:
        """Make schedulers anew when the first worker that insists on NUMA zones appears, or the last one goes."""
        if self._zoned is not (zoned := any_strict(self.snapshot.pools)):
            self._zoned = zoned
            self._schedulers.clear()
            self._checkers.clear()

    def _follow_mix(self) -> None:
        """Make schedulers anew when the mix becomes known: `pack` then has other scorers."""
        if not self._ahead and self._foresight is not None and self._foresight.known:
            self._ahead = True
            self._schedulers.clear()

    def _scheduler(self, name: str, tuning: Tuning) -> Scheduler:
        profile = looking_ahead(self._profiles[name]) if self._ahead else self._profiles[name]
        profile = reweighted(profile, tuning.weights)
        there = {each.name for each in profile.named_filters}
        filters: list[Any] = [each for each in FILTERS if each.name not in there]
        if tuning.sample:
            filters.append(Sample(tuning.sample))

        def totals(ask: Ask, table: Table | Fork, cycle: Cycle) -> FloatArray:
            whole = self.scheduler(name, replace(tuning, sample=0)) if tuning.sample else scheduler
            evaluator: Any = whole.evaluator(variant_of(name, ask), table)
            last: FloatArray = evaluator.totals(ask, cycle).levels[-1]
            return last

        scheduler = Scheduler(
            (*variants(profile, self.snapshot, filters), domain_profile(profile, self.snapshot)),
            FitTiers(),
            table=self.snapshot.table,
            sources=(WorkerDomains(self.snapshot, totals),),
            observers=self._observers,
            skip_broken=self._skip_broken,
            budget_bytes=self._kept_bytes,
            compiler=self._compiler,
        )
        return scheduler

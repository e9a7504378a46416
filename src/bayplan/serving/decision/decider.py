"""Asks the framework where a model goes: two passes over the table of server replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.outcome import Decision
from bayplan.framework.plugins import Run, Want
from bayplan.framework.scheduler import Scheduler
from bayplan.serving.books.columns import SERVER
from bayplan.serving.decision.server_ranking import judges_servers, ranked
from bayplan.serving.handlers.two_passes import ALL, MINIMUM, TwoPasses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.outcome import Outcome
    from bayplan.framework.plugins import Observer
    from bayplan.framework.profile import Profile
    from bayplan.serving.asks.subject import Subject
    from bayplan.serving.books.replica_table import ReplicaTable

_MOST_WANTS = 4096
"""Wants that are remembered: pairs of desired and minimum; a hostile caller must not fill memory with them."""


class Decider:
    """Decides on a table; it writes nothing."""

    def __init__(
        self, profiles: Mapping[str, Profile], *, observers: Sequence[Observer] = (), skip_broken: bool = False
    ) -> None:
        """`profiles` by name: `all` and `minimum`, or one that serves both passes."""
        self._ranked = {name: ranked(profile) for name, profile in profiles.items()}
        self._scheduler = Scheduler(
            [each.profile for each in self._ranked.values()],
            TwoPasses(),
            observers=observers,
            skip_broken=skip_broken,
        )
        first = next(iter(profiles))
        self._names = (ALL if ALL in profiles else first, MINIMUM if MINIMUM in profiles else first)
        self._passes: dict[tuple[int, int], tuple[Run, ...]] = {}
        filters = self._ranked[self._names[0]].profile.named_filters
        self.server_filters = frozenset(each.name for each in filters if judges_servers(each.plugin))
        """The filters of the first pass that judge whole servers."""

    def decide(
        self,
        subject: Subject,
        minimum: int,
        table: ReplicaTable,
        *,
        explained: bool = False,
        seed: int = 0,
        now: float = 0.0,
    ) -> Outcome:
        """The first pass that finds a server; `minimum` 0: all desired replicas or none."""
        subject.passes = self._wanted(subject.desired, minimum)
        return self._scheduler.schedule(
            subject, subject.ask, table=table.table, seed=seed, now=now, explained=explained, reasons=False
        )

    def _wanted(self, desired: int, minimum: int) -> tuple[Run, ...]:
        found = self._passes.get((desired, minimum))
        if found is None:
            if len(self._passes) >= _MOST_WANTS:
                self._passes.clear()
            found = self._passes[desired, minimum] = tuple(self._runs(desired, minimum))
        return found

    def _runs(self, desired: int, minimum: int) -> list[Run]:
        first, second = self._names
        runs = [self._run(ALL, first, desired, desired)]
        return [*runs, self._run(MINIMUM, second, desired, minimum)] if minimum else runs

    def _run(self, name: str, profile: str, desired: int, minimum: int) -> Run:
        want = Want(desired, minimum, SERVER, self._ranked[profile].servers)
        return Run(profile, name=name, want=want, answer=Decision(name))

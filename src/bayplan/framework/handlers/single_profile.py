"""Run one profile once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.errors import HandlerError
from bayplan.framework.outcome import Decision
from bayplan.framework.plugins import Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.profile import Profile


class SingleProfile:
    """Runs the only profile, once, and takes its picks. For schedulers whose configuration holds one profile."""

    name = "single-profile"
    aliases = ("single-profile-handler",)

    def __init__(self) -> None:
        self._runs: dict[str, tuple[Run]] = {}
        self._decisions: dict[str, Decision] = {}

    def check(self, names: Sequence[str]) -> Sequence[str]:
        """What stands against these profiles, asked when a configuration is read."""
        return [f"runs the only profile, but there are {len(names)}"] if len(names) > 1 else ()

    def pick_profiles(
        self, cycle: Cycle, profiles: Mapping[str, Profile], results: Mapping[str, RunResult]
    ) -> Sequence[Run]:
        if results:
            return ()
        if len(profiles) != 1:
            message = f"runs the only profile, but there are {len(profiles)}: {', '.join(profiles)}"
            raise HandlerError(self.name, message, next="name another handler")
        (name,) = profiles
        runs = self._runs.get(name)
        if runs is None:
            runs = self._runs[name] = (Run(name, answer=self._decision(name)),)
        return runs

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        (name,) = results
        return self._decision(name)

    def _decision(self, name: str) -> Decision:
        decision = self._decisions.get(name)
        if decision is None:
            decision = self._decisions[name] = Decision(name)
        return decision

"""Run the only profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.errors import HandlerError
from bayplan.framework.outcome import Decision
from bayplan.routing.factors.runs import run_of
from bayplan.routing.stages import ALONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.plugins import Run
    from bayplan.framework.profile import Profile


class SingleProfileHandler:
    """Runs the only profile, once, and takes its picks."""

    name = "single-profile-handler"
    aliases = ("single-profile",)

    def __init__(self) -> None:
        self._runs: dict[str, tuple[Run]] = {}  # made once: a run is the same for every request

    def check(self, names: Sequence[str]) -> Sequence[str]:
        """What stands against these profiles, asked when a configuration is read."""
        return [f"{self.name} runs the only profile, but there are {len(names)}"] if len(names) > 1 else ()

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
            runs = self._runs[name] = (run_of(profiles[name], Decision(name, ALONE)),)
        return runs

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        (name,) = results
        return Decision(name, ALONE)

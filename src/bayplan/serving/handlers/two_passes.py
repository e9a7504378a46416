"""First all wanted replicas on one server, then as many as fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.outcome import Decision
from bayplan.serving.asks.subject import subject_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.plugins import Run
    from bayplan.framework.profile import Profile

ALL = "all"
MINIMUM = "minimum"


class TwoPasses:
    """Runs the profile `all` for all wanted replicas; where that finds no server, `minimum` for as many as fit.

    The second pass takes place only for models with `minReplicas`, and only a server that can give so many is taken.
    A configuration with one profile uses it for both passes.
    """

    name = "two-passes"

    def check(self, names: Sequence[str]) -> list[str]:
        """What is wrong with these profiles."""
        if len(names) == 1 or set(names) == {ALL, MINIMUM}:
            return []
        return [f"needs the profiles {ALL!r} and {MINIMUM!r}, or only one; there are {', '.join(names)}"]

    def pick_profiles(
        self, cycle: Cycle, profiles: Mapping[str, Profile], results: Mapping[str, RunResult]
    ) -> Sequence[Run]:
        passes = subject_of(cycle).passes
        return passes[len(results) : len(results) + 1]

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        return Decision(list(results)[-1])

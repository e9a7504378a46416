"""Run one profile that decides, and others beside it that are only reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.outcome import Decision
from bayplan.routing.factors.parameter_checks import given, refuse
from bayplan.routing.factors.runs import run_of
from bayplan.routing.stages import ALONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.plugins import Run
    from bayplan.framework.profile import Profile


@dataclass(frozen=True, slots=True)
class ShadowProfileHandler:
    """Runs the primary profile, which decides, and then its shadows, which are only reported.

    Shadows reserve nothing and write no index; they may fail. So another configuration can be tried on real requests.

    Parameters:
        primary: the profile that decides.
        shadows: the other profiles that run; all of them where none is named.
    """

    primary: str
    shadows: tuple[str, ...] | None = None

    name = "shadow-profile-handler"
    aliases = ("shadow-profile",)

    def __post_init__(self) -> None:
        refuse(given("primary", self.primary, "the name of a profile"))

    def pick_profiles(
        self, cycle: Cycle, profiles: Mapping[str, Profile], results: Mapping[str, RunResult]
    ) -> Sequence[Run]:
        if not results:
            return (run_of(profiles[self.primary]),)
        shadows = profiles if self.shadows is None else self.shadows
        return [run_of(profiles[name]) for name in shadows if name not in results]

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        return Decision(self.primary, ALONE)

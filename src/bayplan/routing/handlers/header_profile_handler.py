"""Run the profile that a header names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.errors import HandlerError
from bayplan.framework.outcome import Decision
from bayplan.routing.factors.parameter_checks import given, refuse
from bayplan.routing.factors.runs import run_of
from bayplan.routing.stages import ALONE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.plugins import Run
    from bayplan.framework.profile import Profile
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class HeaderProfileHandler:
    """Runs the profile that a header of the request names, the default one without the header.

    Where there is one profile, it is that one. A request that names a profile that does not exist is refused (400).

    Parameters:
        header_name: the header.
        default_profile: the profile of requests without the header.
    """

    header_name: str = "EPP-Profile"
    default_profile: str = "decode"

    name = "header-profile-handler"
    aliases = ("header-profile",)

    def __post_init__(self) -> None:
        refuse(given("header_name", self.header_name, "the name of a header"))

    def problem(self, request: RoutedRequest, profiles: Sequence[str]) -> str | None:
        """Why the request cannot be served as it is; None: it can."""
        chosen = self._chosen(request, profiles)
        if chosen in profiles:
            return None
        return f"header {self.header_name}: no profile is called {chosen!r}; there are: {', '.join(profiles)}"

    def pick_profiles(
        self, cycle: Cycle, profiles: Mapping[str, Profile], results: Mapping[str, RunResult]
    ) -> Sequence[Run]:
        if results:
            return ()
        chosen = self._chosen(cycle.subject, profiles)
        if chosen not in profiles:
            raise HandlerError(self.name, f"no profile is called {chosen!r}", next=f"there are: {', '.join(profiles)}")
        return (run_of(profiles[chosen], Decision(chosen, ALONE)),)

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        (name,) = results
        return Decision(name, ALONE)

    def _chosen(self, request: RoutedRequest, profiles: Collection[str]) -> str:
        if len(profiles) == 1:
            return next(iter(profiles))
        return request.headers.get(self.header_name.lower()) or self.default_profile

"""Run the only profile for a pool whose ranks share one port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.errors import HandlerError
from bayplan.framework.outcome import Decision
from bayplan.routing.factors.further_stages import rank_header
from bayplan.routing.factors.parameter_checks import between, refuse
from bayplan.routing.factors.runs import run_of
from bayplan.routing.stages import Stages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import RunResult
    from bayplan.framework.plugins import Run
    from bayplan.framework.profile import Profile
    from bayplan.routing.hooks import Sent
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class DataParallelProfileHandler:
    """Runs the only profile. The picked address gets the port that all ranks of a server share.

    The rank's own address goes into the header `x-data-parallel-host-port`.

    Parameters:
        primary_port: the port that all ranks share.
    """

    primary_port: int = 8000

    name = "data-parallel-profile-handler"
    aliases = ("data-parallel-profile",)

    def __post_init__(self) -> None:
        refuse(between("primary_port", self.primary_port, 1, 65535))

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
        return tuple(map(run_of, profiles.values()))

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        (name,) = results
        return Decision(name, Stages(port=self.primary_port))

    def request_headers(self, request: RoutedRequest, sent: Sent) -> Mapping[str, str]:
        """The rank's own address."""
        return rank_header(sent)

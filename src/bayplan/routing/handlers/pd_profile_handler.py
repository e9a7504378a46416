"""Decode and prefill as stages of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.routing.factors.further_stages import decision_of, next_runs, prefiller_header, rank_header
from bayplan.routing.factors.parameter_checks import between, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import Decision, RunResult
    from bayplan.framework.plugins import Run
    from bayplan.framework.profile import Profile
    from bayplan.routing.hooks import Sent
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True, eq=False)
class PdProfileHandler:
    """Runs the decode profile, the primary one; then that of prefilling where its decider agrees.

    An older form of `disagg-profile-handler`. The header `x-prefiller-host-port` names the prefill stage's pick.

    Parameters:
        decode_profile: the profile of decoding.
        prefill_profile: the profile of prefilling.
        decider_plugin_name: the name of the decider; without one prefilling is never a stage of its own.
        primary_port: the port that all ranks of a server share, which the picked address gets; the rank's own address
            goes into the header `x-data-parallel-host-port`. 0: ranks share none.
    """

    decode_profile: str = "decode"
    prefill_profile: str = "prefill"
    decider_plugin_name: str | None = None
    primary_port: int = 0
    _plugins: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    name = "pd-profile-handler"
    aliases = ("pd-profile",)

    def __post_init__(self) -> None:
        refuse(between("primary_port", self.primary_port, 0, 65535))

    def connect(self, name: str, plugins: Mapping[str, Any]) -> None:
        """Find the decider."""
        self._plugins.update(plugins)

    def pick_profiles(
        self, cycle: Cycle, profiles: Mapping[str, Profile], results: Mapping[str, RunResult]
    ) -> Sequence[Run]:
        decider = None if self.decider_plugin_name is None else self._plugins[self.decider_plugin_name]
        return next_runs(cycle, profiles, results, self.decode_profile, ((self.prefill_profile, decider),))

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        return decision_of(results, self.decode_profile, self.prefill_profile, port=self.primary_port or None)

    def request_headers(self, request: RoutedRequest, sent: Sent) -> Mapping[str, str]:
        """Where the prompt is prefilled, and the rank's own address."""
        return prefiller_header(sent) | (rank_header(sent) if self.primary_port else {})

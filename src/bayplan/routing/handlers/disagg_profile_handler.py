"""Decode, encode and prefill as stages of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.routing.factors.further_stages import ENCODERS_HEADER, decision_of, next_runs, prefiller_header

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.outcome import Decision, RunResult
    from bayplan.framework.plugins import Run
    from bayplan.framework.profile import Profile
    from bayplan.routing.hooks import Sent
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class StageProfiles:
    """The profile of each stage.

    Parameters:
        decode: of decoding, the primary one.
        prefill: of prefilling.
        encode: of encoding media.
    """

    decode: str = "decode"
    prefill: str = "prefill"
    encode: str = "encode"


@dataclass(frozen=True, slots=True)
class StageDeciders:
    """The decider of each further stage; a stage without one never runs.

    Parameters:
        prefill: the name of a decider.
        encode: the name of a decider.
    """

    prefill: str | None = None
    encode: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class DisaggProfileHandler:
    """Runs the decode profile, the primary one; then those of encoding and prefilling where their deciders agree.

    The header `x-prefiller-host-port` names the prefill stage's pick, `x-encoder-hosts-ports` all picks of the encode
    stage. A further stage that finds no endpoint is left out with a warning; without a decode pick nothing else runs.

    Parameters:
        profiles: the names of the profiles of the stages.
        deciders: the names of the deciders of the further stages.
    """

    profiles: StageProfiles = field(default_factory=StageProfiles)
    deciders: StageDeciders = field(default_factory=StageDeciders)
    _plugins: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    name = "disagg-profile-handler"
    aliases = ("disagg-profile",)

    def connect(self, name: str, plugins: Mapping[str, Any]) -> None:
        """Find the deciders."""
        self._plugins.update(plugins)

    def pick_profiles(
        self, cycle: Cycle, profiles: Mapping[str, Profile], results: Mapping[str, RunResult]
    ) -> Sequence[Run]:
        further = (
            (self.profiles.encode, self._decider(self.deciders.encode)),
            (self.profiles.prefill, self._decider(self.deciders.prefill)),
        )
        return next_runs(cycle, profiles, results, self.profiles.decode, further)

    def process_results(self, cycle: Cycle, results: Mapping[str, RunResult]) -> Decision:
        return decision_of(results, self.profiles.decode, self.profiles.prefill, self.profiles.encode)

    def request_headers(self, request: RoutedRequest, sent: Sent) -> Mapping[str, str]:
        """Where the other stages are."""
        headers = prefiller_header(sent)
        if encoders := sent.rows.get(self.profiles.encode):
            addresses = sent.table.columns["address"]
            headers[ENCODERS_HEADER] = ",".join(addresses[row] for row in encoders)
        return headers

    def _decider(self, name: str | None) -> Any:
        return None if name is None else self._plugins[name]

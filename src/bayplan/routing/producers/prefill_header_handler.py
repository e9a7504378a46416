"""The header of the prefill stage."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.routing.plugin_kinds import AROUND_REQUESTS


@dataclass(frozen=True, slots=True)
class PrefillHeaderHandler:
    """Read, but without effect: profile handlers write the headers of stages.

    Parameters:
        prefill_profile: the profile of prefilling.
    """

    prefill_profile: str = "prefill"

    name = "prefill-header-handler"
    kinds = (AROUND_REQUESTS,)

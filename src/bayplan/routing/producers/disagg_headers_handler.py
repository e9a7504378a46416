"""Headers of stages."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.routing.plugin_kinds import AROUND_REQUESTS


@dataclass(frozen=True, slots=True)
class DisaggHeadersHandler:
    """Read, but without effect: profile handlers write the headers of stages.

    Parameters:
        prefill_profile: the profile of prefilling.
        encode_profile: the profile of encoding.
    """

    prefill_profile: str = "prefill"
    encode_profile: str = "encode"

    name = "disagg-headers-handler"
    kinds = (AROUND_REQUESTS,)

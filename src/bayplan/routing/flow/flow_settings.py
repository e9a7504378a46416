"""What flow control was told: limits, times, bands and policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class BandSettings:
    """One priority band. The policies are plugins, and bands may share them: their state is by band."""

    max_bytes: int
    max_requests: int
    fairness: Any
    ordering: Any


@dataclass(frozen=True, slots=True)
class FlowSettings:
    """Flow control of a configuration.

    `max_bytes`, `max_requests`: over all bands, None for no limit. `request_ttl_s`, `no_endpoint_ttl_s`: None where
    requests never expire. `bands`: those that the configuration lists, by priority. `usage_limit` is a plugin;
    `band_policy` too, which says which band is next; None: always the highest.
    """

    max_bytes: int | None
    max_requests: int | None
    request_ttl_s: float | None
    no_endpoint_ttl_s: float | None
    bands: Mapping[int, BandSettings]
    default_band: BandSettings
    default_negative_band: BandSettings
    usage_limit: Any
    enable_eviction: bool = False
    band_policy: Any = None

    def band(self, priority: int) -> BandSettings:
        """The settings of a band, listed or not."""
        listed = self.bands.get(priority)
        if listed is not None:
            return listed
        return self.default_band if priority >= 0 else self.default_negative_band

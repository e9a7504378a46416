"""GPU figures of DCGM."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.framework.errors import Problem
from bayplan.routing.factors.duration import seconds_of
from bayplan.routing.factors.parameter_checks import between, refuse
from bayplan.routing.plugin_kinds import DATA_SOURCE


@dataclass(frozen=True, slots=True)
class DcgmDataSource:
    """Asks NVIDIA's DCGM exporter at each endpoint's address: the busiest GPU becomes the attribute `GPUUtilization`.

    Parameters:
        port: where its exporter listens.
        interval: how often it is asked, as in `1s`.
    """

    port: int = 9400
    interval: str = "1s"

    name = "dcgm-data-source"
    kinds = (DATA_SOURCE,)

    def __post_init__(self) -> None:
        refuse(between("port", self.port, 1, 65535))
        if seconds_of(self.interval) is None:
            refuse(Problem("interval", f"{self.interval!r} is no duration", "write one such as 1s"))

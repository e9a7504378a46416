"""Attributes from figures of DCGM."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import EXTRACTOR


class DcgmExtractor:
    """Writes the attribute `GPUUtilization`, from 0 to 1; the source does that by itself."""

    name = "dcgm-extractor"
    kinds = (EXTRACTOR,)

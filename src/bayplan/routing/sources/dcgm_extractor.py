"""Attributes from figures of DCGM."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import EXTRACTOR


class DcgmExtractor:
    """Read, but without effect: figures of DCGM are not read."""

    name = "dcgm-extractor"
    kinds = (EXTRACTOR,)

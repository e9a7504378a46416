"""Models from what engines say."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import EXTRACTOR


class ModelsDataExtractor:
    """Read, but without effect: which models an engine serves is not asked."""

    name = "models-data-extractor"
    kinds = (EXTRACTOR,)

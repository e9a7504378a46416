"""Models from what engines say."""

from __future__ import annotations

from bayplan.routing.plugin_kinds import EXTRACTOR


class ModelsDataExtractor:
    """Reads lists of models; the source does that by itself."""

    name = "models-data-extractor"
    kinds = (EXTRACTOR,)

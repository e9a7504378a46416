"""Models of engines over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bayplan.routing.plugin_kinds import DATA_SOURCE


@dataclass(frozen=True, slots=True)
class ModelsDataSource:
    """Asks each endpoint every 10 s which models it serves; adapters among them count as active.

    Parameters:
        scheme: `http` or `https`.
        path: the path of the list of models.
        insecure_skip_verify: whether certificates of https are not checked.
    """

    scheme: Literal["http", "https"] = "http"
    path: str = "/v1/models"
    insecure_skip_verify: bool = True

    name = "models-data-source"
    kinds = (DATA_SOURCE,)

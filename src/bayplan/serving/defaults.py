"""What serving brings: its plugins, what every configuration gets, and the profiles where none is given."""

from __future__ import annotations

from typing import Any

from bayplan.serving.filters.capabilities import Capabilities
from bayplan.serving.filters.dedicated import Dedicated
from bayplan.serving.filters.explainer import Explainer
from bayplan.serving.filters.has_replicas import HasReplicas
from bayplan.serving.filters.not_deleted import NotDeleted
from bayplan.serving.filters.not_draining import NotDraining
from bayplan.serving.filters.not_failed import NotFailed
from bayplan.serving.filters.preloaded import Preloaded
from bayplan.serving.filters.server_memory import ServerMemory
from bayplan.serving.filters.sharing import Sharing
from bayplan.serving.handlers.two_passes import ALL, MINIMUM, TwoPasses
from bayplan.serving.scorers.current_server import CurrentServer
from bayplan.serving.scorers.free_memory import FreeMemory
from bayplan.serving.scorers.index import Index
from bayplan.serving.scorers.loaded import Loaded
from bayplan.serving.scorers.replicas_given import ReplicasGiven

FILTERS: tuple[type, ...] = (
    HasReplicas,
    Sharing,
    NotDeleted,
    Dedicated,
    Capabilities,
    Explainer,
    ServerMemory,
    Preloaded,
    NotDraining,
    NotFailed,
)
SCORERS: tuple[type, ...] = (CurrentServer, ReplicasGiven, Loaded, FreeMemory, Index)

REQUIRED_FILTERS: tuple[str, ...] = tuple(each.name for each in FILTERS)  # type: ignore[attr-defined]
"""They protect memory, or are what a model itself demands: a configuration cannot leave them out."""

HANDLER = TwoPasses.name
CANDIDATES = "server-replicas"


def default_config() -> dict[str, Any]:
    """The configuration where none is given: both passes look at the same."""
    levels = [{"pluginRef": _name(each), "level": level} for level, each in enumerate(SCORERS)]
    uses = [*({"pluginRef": name} for name in REQUIRED_FILTERS), *levels, {"pluginRef": "max-score"}]
    types = [*REQUIRED_FILTERS, *map(_name, SCORERS), "max-score"]
    return {
        "scheduler": "serving",
        "plugins": [{"type": name} for name in types],
        "schedulingProfiles": [{"name": name, "plugins": uses} for name in (ALL, MINIMUM)],
    }


def builtins() -> tuple[type, ...]:
    """Every plugin of serving."""
    return (*FILTERS, *SCORERS, TwoPasses)


def _name(plugin: Any) -> str:
    return str(plugin.name)

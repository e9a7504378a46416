"""Which engine an endpoint runs, by its labels."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.routing.exposition.engine import DEFAULT_ENGINE, ENGINE_LABELS, engine_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.exposition.engine import Engine

_log = logging.getLogger("bayplan.signals")


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The first of `labels` that an endpoint has names its engine; without one it runs the default engine."""

    own: Mapping[str, Engine] = field(default_factory=dict)
    default: str = DEFAULT_ENGINE
    labels: tuple[str, ...] = ENGINE_LABELS

    def of(self, endpoint: Endpoint) -> Engine:
        """The engine; one that nobody knows is told, and read as the default one."""
        name = next((endpoint.labels[label] for label in self.labels if endpoint.labels.get(label)), self.default)
        try:
            return engine_named(name, self.own)
        except InputError as error:
            _log.warning("endpoint %s: %s; its metrics are read as those of %s", endpoint.name, error, self.default)
            return engine_named(self.default, self.own)

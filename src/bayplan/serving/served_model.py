"""A model that servers load: what its document asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.identity import WorkloadKey

EXPLAINER = "alibi-explain"
"""The capability that a server replica must offer to run explainers."""

IN_PLACE = frozenset({"replicas", "minReplicas", "maxReplicas", "logger"})
"""Fields of the spec that may change without a new version of the model."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """One Model document.

    `minimum` is 0 where all replicas are wanted or none, `maximum` None where there is no limit; `memory_mib` is that
    of one instance. `version` is the one that the document names. `spec` is the spec as written: what it says beyond
    the fields of `IN_PLACE` makes a version.
    """

    key: WorkloadKey
    replicas: int = 1
    minimum: int = 0
    maximum: int | None = None
    requirements: tuple[str, ...] = ()
    explainer: bool = False
    memory_mib: int = 0
    server: str | None = None
    dedicated: bool = False
    preloaded: bool = False
    deleted: bool = False
    version: int | None = None
    created_s: float | None = None
    spec: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def desired(self) -> int:
        """How many replicas are wanted."""
        return 0 if self.deleted else self.replicas

    @property
    def least(self) -> int:
        """How many replicas must at least be placed."""
        return 0 if self.deleted else self.minimum or self.replicas

    @property
    def all_requirements(self) -> tuple[str, ...]:
        """The capabilities that a replica must offer, that of explainers too."""
        return (*self.requirements, EXPLAINER) if self.explainer else self.requirements

    def differs_in_version(self, other: ServedModel) -> bool:
        """Whether the other document is another version of the model, and not only scaled otherwise."""
        return _content(self.spec) != _content(other.spec)


def _content(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in IN_PLACE}

"""The collections of the inference extension's objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.resources.registry import REGISTRY

if TYPE_CHECKING:
    from bayplan.control.store import Collection


def _of(group: str, kind: str) -> Collection:
    found = REGISTRY.of_kind(group, kind)
    if found is None:
        raise LookupError(f"{kind} of {group}")  # the registry is part of this program
    return found.collection


INFERENCE_POOLS = _of("inference.networking.k8s.io", "InferencePool")
OLD_INFERENCE_POOLS = _of("inference.networking.x-k8s.io", "InferencePool")
OBJECTIVES = _of("inference.networking.x-k8s.io", "InferenceObjective")
REWRITES = _of("inference.networking.x-k8s.io", "InferenceModelRewrite")

"""What the reader of Pods looks at in their metadata: two Pods that agree in it, and in all else, are read alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.manifests.kai import CARDS, FRACTION, MEMORY
from bayplan.manifests.native.metadata import IDENTITY, UNREAD
from bayplan.manifests.pod_groups import GANG_ANNOTATION, GANG_LABEL, GROUP_ANNOTATIONS, GROUP_LABELS
from bayplan.manifests.workloads.pod_template import PREFERRED_TOPOLOGY, REQUIRED_TOPOLOGY

if TYPE_CHECKING:
    from collections.abc import Mapping

_LABELS = (*GROUP_LABELS, GANG_LABEL)
_ANNOTATIONS = (
    *(FRACTION, MEMORY, CARDS, *GROUP_ANNOTATIONS, GANG_ANNOTATION),
    *(PREFERRED_TOPOLOGY, *REQUIRED_TOPOLOGY),
)
_SELECTING = ("affinity", "topologySpreadConstraints")
"""Parts of a spec whose selectors are compared with the Pod's own labels."""
_LEFT_OUT = frozenset(IDENTITY) | frozenset(UNREAD)


def read_marks(metadata: Mapping[str, Any], spec: object) -> dict[str, Any]:
    """The part of the metadata that says something about the Pod beyond who it is.

    Labels and annotations must be texts, and the fields of IDENTITY valid: the caller has to check that by itself.
    """
    marks = {name: each for name, each in metadata.items() if name not in _LEFT_OUT}
    labels, annotations = metadata.get("labels"), metadata.get("annotations")
    if labels:
        selects = isinstance(spec, dict) and any(name in spec for name in _SELECTING)
        marks["labels"] = labels if selects else {name: labels[name] for name in _LABELS if name in labels}
    if annotations:
        marks["annotations"] = {name: annotations[name] for name in _ANNOTATIONS if name in annotations}
    return marks

"""What AMD's node labeller says about cards, in both of its spellings; its G is GiB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.quantities import parse_memory_mib
from bayplan.manifests.inventory.instance_types import LABELS as TYPE_LABELS, model_in
from bayplan.manifests.inventory.node_text import label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.manifests.inventory.node_text import NodeText

RESOURCE = "amd.com/gpu"
MODEL = "amd.com/gpu.product-name"
MEMORY = "amd.com/gpu.vram"
LABELS = (MODEL, MEMORY)

_OLD = "beta."
"""Older labels have the value at the end of the key: `beta.amd.com/gpu.vram.64G`."""


def old_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """The older labels as newer labels of the same meaning; of several values the first in alphabetical order."""
    found: dict[str, str] = {}
    for key in sorted(labels):
        for name in LABELS:
            if key.startswith(f"{_OLD}{name}."):
                found.setdefault(name, key.removeprefix(f"{_OLD}{name}."))
            elif key == _OLD + name:
                found[name] = labels[key]
    return found


def amd_model(node: NodeText) -> str | None:
    """The product that a label names, else that of the machine type."""
    types = (node.labels[key] for key in TYPE_LABELS if node.labels.get(key))
    return node.labels.get(MODEL) or next((model for each in types if (model := model_in(each))), None)


def amd_memory(node: NodeText) -> int | None:
    """The size of each card in MiB; None where no label states it."""
    value = node.labels.get(MEMORY)
    return node.attempt(label(MEMORY), _gibibytes, value) if value else None


def _gibibytes(value: str, place: str) -> int:
    """MiB of `192G`, which the labeller writes for 192 GiB."""
    return parse_memory_mib(f"{value}i" if value[-1:] in ("G", "M", "T") else value, place, rounding="down")

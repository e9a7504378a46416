"""Boards of eight cards that are sold with NVSwitch only: their links are assumed where no label tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.catalogue import words_of
from bayplan.cluster.links import Wiring

if TYPE_CHECKING:
    from bayplan.manifests.inventory.node_text import NodeText

BOARD = 8
"""Cards on a board of NVIDIA's HGX machines."""

_ALWAYS = ({"a100", "sxm4"}, {"h100", "sxm5"}, {"h100", "hbm3"}, {"h200"}, {"b200"})
_PCIE = {"nvl", "pcie"}
"""Words in the names of cards that are sold singly, without NVSwitch."""


def assumed_wiring(node: NodeText, model: str | None, count: int) -> Wiring | None:
    """The links of a board with these cards, with a warning; None where nothing can be assumed."""
    words = words_of(model or "")
    if count != BOARD or words & _PCIE or not any(each <= words for each in _ALWAYS):
        return None
    message = f"no label says how the cards are linked; {BOARD} x {model} are assumed to be joined by NVSwitch"
    node.remark("metadata.labels", message, f"assumed links of {model}")
    return Wiring.NVSWITCH

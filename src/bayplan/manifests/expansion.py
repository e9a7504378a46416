"""The size of what YAML aliases and merge keys repeat, measured before it is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Expansion:
    """Nodes and bytes of a value with every alias inside it written out."""

    nodes: int
    characters: int
    height: int


def measure(value: Any, most_nodes: int) -> Expansion:
    """Walks level by level and stops soon after `most_nodes`, so that a hostile document costs little."""
    nodes = characters = height = 0
    level = [value]
    while level and nodes <= most_nodes:
        nodes += len(level)
        below: list[Any] = []
        is_flat = True
        for item in level:
            if type(item) is dict:
                is_flat = False
                nodes += len(item)
                characters += sum(map(len, item))
                below += item.values()
            elif type(item) is list:
                is_flat = False
                below += item
            elif type(item) is str:
                characters += len(item)
            if nodes + len(below) > most_nodes:
                return Expansion(nodes + len(below), characters, height)
        height += not is_flat
        level = below
    return Expansion(nodes, characters, height)


def merge_into(own: dict[str, Any], sources: list[dict[str, Any]]) -> None:
    """Adds what `<<` names: a mapping's own keys win, then earlier sources over later ones.

    The mapping stays the same object, because an anchor may already name it.
    """
    written = dict(own)
    own.clear()
    for source in reversed(sources):
        own.update(source)
    own.update(written)

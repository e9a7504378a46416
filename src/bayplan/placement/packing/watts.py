"""What cards and CPUs draw, idle and in use."""

from __future__ import annotations

from typing import NamedTuple

from bayplan.cluster.catalogue import matches


class Draw(NamedTuple):
    """Watts of an idle card, and of a card in use."""

    idle_w: float
    busy_w: float


CARDS: dict[str, Draw] = {
    "T4": Draw(10, 70),
    "A10": Draw(30, 150),
    "G2": Draw(30, 150),
    "P100": Draw(25, 250),
    "V100": Draw(30, 300),
    "V100M16": Draw(30, 300),
    "V100M32": Draw(30, 300),
    "A100": Draw(50, 400),
    "G3": Draw(50, 400),
}
UNKNOWN_CARD = Draw(30, 300)

CPU_PACKAGE_MILLI = 32_000
CPU_PACKAGE = Draw(20, 185)
"""A package of 16 cores with two threads each."""


def draw_of(model: str | None) -> Draw:
    """What a card of that product draws; one that is not in the table as much as a V100."""
    if model is None:
        return UNKNOWN_CARD
    return next((draw for name, draw in CARDS.items() if name == model or matches(name, model)), UNKNOWN_CARD)

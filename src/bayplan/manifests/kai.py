"""Shares of cards as the KAI scheduler reads and writes them: annotations and labels of Pods."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.cluster.quantities import parse_count, parse_number, shown
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

FRACTION = "gpu-fraction"
MEMORY = "gpu-memory"
CARDS = "gpu-fraction-num-devices"
GROUP = "runai-gpu-group"
RESERVED_CARD = "run.ai/reserve_for_gpu_index"
RESERVATIONS = frozenset({"kai-resource-reservation", "runai-reservation"})
"""Namespaces whose Pods only keep a shared card from the device plugin; the Pods that share it hold it."""


@dataclass(frozen=True, slots=True)
class KaiShare:
    """A number of cards, and the fraction or the MiB of each."""

    cards: int = 1
    fraction: Fraction | None = None
    memory_mib: int | None = None

    @property
    def compute_milli(self) -> int | None:
        """Thousandths of a card's compute; a share in MiB claims none."""
        return None if self.fraction is None else int(self.fraction * 1000)

    def of_card(self, memory_mib: int | None) -> int | None:
        """MiB of a card of that size; None where the size is unknown."""
        if self.fraction is None:
            return self.memory_mib
        return None if memory_mib is None else int(self.fraction * memory_mib)


def read_share(annotations: Mapping[str, str], place: str) -> KaiShare | None:
    """What the annotations ask for; None where they ask for nothing. An InputError names the key."""
    fraction, memory = annotations.get(FRACTION), annotations.get(MEMORY)
    if not fraction and not memory:
        return None
    if fraction and memory:
        message = f"{FRACTION} and {MEMORY} are both given"
        raise InputError(message, place=f"{place}.{MEMORY}", next="give one of the two")
    cards = parse_count(annotations.get(CARDS) or 1, f"{place}.{CARDS}", minimum=1, maximum=1024)
    if memory:
        return KaiShare(cards, memory_mib=parse_count(memory, f"{place}.{MEMORY}", minimum=1, maximum=2**31))
    return KaiShare(cards, fraction=_fraction(fraction, f"{place}.{FRACTION}"))


def _fraction(value: object, place: str) -> Fraction:
    parse_number(value, place)
    fraction = Fraction(str(value))
    if not 0 < fraction <= 1:
        raise InputError(f"{shown(value)} is no part of a card", place=place, next="write more than 0, at most 1")
    return fraction


def groups_of(labels: Mapping[str, str]) -> tuple[str, ...]:
    """The GPU groups of a Pod; all Pods of a group share one card. A Pod on several cards has one label per card."""
    named = [labels[GROUP]] if labels.get(GROUP) else []
    return (*named, *(key.removeprefix(f"{GROUP}/") for key in sorted(labels) if key.startswith(f"{GROUP}/")))

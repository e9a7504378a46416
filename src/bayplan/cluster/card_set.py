"""The cards of a worker, as all workers with equal cards share them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.cluster.booking import WHOLE_CARD_MILLI
from bayplan.cluster.columns import UNKNOWN
from bayplan.cluster.mig_layout import layout_of
from bayplan.cluster.remainder import CardFacts, idle_percent

if TYPE_CHECKING:
    from collections.abc import Hashable

    from bayplan.cluster.gpu import CardId, Gpu
    from bayplan.cluster.mig_layout import MigLayout


@dataclass(frozen=True, slots=True, eq=False)
class CardSet:
    """Everything about a worker's cards but their serial numbers and what is seen on them."""

    cards: tuple[CardId, ...]
    models: tuple[str | None, ...]
    memory_mib: tuple[int, ...]
    healthy: tuple[bool, ...]
    numa: tuple[int, ...]
    pcie_gen: tuple[int, ...]
    layouts: tuple[MigLayout, ...]
    size_mib: tuple[int, ...]
    places: tuple[int, ...]
    mig_enabled: tuple[bool, ...] = field(init=False)
    mig_slices: tuple[int, ...] = field(init=False)
    idle_percent: tuple[int, ...] = field(init=False)
    position: dict[CardId, int] = field(init=False)
    by_name: dict[tuple[str, int], int] = field(init=False)
    """The same by runtime and index: plain pairs are looked up several times faster than ids."""
    _facts: dict[tuple[bool, int], tuple[CardFacts, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mig_enabled", tuple(layout.enabled for layout in self.layouts))
        object.__setattr__(self, "mig_slices", tuple(layout.slices for layout in self.layouts))
        object.__setattr__(self, "idle_percent", tuple(idle_percent(card.runtime) for card in self.cards))
        object.__setattr__(self, "position", {card: number for number, card in enumerate(self.cards)})
        names = {(card.runtime, card.index): number for number, card in enumerate(self.cards)}
        object.__setattr__(self, "by_name", names)

    def __len__(self) -> int:
        return len(self.cards)

    def facts(self, *, closes_full: bool, reserved_mib: int) -> tuple[CardFacts, ...]:
        """The cards as the formula of what is left takes them, on a worker that treats its cards so."""
        key = (closes_full, reserved_mib)
        found = self._facts.get(key)
        if found is None:
            found = self._facts[key] = tuple(
                CardFacts(
                    self.memory_mib[each], WHOLE_CARD_MILLI, self.healthy[each], self.mig_enabled[each],
                    self.mig_slices[each], self.places[each], self.idle_percent[each], closes_full, reserved_mib,
                )
                for each in range(len(self.cards))
            )  # fmt: skip
        return found

    @property
    def compute_milli(self) -> tuple[int, ...]:
        return (WHOLE_CARD_MILLI,) * len(self.cards)

    @classmethod
    def of(cls, gpus: tuple[Gpu, ...]) -> CardSet:
        """The set that these cards make."""
        return cls(
            cards=tuple(gpu.card for gpu in gpus),
            models=tuple(gpu.model for gpu in gpus),
            memory_mib=tuple(_known(gpu.memory_mib) for gpu in gpus),
            healthy=tuple(gpu.healthy for gpu in gpus),
            numa=tuple(_known(gpu.numa) for gpu in gpus),
            pcie_gen=tuple(_known(gpu.pcie_gen) for gpu in gpus),
            layouts=tuple(map(layout_of, gpus)),
            size_mib=tuple(_known(gpu.size_mib) for gpu in gpus),
            places=tuple(gpu.places or 0 for gpu in gpus),  # 0: the card is not offered in places
        )


class CardSets:
    """Gives equal sets of cards one number, counted from 0."""

    __slots__ = ("_numbers", "values")

    def __init__(self) -> None:
        self.values: list[CardSet] = []
        self._numbers: dict[Hashable, int] = {}

    def __getitem__(self, number: int) -> CardSet:
        return self.values[number]

    def __len__(self) -> int:
        return len(self.values)

    def number(self, gpus: tuple[Gpu, ...]) -> int:
        """The number of the set of these cards; a new set is added."""
        key = tuple([_key(gpu) for gpu in gpus])
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.values)
            self.values.append(CardSet.of(gpus))
        return number


def _key(gpu: Gpu) -> tuple[Any, ...]:
    kind = (gpu.runtime, gpu.model, gpu.memory_mib, gpu.pcie_gen, gpu.mig, gpu.places)
    return (gpu.index, gpu.numa, gpu.healthy, *kind)


def _known(amount: int | None) -> int:
    return UNKNOWN if amount is None else amount

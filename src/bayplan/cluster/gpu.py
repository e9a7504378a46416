"""A GPU card: what it is, where it sits, and what is seen on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.catalogue import card_size_mib, mig_geometry, resolve
from bayplan.cluster.quantities import parse_count, refuse_negative, shown
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from bayplan.cluster.catalogue_table import CatalogueEntry
    from bayplan.cluster.mig import MigGeometry, MigState


@dataclass(frozen=True, slots=True, order=True)
class CardId:
    """How a worker knows its cards: `rocm:0` and `cuda:0` may live side by side."""

    runtime: str
    index: int

    def __str__(self) -> str:
        return f"{self.runtime}:{self.index}"


@dataclass(frozen=True, slots=True, order=True)
class GpuId:
    """How a cluster knows its cards: `WORKER:RUNTIME:INDEX`."""

    worker: str
    runtime: str
    index: int

    @property
    def card(self) -> CardId:
        return CardId(self.runtime, self.index)

    def __str__(self) -> str:
        return f"{self.worker}:{self.runtime}:{self.index}"

    @classmethod
    def parse(cls, text: object, place: str) -> GpuId:
        """Reads `WORKER:RUNTIME:INDEX`; a worker's name may itself contain colons."""
        parts = text.rsplit(":", 2) if isinstance(text, str) else []
        if len(parts) != 3 or not all(parts) or not parts[2].isascii() or not parts[2].isdecimal():
            raise InputError(
                f"{shown(text)} names no card", place=place, next="write WORKER:RUNTIME:INDEX, as in a:cuda:0"
            )
        return cls(parts[0], parts[1], parse_count(parts[2], place))


@dataclass(frozen=True, slots=True)
class Gpu:
    """One card. What is not known is None, never 0, and never guessed from the name.

    `places` is how many replicas may share the card; None where nothing limits their number.
    """

    index: int
    runtime: str = "cuda"
    uuid: str | None = None
    model: str | None = None
    memory_mib: int | None = None
    numa: int | None = None
    pcie_gen: int | None = None
    healthy: bool = True
    observed_used_mib: int | None = None
    mig: MigState | None = None
    places: int | None = None

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "index": self.index,
                "memory": self.memory_mib,
                "numa": self.numa,
                "pcieGen": self.pcie_gen,
                "observedUsed": self.observed_used_mib,
            }
        )
        if self.places is not None and self.places < 1:
            raise InputError(f"a card with {self.places} places", place="places", next="write at least 1")
        if self.mig and self.geometry:
            self.geometry.occupied(self.mig.slices, "mig.slices")

    @property
    def card(self) -> CardId:
        return CardId(self.runtime, self.index)

    @property
    def mig_enabled(self) -> bool:
        """A card that is cut, or about to be, is no whole card."""
        return self.mig is not None and self.mig.enabled

    @property
    def catalogue_entry(self) -> CatalogueEntry | None:
        return resolve(self.model) if self.model else None

    @property
    def size_mib(self) -> int | None:
        """The nominal size of the card, such as 80 GiB; where it is not known, the size that the card reports."""
        return card_size_mib(self.model, self.memory_mib)

    @property
    def geometry(self) -> MigGeometry | None:
        """How MIG may divide this card; None where it cannot, or where that is not known."""
        return mig_geometry(self.model, self.memory_mib)

"""What a GPU's name means: which requests it answers, and what is known about such cards."""

from __future__ import annotations

import re
from functools import lru_cache

from bayplan.cluster.catalogue_table import CATALOGUE, CatalogueEntry
from bayplan.cluster.mig import GEOMETRIES, MigGeometry

_SEPARATORS = re.compile(r"[\s\-_/(),]+")

# Makers and brands: some inventories write them, some do not, so a request never fails for want of them.
_BRANDS = frozenset({"nvidia", "tesla", "geforce", "amd", "instinct", "radeon", "huawei"})

# How far a reported size may lie from the nominal one and still tell 40 GB from 80 GB.
_MEMORY_TOLERANCE = 0.15

# A driver reports a little less than what a card is sold as; a card that reports less than this part is another one.
_LEAST_REPORTED_PERCENT = 90


@lru_cache(maxsize=4096)
def words_of(name: str) -> frozenset[str]:
    """The words of a GPU's name, whatever their case and whatever stands between them."""
    return frozenset(word for word in _SEPARATORS.split(name.casefold()) if word)


@lru_cache(maxsize=4096)
def matches(requested: str, product: str) -> bool:
    """Whether a card of this product answers a request for that name.

    Every word asked for must be a word of the product: `NVIDIA-A100-SXM4-80GB` is an `A100` and no `A10`.
    """
    wanted = words_of(requested)
    return bool(wanted) and (wanted - _BRANDS or wanted) <= words_of(product)


@lru_cache(maxsize=4096)
def resolve(product: str) -> CatalogueEntry | None:
    """The most specific line of the catalogue for a product, or None for a card that it does not list."""
    words = words_of(product)
    known = [(len(entry_words), entry) for entry_words, entry in _LINES if entry_words <= words]
    return max(known, key=lambda line: line[0])[1] if known else None


@lru_cache(maxsize=4096)
def card_size_mib(product: str | None, memory_mib: int | None) -> int | None:
    """The size by which people ask for a card: the nominal one if the card reports nearly that, else what it reports.

    Never for shares, places or models: they need memory that is there.
    """
    nominal = nominal_mib(product)
    if memory_mib is None or nominal is None or memory_mib * 100 < nominal * _LEAST_REPORTED_PERCENT:
        return memory_mib
    return max(memory_mib, nominal)


def nominal_mib(product: str | None) -> int | None:
    """The size that a product is sold with; None where the name does not tell."""
    entry = resolve(product) if product else None
    return entry.memory_mib or entry.usual_mib if entry else None


@lru_cache(maxsize=4096)
def mig_geometry(product: str | None, memory_mib: int | None = None) -> MigGeometry | None:
    """How such a card may be cut; a name without a size (`A100`) is told apart by the memory it reports."""
    entry = resolve(product) if product else None
    if entry is None:
        return None
    if entry.mig_geometry:
        return GEOMETRIES[entry.mig_geometry]
    sizes = {
        abs(other.memory_mib - memory_mib) / other.memory_mib: other.mig_geometry
        for other in CATALOGUE
        if memory_mib and other.family == entry.family and other.memory_mib and other.mig_geometry
    }
    distance = min(sizes, default=1.0)
    return GEOMETRIES[sizes[distance]] if distance <= _MEMORY_TOLERANCE else None


_LINES = tuple((words_of(entry.name), entry) for entry in CATALOGUE)

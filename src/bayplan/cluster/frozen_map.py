"""A mapping that can be hashed, so that what is asked and what is offered can be classes of a cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FrozenMap(Mapping[K, V]):
    """Keys and values that never change; equal to any mapping with the same ones.

    The hash ignores the order of the keys, as equality does, and is computed once.
    """

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._items: dict[K, V] = dict(items)
        self._hash: int | None = None

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def copy(self) -> dict[K, V]:
        """A dict of one's own, without asking for every key."""
        return self._items.copy()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._items.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMap):
            return self._items == other._items
        return isinstance(other, Mapping) and self._items == dict(other)

    def __reduce__(self) -> tuple[type[FrozenMap[K, V]], tuple[dict[K, V]]]:
        """Leaves the hash behind: another process gives the same text another one."""
        return (type(self), (self._items,))

    def __repr__(self) -> str:
        return f"FrozenMap({self._items!r})"


NO_AMOUNTS: FrozenMap[str, int] = FrozenMap()
"""No resources by name: shared as EMPTY is."""

EMPTY: FrozenMap[str, str] = FrozenMap()
"""No labels: one object that every noun without labels shares."""

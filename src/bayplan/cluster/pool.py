"""Distinct values under small numbers, so that a question is asked once a value and not once a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from bayplan.cluster.columns import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

T = TypeVar("T", bound="Hashable")


class Pool(Generic[T]):
    """Gives equal values one number, counted from 0; None is not known. Numbers never change."""

    __slots__ = ("_ids", "values")

    def __init__(self) -> None:
        self.values: list[T] = []
        self._ids: dict[T, int] = {}

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[T]:
        return iter(self.values)

    def __getitem__(self, number: int) -> T:
        return self.values[number]

    def find(self, value: T) -> int | None:
        """The number of a value that is there already."""
        return self._ids.get(value)

    def number(self, value: T | None) -> int:
        """The number of a value; a new value is added."""
        if value is None:
            return UNKNOWN
        number = self._ids.get(value)
        if number is None:
            number = self._ids[value] = len(self.values)
            self.values.append(value)
        return number

    def numbers(self, values: Iterable[T | None]) -> list[int]:
        """The numbers of many values; one object that stands in many places is hashed once."""
        held = list(values)  # keeps every object alive, so that no identity is used twice
        seen: dict[int, int] = {}
        numbers = []
        for value in held:
            number = seen.get(id(value))
            if number is None:
                number = seen[id(value)] = self.number(value)
            numbers.append(number)
        return numbers

"""Tuples of numbers, one for each role or profile, and which of them contain others."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

Numbers: TypeAlias = tuple[int, ...]
"""The number of members of each role, or of instances of each profile."""


def contains(more: Numbers, fewer: Numbers) -> bool:
    """Whether there are at least as many of each kind."""
    return all(there >= wanted for there, wanted in zip(more, fewer, strict=True))


def largest(numbers: Iterable[Numbers]) -> list[Numbers]:
    """The maximal ones, which no other contains, largest sum first."""
    kept: list[Numbers] = []
    for one in sorted(set(numbers), key=sum, reverse=True):
        if not any(contains(more, one) for more in kept):
            kept.append(one)
    return kept

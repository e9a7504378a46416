"""How much of a request's prompts an endpoint holds in its prefix cache."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from bayplan.routing.endpoints.columns import PREFIX_COLUMN

DEFAULT_PRODUCER = "approx-prefix-cache-producer"
"""The name of the producer that consumers read where they name none."""

MOST_PRODUCERS = 1024
"""Columns that are kept: configurations have a few producers, and plugins ask for their column in every decision."""


class PrefixMatch(NamedTuple):
    """Blocks from the first on without a gap, summed over all prompts; a block in CPU memory may count less than 1."""

    matched_blocks: float
    total_blocks: int
    block_size: int

    @property
    def share(self) -> float:
        """Which part of the prompts is there; 0 where they have no block."""
        return self.matched_blocks / self.total_blocks if self.total_blocks else 0.0

    def uncached_tokens(self, prompt_tokens: int) -> float:
        """How many of the request's prompt tokens are not there."""
        return max(0, prompt_tokens - self.matched_blocks * self.block_size)


@lru_cache(maxsize=MOST_PRODUCERS)
def prefix_column(producer: str) -> str:
    """The column of the prefix producer of this name; other names than kebab-case are spelled out."""
    return PREFIX_COLUMN + "".join(
        "_" if char == "-" else char if _is_plain(char) else _spelled(char) for char in producer
    )


def _is_plain(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _spelled(char: str) -> str:
    return f"_x{ord(char):x}_"


def prefix_scores(matches: list[PrefixMatch], length_weight: float, length_scale_tokens: int) -> list[float]:
    """Scores of matches: their shares, and with a weight the squares of their lengths against a scale."""
    shares = [matched / total if total else 0.0 for matched, total, _ in matches]
    if not length_weight:
        return shares
    lengths = [min(1.0, matched * size / length_scale_tokens) ** 2 for matched, _, size in matches]
    return [
        length_weight * length + (1.0 - length_weight) * share if match.total_blocks else 0.0
        for match, length, share in zip(matches, lengths, shares, strict=True)
    ]

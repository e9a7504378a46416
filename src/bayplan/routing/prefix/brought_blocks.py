"""Names of a prompt's blocks that a request brings along: a recorded trace has them instead of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.routing.requests.routed_request import RoutedRequest


class BroughtBlocks(NamedTuple):
    """The blocks of a request with one prompt, in its `notes` under this class; taken for hashes of this block size.

    Each name is a number below 2^64 and stands for the whole prompt up to the end of its block. The last block may be
    partial: `prompt_tokens` of the request tells.
    """

    block_size: int
    names: Sequence[int]

    def names_of(self, prompt_tokens: int, most_blocks: int | None, *, full_only: bool) -> Sequence[int]:
        """The names that count."""
        count = prompt_tokens // self.block_size if full_only else len(self.names)
        return self.names[: count if most_blocks is None else min(count, most_blocks)]


def brought_blocks(request: RoutedRequest) -> BroughtBlocks | None:
    """What the request brought along; None for every request that came with a body."""
    found: BroughtBlocks | None = request.notes.get(BroughtBlocks)
    return found

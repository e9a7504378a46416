"""Names of a prompt's blocks that a request brings along: a recorded trace has them instead of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.routing.requests.routed_request import RoutedRequest

_WORD = 0xFFFFFFFFFFFFFFFF  # names are numbers below 2^64, as hashes are


class BroughtBlocks(NamedTuple):
    """The blocks of a request with one prompt, in its `notes` under this class; taken for hashes of this block size.

    Each name is a number below 2^64 and stands for the whole prompt up to the end of its block. The last block may be
    partial: `prompt_tokens` of the request tells.
    """

    block_size: int
    names: Sequence[int]

    def names_of(
        self, prompt_tokens: int, block_size: int, most_blocks: int | None, *, full_only: bool
    ) -> Sequence[int] | None:
        """The names of the prompt's blocks of this size; None where neither size is a multiple of the other."""
        count = prompt_tokens // block_size if full_only else -(-prompt_tokens // block_size)
        if most_blocks is not None:
            count = min(count, most_blocks)
        if block_size == self.block_size:
            return self.names[:count]
        if self.block_size % block_size == 0:
            return self._parts(self.block_size // block_size, count)
        return None if block_size % self.block_size else self._groups(block_size // self.block_size, count)

    def _parts(self, parts: int, count: int) -> Sequence[int]:
        """Each block cut into so many, each with a name of its own."""
        whole = self.names[: -(-count // parts)]
        return [(name * parts + part) & _WORD for name in whole for part in range(parts)][:count]

    def _groups(self, blocks: int, count: int) -> Sequence[int]:
        """So many blocks as one: its last name stands for all before it."""
        ends = range(blocks - 1, len(self.names) + blocks - 1, blocks)
        return [self.names[min(end, len(self.names) - 1)] for end in ends][:count]


def brought_blocks(request: RoutedRequest) -> BroughtBlocks | None:
    """What the request brought along; None for every request that came with a body."""
    found: BroughtBlocks | None = request.notes.get(BroughtBlocks)
    return found

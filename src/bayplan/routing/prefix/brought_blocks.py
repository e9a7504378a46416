"""Names of a prompt's blocks that a request brings along: a recorded trace has them instead of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from bayplan.routing.requests.routed_request import RoutedRequest


class BroughtBlocks(NamedTuple):
    """The blocks of one prompt, in a request's `notes` under this class.

    Each name stands for the whole prompt up to the end of its block; the last block may be partial. Whoever would hash
    the prompt takes these instead, whatever block size it would have used.
    """

    block_size: int
    names: Sequence[Hashable]


def brought_blocks(request: RoutedRequest) -> BroughtBlocks | None:
    """What the request brought along; None for every request that came with a body."""
    found: BroughtBlocks | None = request.notes.get(BroughtBlocks)
    return found

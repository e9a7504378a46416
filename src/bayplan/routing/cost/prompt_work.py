"""What a request asks of engines, worked out once for each request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.routing.cost.cost_account import Work
from bayplan.routing.prefix.brought_blocks import brought_blocks

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from bayplan.routing.requests.routed_request import RoutedRequest

BYTES_PER_TOKEN = 4  # of a prompt of which only the engine knows the tokens


def work_of(request: RoutedRequest, block_tokens: int) -> Work:
    """The request's prompt as blocks. Several prompts in one request count as one long prompt.

    Only full blocks are kept, and at least one token is left over: engines reuse no others.
    """
    found: Work | None = request.notes.get(Work)
    if found is None:
        found = request.notes[Work] = _work(request, block_tokens)
    return found


def _work(request: RoutedRequest, block_tokens: int) -> Work:
    brought = brought_blocks(request)
    if brought is not None:
        full = (request.prompt_tokens - 1) // brought.block_size
        return Work(request.id, request.prompt_tokens, brought.names[: max(0, full)], brought.block_size)
    blocks = list(_hashes(request, block_tokens))
    del blocks[max(0, request.prompt_tokens - 1) // block_tokens :]
    return Work(request.id, request.prompt_tokens, blocks, block_tokens)


def _hashes(request: RoutedRequest, block_tokens: int) -> Iterator[Hashable]:
    """A chain of hashes: equal where model, salt and everything up to the end of the block are equal."""
    above = hash((request.model, request.cache_salt))
    for prompt in request.prompts:
        tokens: Sequence[int] | bytes = prompt.text if prompt.token_ids is None else prompt.token_ids
        size = block_tokens * BYTES_PER_TOKEN if prompt.token_ids is None else block_tokens
        for begin in range(0, len(tokens), size):
            above = hash((above, tokens[begin : begin + size]))
            yield above

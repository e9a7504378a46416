"""What a request asks of engines, worked out once for each request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bayplan.routing.prefix.block_hashes import chain_of, chains_of
from bayplan.routing.prefix.brought_blocks import brought_blocks

if TYPE_CHECKING:
    from bayplan.routing.prefix.block_hashes import Chain
    from bayplan.routing.requests.routed_request import RoutedRequest


class Work(NamedTuple):
    """The tokens of a request's prompts, and the full blocks of them that a cache may hold, a chain for each prompt."""

    id: str
    prompt_tokens: int
    chains: tuple[Chain, ...]
    block_tokens: int


def work_of(request: RoutedRequest, block_tokens: int) -> Work:
    """The request's work; it is kept with the request."""
    found: Work | None = request.notes.get(Work)
    if found is None:
        found = request.notes[Work] = _work(request, block_tokens)
    return found


def _work(request: RoutedRequest, block_tokens: int) -> Work:
    model, salt, prompts = request.model, request.cache_salt, request.prompts
    if request.notes and brought_blocks(request) is not None:
        chains = chains_of(request, block_tokens, None, full_only=True).chains
    # not `chains_of`, which keeps them with the request: that is done here
    elif len(prompts) == 1:
        chains = (chain_of(prompts[0], model, salt, block_tokens, full_only=True),)
    else:
        chains = tuple([chain_of(each, model, salt, block_tokens, full_only=True) for each in prompts])
    return Work(request.id, request.prompt_tokens, chains, block_tokens)

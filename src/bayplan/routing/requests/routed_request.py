"""A request on its way to an endpoint: everything that plugins may look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT_FLOW = "default-flow"
"""The fairness id of requests that name none."""

AGENT_IDENTITY = "agent-identity"
"""The key in a request's notes under which the router puts what the plugin `agent-identity` found."""


class Prompt(NamedTuple):
    """One prompt: ids of tokens as the client counted them, or text as UTF-8 where only the engine knows its tokens.

    Many ids are a memoryview of numbers with 4 bytes each.
    """

    token_ids: Sequence[int] | None = None
    text: bytes = b""

    @property
    def tokens(self) -> int:
        """How many tokens it has; text counts one for each 4 bytes that have begun."""
        return -(-len(self.text) // 4) if self.token_ids is None else len(self.token_ids)


@dataclass(slots=True, eq=False)
class RoutedRequest:
    """What a decision is about. Two requests are never equal, so that each is a class of its own.

    `headers` have lower-case names. `model` is the name after rewriting, `asked_model` the client's own; None where the
    path tells none. `subset` holds the addresses that a gateway allows, None for all. `ttl_s`, `slo_ttft_ms` and
    `slo_tpot_ms` are None where the request sets none. `headers_only` requests have no body and run no profile.
    `explained` requests keep everything for a decision record, which costs more than the decision; it is set before
    the request arrives.
    """

    id: str
    path: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    parser: str = ""
    asked_model: str | None = None
    model: str | None = None
    prompts: tuple[Prompt, ...] = ()
    prompt_tokens: int = 0
    media: tuple[str, ...] = ()
    max_tokens: int | None = None
    stream: bool = False
    cache_salt: str = ""
    priority: int = 0
    fairness_id: str = DEFAULT_FLOW
    slo_ttft_ms: float | None = None
    slo_tpot_ms: float | None = None
    size_bytes: int = 0
    ttl_s: float | None = None
    arrived_s: float = 0.0
    subset: frozenset[str] | None = None
    headers_only: bool = False
    explained: bool = False
    body: bytes | None = None
    """The new body where the model was rewritten; None: the bytes as they came."""
    warnings: tuple[str, ...] = ()
    notes: dict[Any, Any] = field(default_factory=dict)
    """What plugins keep of this request from one step to the next, by a key of their own (block hashes, say)."""

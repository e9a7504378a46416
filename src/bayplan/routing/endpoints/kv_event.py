"""What an engine tells of its KV cache: blocks stored, blocks removed, all blocks gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

BlockHash: TypeAlias = int | bytes


@dataclass(frozen=True, slots=True)
class KvEvent:
    """One event of one endpoint.

    Documents speak of whole prompts: `token_ids` begin with the prompt's first token and `block_hashes` is empty.
    Engines speak of blocks: `block_hashes` are their own names of blocks; of a stored event `token_ids` holds the
    tokens of these blocks alone, and `parent_hash` names the block before them (None: the prompt begins here). A
    removed event of an engine has hashes and no tokens. `block_size` and `medium` are None where the engine says none.
    """

    kind: Literal["stored", "removed", "cleared"]
    model: str = ""
    token_ids: tuple[int, ...] = ()
    medium: str | None = None
    block_hashes: tuple[BlockHash, ...] = ()
    parent_hash: BlockHash | None = None
    block_size: int | None = None

"""Tokens of prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.routing.factors.no_columns import NoColumns

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class TokenProducer(NoColumns):
    """Read, but without effect: the router counts ids as they come.

    Text counts one token for each 4 bytes, so that no other process has to be asked for tokens.

    Parameters:
        model_name: the model whose tokenizer would be used.
        vllm: where a server renders prompts.
    """

    model_name: str = ""
    vllm: Mapping[str, Any] | None = None

    name = "token-producer"

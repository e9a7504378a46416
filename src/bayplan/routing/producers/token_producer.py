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
        backend: who would count tokens.
        estimate: how tokens would be estimated.
        uds_tokenizer_config: where a tokenizer listens.
    """

    model_name: str = ""
    vllm: Mapping[str, Any] | None = None
    backend: str = ""
    estimate: Mapping[str, Any] | None = None
    uds_tokenizer_config: Mapping[str, Any] | None = None

    name = "token-producer"
    aliases = ("tokenizer",)

"""vLLM's own API of token ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.routing.plugin_kinds import PARSER
from bayplan.routing.requests.parsed_body import ParsedBody, count_of, model_of, needed, salt_of
from bayplan.routing.requests.prompts import ids_of
from bayplan.routing.requests.routed_request import Prompt

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class VllmhttpParser:
    """Reads requests of vLLM's `/inference/v1/generate`, which need `token_ids`."""

    name = "vllmhttp-parser"
    kinds = (PARSER,)
    paths = ("/inference/v1/generate",)
    opaque = False
    needs_model = True

    def read(self, path: str, body: Mapping[str, Any]) -> ParsedBody:
        ids = ids_of(needed(body, "token_ids"), "body.token_ids")
        sampling = body.get("sampling_params")
        limit = count_of(sampling, "max_tokens") if isinstance(sampling, dict) else None
        return ParsedBody((Prompt(ids),), (), model_of(body), limit, body.get("stream") is True, salt_of(body))

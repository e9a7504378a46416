"""SGLang's own API of token ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.routing.plugin_kinds import PARSER
from bayplan.routing.requests.parsed_body import ParsedBody, count_of, model_of, needed, salt_of
from bayplan.routing.requests.prompts import id_prompts_of

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class SglanghttpParser:
    """Reads requests of SGLang's `/generate`, which need `input_ids` (ids, or lists of ids) and no model."""

    name = "sglanghttp-parser"
    kinds = (PARSER,)
    paths = ("/generate",)
    opaque = False
    needs_model = False

    def read(self, path: str, body: Mapping[str, Any]) -> ParsedBody:
        prompts = id_prompts_of(needed(body, "input_ids"), "body.input_ids")
        sampling = body.get("sampling_params")
        limit = count_of(sampling, "max_new_tokens") if isinstance(sampling, dict) else None
        return ParsedBody(prompts, (), model_of(body), limit, body.get("stream") is True, salt_of(body))

"""vLLM's gRPC API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.routing.plugin_kinds import PARSER
from bayplan.routing.requests.parsed_body import ParsedBody

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class VllmgrpcParser:
    """Claims the calls `Generate` and `Embed` of vLLM's gRPC service and looks into none: no model, 0 tokens."""

    name = "vllmgrpc-parser"
    kinds = (PARSER,)
    paths = ("/vllm.grpc.engine.VllmEngine/Generate", "/vllm.grpc.engine.VllmEngine/Embed")
    opaque = True
    needs_model = False

    def read(self, path: str, body: Mapping[str, Any]) -> ParsedBody:
        return ParsedBody()

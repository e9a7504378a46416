"""The gRPC API of Vertex AI's prediction service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.routing.plugin_kinds import PARSER
from bayplan.routing.requests.parsed_body import ParsedBody

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class VertexaiParser:
    """Claims the chat calls of Vertex AI's prediction service and looks into none: no model, 0 tokens."""

    name = "vertexai-parser"
    kinds = (PARSER,)
    paths = (
        "/google.cloud.aiplatform.v1.PredictionService/ChatCompletions",
        "/google.cloud.aiplatform.v1beta1.PredictionService/ChatCompletions",
    )
    opaque = True
    needs_model = False

    def read(self, path: str, body: Mapping[str, Any]) -> ParsedBody:
        return ParsedBody()

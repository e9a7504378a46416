"""The parser of whatever no other one claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.routing.plugin_kinds import PARSER
from bayplan.routing.requests.parsed_body import ParsedBody

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class PassthroughParser:
    """Takes requests that no other parser claims and looks into none: no model, no prompt, 0 tokens."""

    name = "passthrough-parser"
    kinds = (PARSER,)
    paths = ()
    opaque = True
    needs_model = False

    def read(self, path: str, body: Mapping[str, Any]) -> ParsedBody:
        return ParsedBody()

"""Requests as they came, read once: body, headers, and the rules that hold for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import orjson

from bayplan.framework.errors import InputError
from bayplan.routing.requests import header_fields as fields
from bayplan.routing.requests.header_fields import LowerCased, first_of, number_of
from bayplan.routing.requests.id_lists import read_json
from bayplan.routing.requests.model_text import with_model
from bayplan.routing.requests.rewrite import RewriteTable
from bayplan.routing.requests.routed_request import AGENT_IDENTITY, DEFAULT_FLOW, RoutedRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bayplan.routing.requests.parser_table import Claim, ParserTable


_RENAMING = frozenset(fields.MODEL_REWRITE)


class AgentFinder(Protocol):
    """Says which agent a request belongs to."""

    def identity(self, headers: Mapping[str, str]) -> str | None:
        """The agent of a request with these headers, whose names are in lower case; None: it is not known."""
        ...


class RequestReader:
    """Makes requests of what clients send. `agent_identity` names the flow of requests without a fairness id."""

    def __init__(self, parsers: ParserTable, agent_identity: AgentFinder | None = None) -> None:
        self.parsers = parsers
        self.agent_identity = agent_identity
        self.objectives: Mapping[str, int] = {}
        self.rewrites = RewriteTable()

    def read(
        self,
        id: str,  # noqa: A002 (it is the word for it)
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        now: float,
        chance: Callable[[int], int],
        subset: Iterable[str] | None = None,
    ) -> tuple[RoutedRequest, InputError | None]:
        """The request, and what the client did wrong; `chance(n)` gives a number below n."""
        if type(headers) is not LowerCased:
            headers = {name.lower(): value for name, value in headers.items()}
        request = RoutedRequest(id, path, headers, size_bytes=len(body), arrived_s=now)
        if subset is not None:
            request.subset = frozenset(subset)
        if self.agent_identity is not None or not fields.ALL.isdisjoint(headers):
            self._read_headers(request)
        if not body:
            request.headers_only = True
            return request, None
        try:
            self._read_body(request, body, chance)
        except InputError as problem:
            return request, problem
        return request, None

    def _read_headers(self, request: RoutedRequest) -> None:
        headers = request.headers
        objective = first_of(headers, fields.OBJECTIVE)
        if objective is not None:
            request.priority = self.objectives.get(objective, 0)
        flow = first_of(headers, fields.FAIRNESS_ID)
        if self.agent_identity is not None:
            identity = self.agent_identity.identity(headers)
            if identity is not None:
                request.notes[AGENT_IDENTITY] = identity
            flow = flow or identity
        request.fairness_id = flow or DEFAULT_FLOW
        request.slo_ttft_ms = number_of(headers, fields.SLO_TTFT_MS)
        request.slo_tpot_ms = number_of(headers, fields.SLO_TPOT_MS)

    def _read_body(self, request: RoutedRequest, body: bytes, chance: Callable[[int], int]) -> None:
        claim = self.parsers.find(request.path)
        if claim is None:
            step = "list a parser that claims it, or passthrough-parser, in requestHandler.parsers"
            raise InputError(f"no parser claims {request.path!r}", place="path", next=step)
        request.parser = claim.name
        if claim.parser.opaque:
            return
        parsed = claim.parser.read(claim.path, _object(body))
        request.prompts, request.media, model, request.max_tokens, request.stream, request.cache_salt = parsed
        request.asked_model = request.model = model
        request.prompt_tokens = sum([each.tokens for each in request.prompts])
        if model is None or not self.rewrites.is_empty or not _RENAMING.isdisjoint(request.headers):
            self._rewrite(request, claim, body, chance)

    def _rewrite(self, request: RoutedRequest, claim: Claim, body: bytes, chance: Callable[[int], int]) -> None:
        asked, target = request.asked_model, first_of(request.headers, fields.MODEL_REWRITE)
        if target is None and not self.rewrites.is_empty:
            choice = self.rewrites.find(asked)
            if choice is not None:
                target = choice.drawn(chance)
                request.warnings = (choice.warning,) if choice.warning else ()
        if target is not None:
            request.model = target
            # An API without the field would refuse a body that has it.
            if target != asked and (asked is not None or claim.parser.needs_model):
                request.body = with_model(body, target)
        elif asked is None and claim.parser.needs_model:
            step = "send 'model' in the body"
            raise InputError("is missing, and no header or rule supplies it", place="body.model", next=step)


def _object(body: bytes) -> dict[str, Any]:
    try:
        data = read_json(body)
    except orjson.JSONDecodeError as problem:
        raise InputError(f"is no JSON: {problem}", place="body", next="send a JSON object") from problem
    if not isinstance(data, dict):
        raise InputError(f"is a {type(data).__name__}", place="body", next="send a JSON object")
    return data

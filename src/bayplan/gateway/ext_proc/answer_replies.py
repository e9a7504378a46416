"""The router's answers as replies to a gateway; what repeats with each request is made once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from bayplan.gateway.ext_proc import names, processing_response as replies
from bayplan.gateway.ext_proc.processing_request import metadata_value
from bayplan.gateway.ext_proc.processing_response import REQUEST, RESPONSE
from bayplan.gateway.relay.messages.refusals import JSON, RefusalError, code_of, refusal_body
from bayplan.gateway.relay.messages.request_head import ROUTING_HEADERS, STEERING_HEADERS
from bayplan.routing.answer import DESTINATION_HEADER, DROPPED_HEADER
from bayplan.routing.requests.header_fields import wants_cached_prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bayplan.routing.answer import Answer

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_REMOVED: Final = ROUTING_HEADERS | STEERING_HEADERS
_PREFER: Final = "prefer"
_KEPT: Final = 4_096  # of what is made once: destinations are few, but a gateway's metadata could be anything
_KEPT_BYTES: Final = 4_096  # of metadata that is kept
_LATER: Final = (429, 503)  # refusals that may be none a little later


class Changes(NamedTuple):
    """What an answer changes in a request: its headers, and the metadata that the load balancer reads.

    `head` is the whole reply to headers with these changes, where nothing else has to be in it.
    """

    mutation: bytes
    metadata: bytes
    head: bytes


class AnswerReplies:
    """Makes replies.

    `scores` tells what each candidate was worth, by address; None: gateways are not told. `patience_s` is how long a
    gateway is asked to wait for a request that the router holds.
    """

    def __init__(self, scores: Callable[[Answer], Mapping[str, float]] | None = None, patience_s: int = 3_600) -> None:
        self.patience = replies.longer_timeout(patience_s)
        self._scores = scores
        self._changes: dict[str, Changes] = {}
        self._response_heads: dict[bool, bytes] = {
            False: replies.headers_reply(RESPONSE),
            True: replies.headers_reply(RESPONSE, replies.mutation({names.SEEN_HEADER: "true"})),
        }
        self._subsets: dict[bytes, tuple[str, ...] | None] = {}
        self._served: dict[bytes, str | None] = {}

    # what goes to an endpoint

    def changes(self, answer: Answer, headers: Mapping[str, str], *, is_noted: bool = False) -> Changes:
        """The changes that bring a request to its endpoint; headers for the router alone are removed.

        `is_noted`: the gateway is told what we call the request, so that it can tell its first token.
        """
        removed = () if _REMOVED.isdisjoint(headers) else sorted(_REMOVED.intersection(headers) - answer.headers.keys())
        if _PREFER in headers and wants_cached_prefix(headers):
            removed = (*removed, _PREFER)
        destination = answer.headers[DESTINATION_HEADER]
        if removed or is_noted or len(answer.headers) > 1 or self._scores is not None:
            return self._make_changes(answer, destination, removed, is_noted=is_noted)
        found = self._changes.get(destination)
        if found is None:
            found = _kept(self._changes, destination, self._make_changes(answer, destination, removed))
        return found

    def _make_changes(
        self, answer: Answer, destination: str, removed: Sequence[str], *, is_noted: bool = False
    ) -> Changes:
        told: dict[str, Any] = {names.LB_NAMESPACE: {DESTINATION_HEADER: destination}}
        if self._scores is not None:
            told[names.LB_NAMESPACE][names.SCORES_KEY] = self._scores(answer)
        if is_noted:
            told[names.OWN_NAMESPACE] = {names.REQUEST_KEY: answer.request.id}
        mutation = replies.mutation(answer.headers, removed)
        metadata = replies.dynamic_metadata(told)
        return Changes(mutation, metadata, replies.headers_reply(REQUEST, mutation, metadata))

    def streamed(self, changes: Changes, body: bytes | None, chunks: int, *, has_trailers: bool) -> bytes:
        """Replies to headers and to each piece of the body; a new body takes the place of the last one."""
        if body is None:
            found = changes.head + replies.CONTINUE_REQUEST_BODY * chunks
        else:
            found = changes.head + replies.CLEAR_REQUEST_BODY * (chunks - 1) + replies.body_reply(REQUEST, body=body)
        return found + replies.CONTINUE_REQUEST_TRAILERS if has_trailers else found

    def buffered(self, changes: Changes, body: bytes | None) -> bytes:
        """The reply to the whole body, after headers that were let through unchanged."""
        mutation = changes.mutation if body is None else changes.mutation + _content_length(len(body))
        return replies.body_reply(REQUEST, mutation, body=body, metadata=changes.metadata)

    def duplex(self, changes: Changes, body: bytes, *, has_body: bool, has_trailers: bool) -> bytes:
        """Headers, the body in pieces, and trailers, which all go on as they are told here."""
        mutation = changes.mutation + _content_length(len(body)) if has_body and not has_trailers else changes.mutation
        found = replies.headers_reply(REQUEST, mutation, changes.metadata, clears_route=True)
        if has_body:
            found += replies.streamed_body(REQUEST, body, ends=not has_trailers)
        return found + replies.CONTINUE_REQUEST_TRAILERS if has_trailers else found

    # what comes back

    def response_headers(self, answer: Answer, *, is_duplex: bool) -> bytes:
        """The reply to an answer's headers, with those that the router adds."""
        if not answer.response_headers:
            return self._response_heads[is_duplex]
        added = {names.SEEN_HEADER: "true", **answer.response_headers} if is_duplex else answer.response_headers
        return replies.headers_reply(RESPONSE, replies.mutation(added))

    def refusal(self, status: int, message: str, reason: str | None) -> bytes:
        """An answer of the gateway itself, in the form that OpenAI's clients read."""
        headers = {"content-type": JSON}
        if reason:
            headers[DROPPED_HEADER] = reason
        if status in _LATER:
            headers["retry-after"] = "1"
        body = refusal_body(RefusalError(status, message, reason=reason))
        return replies.immediate(status, headers, body, f"bayplan_{reason or code_of(status)}")

    # what a gateway tells

    def subset(self, metadata: bytes) -> tuple[str, ...] | None:
        """The addresses that a gateway allows; None: all."""
        if metadata in self._subsets:
            return self._subsets[metadata]
        told = metadata_value(metadata, names.SUBSET_NAMESPACE, names.SUBSET_KEY)
        return _kept_metadata(self._subsets, metadata, _addresses(told))

    def served(self, metadata: bytes) -> str | None:
        """The address of the endpoint that a gateway used; None where it does not say."""
        if metadata in self._served:
            return self._served[metadata]
        told = metadata_value(metadata, names.LB_NAMESPACE, names.SERVED_KEY)
        return _kept_metadata(self._served, metadata, told if isinstance(told, str) else None)


def _addresses(told: Any) -> tuple[str, ...] | None:
    """A list of addresses, or one text with commas; an empty one allows none."""
    if told is None:
        return None
    parts = told.split(",") if isinstance(told, str) else told if isinstance(told, list) else ()
    return tuple(text for part in parts if isinstance(part, str) and (text := part.strip()))


@lru_cache(maxsize=_KEPT)
def _content_length(size: int) -> bytes:
    return replies.mutation({"content-length": str(size)})


def _kept(table: dict[_Key, _Value], key: _Key, value: _Value) -> _Value:
    if len(table) >= _KEPT:
        table.clear()
    table[key] = value
    return value


def _kept_metadata(table: dict[bytes, _Value], metadata: bytes, value: _Value) -> _Value:
    return _kept(table, metadata, value) if len(metadata) <= _KEPT_BYTES else value

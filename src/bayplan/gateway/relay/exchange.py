"""One request on its way: asked for at the desk, sent to an engine, its answer passed on byte by byte."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from bayplan.gateway.relay.desk import Ending
from bayplan.gateway.relay.engine_connection import Fault
from bayplan.gateway.relay.messages.model_name import ModelName
from bayplan.gateway.relay.messages.reframing import Reframer
from bayplan.gateway.relay.messages.refusals import RefusalError, refusal_body, refusal_headers, whole_answer
from bayplan.gateway.relay.messages.request_head import REQUEST_ID_HEADER, header_lines, without
from bayplan.gateway.relay.messages.response_head import CHUNKED, UNTIL_CLOSE, ResponseHead
from bayplan.gateway.relay.messages.usage import TAIL_BYTES, UNKNOWN, Usage, usage_of
from bayplan.telemetry.request_metrics import EndedRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.gateway.relay.client_connection import ClientConnection
    from bayplan.gateway.relay.engine_connection import EngineConnection
    from bayplan.gateway.relay.messages.request import Request
    from bayplan.gateway.relay.relay_service import RelayService
    from bayplan.routing.answer import Answer
    from bayplan.routing.endpoints.endpoint import Endpoint

_WITHOUT_BODY: Final = (b"GET", b"HEAD", b"OPTIONS", b"DELETE")
"""Methods whose requests may have no length."""
_GONE: Final = 404
"""As an answer to a path that the desk wrote: what the desk knew to be there has been unloaded meanwhile."""
_CLOSE: Final = b"connection: close\r\n"
_CHUNKS: Final = b"\r\ntransfer-encoding: chunked"


class Exchange:
    """A request from the moment it is complete to the end of its answer.

    `id` is its name at the router. `request_id` is what the client calls it. `status` is what the client was answered
    with, None before that. Times are those of `time.monotonic`.
    """

    __slots__ = (
        "_attempts", "_before", "_client", "_connection", "_desk", "_ends_with_connection", "_is_fresh_try",
        "_keeps_alive", "_last", "_pool", "_prefix", "_reframer", "_retries", "_service", "_third", "_write", "answer",
        "arrived_s", "body", "endpoint", "first_byte_s", "id", "is_over", "is_stream", "path", "request",
        "request_bytes", "request_id", "response_bytes", "sent_s", "status", "texts", "wants_data",
    )  # fmt: skip

    def __init__(
        self, service: RelayService, client: ClientConnection, request: Request, body: bytes, own_id: str,
    ) -> None:  # fmt: skip
        self.request = request
        self.body = body
        self.path = request.path
        self.texts: Mapping[str, str] = request.head.texts
        self.id = own_id
        self.request_id = self.texts.get(REQUEST_ID_HEADER) or own_id
        self.arrived_s = monotonic()
        self.sent_s: float | None = None
        self.first_byte_s: float | None = None
        self.answer: Answer | None = None
        self.endpoint: Endpoint | None = None
        self.status: int | None = None
        self.is_stream = False
        self.is_over = False
        self.request_bytes = len(body)
        self._keeps_alive = request.keeps_alive
        self.response_bytes = 0
        self.wants_data = False
        self._client = client
        self._write = client.transport.write
        self._service = service
        self._desk = service.desk
        self._pool = service.pool
        self._retries = service.retries
        service.bodies_bytes += self.request_bytes
        self._connection: EngineConnection | None = None
        self._attempts = 0
        self._is_fresh_try = False
        self._ends_with_connection = False
        self._reframer: Reframer | None = None
        self._prefix = b""
        # the last pieces of the answer: usage stands at its end
        self._last = self._before = self._third = b""

    @property
    def is_head(self) -> bool:
        return self.request.method == b"HEAD"

    @property
    def subset(self) -> None:
        """Clients of a relay do not choose endpoints."""

    def facts(self, ending: Ending) -> EndedRequest:
        """What is known of it at its end."""
        prompt_tokens, completion_tokens, cached_tokens = self.usage
        arrived_s, first_s = self.arrived_s, self.first_byte_s
        return EndedRequest(
            ending, self.status, monotonic() - arrived_s, None if first_s is None else first_s - arrived_s,
            self.request_bytes, self.response_bytes, self.is_stream, prompt_tokens, completion_tokens, cached_tokens,
        )  # fmt: skip

    @property
    def usage(self) -> Usage:
        """What the engine said about tokens, as far as the answer has come."""
        if self.status is None or self.status >= 400:
            return UNKNOWN
        return usage_of((self._third + self._before + self._last)[-TAIL_BYTES:])

    # the desk calls these

    def answered(self, answer: Answer) -> None:
        """The router's word; a second one takes the request's place away."""
        if self.is_over:
            return
        if self.answer is not None:
            self._evict(answer)
        elif answer.picked:
            self._send(answer)
        else:
            self._follow(answer)

    def _follow(self, answer: Answer) -> None:
        self.answer = answer
        if answer.picked:
            self._send(answer)
        elif answer.body is not None:
            self._tell(answer.status, answer.body, Ending.COMPLETED if answer.ok else Ending.REFUSED)
        else:
            self._refuse(RefusalError(answer.status, answer.message, reason=answer.reason), Ending.REFUSED)

    def _send(self, answer: Answer) -> None:
        self.answer = answer
        self.endpoint = endpoint = answer.picked[0]
        connection = self._pool.take(endpoint.address)
        self._is_fresh_try = connection is None
        if connection is None:
            self._pool.connect(self, endpoint)
        else:
            self.connected(connection)

    def _evict(self, answer: Answer) -> None:
        self._drop_connection()
        if self.status is None:
            self._refuse(RefusalError(answer.status, answer.message, reason=answer.reason), Ending.EVICTED)
        else:
            self._cut(Ending.EVICTED)

    # the connection to the engine calls these

    def connected(self, connection: EngineConnection) -> None:
        """Send the request."""
        answer = self.answer
        if self.is_over or answer is None:
            self._pool.put(connection)
            return
        self._connection = connection
        if self.sent_s is None:
            self.sent_s = monotonic()
        body = self.body if answer.body is None else answer.body
        connection.send(self, self._engine_head(answer, body), body)
        if self._client.is_full:
            connection.hold()  # the client has not yet read the answer before this one

    def _engine_head(self, answer: Answer, body: bytes) -> bytes:
        request, texts, added = self.request, self.texts, answer.headers
        start = request.start
        if len(added) > 1 or answer.path is not None:  # one is the destination, which clients cannot send
            start = _other_start(request, answer)
        parts = [start, self._client.forwarded]
        if REQUEST_ID_HEADER not in texts:
            parts.append(b"x-request-id: %b\r\n" % self.request_id.encode("latin-1", "replace"))
        if added:
            parts.append(header_lines(added))
        parts.append(
            b"content-length: %d\r\n\r\n" % len(body) if body or request.method not in _WITHOUT_BODY else b"\r\n"
        )
        return b"".join(parts)

    def declined(self, connection: EngineConnection, head: ResponseHead, rest: bytes) -> bool:
        """Try another engine instead of passing on that this one is unwell."""
        retries = self._retries
        is_gone = head.status == _GONE and self.answer is not None and self.answer.path is not None
        if not (head.status in retries.statuses or is_gone) or self._attempts >= retries.most_for_status:
            return False
        self._attempts += 1
        connection.hold()

        def then(answer: Answer | None) -> None:
            if self.is_over:
                return
            if answer is not None:
                connection.drop()
                self._follow(answer)
            elif connection.is_closing:
                self._give_up(Fault.RESET)
            else:
                connection.open(head, rest)
                connection.go_on()

        self._desk.failed(self, f"{Fault.STATUS}-{head.status}", then)
        return True

    def whole(self, head: ResponseHead, body: bytes) -> None:
        """Pass on an answer that came in one piece."""
        self._connection = None
        self.opened(head)
        if self._reframer is not None:
            self.forward(body)
            self.completed()
            return
        self._write(self._prefix + body)
        self._prefix = self.body = b""
        self.response_bytes = len(body)
        self._last = body
        self.is_over = True
        self.first_byte_s = monotonic()
        self._service.bodies_bytes -= self.request_bytes
        self._desk.answered_whole(self)
        self._client.finish(keeps_alive=self._keeps_alive)

    def opened(self, head: ResponseHead) -> None:
        """Make the head that the client gets; it goes out with the first piece of the body."""
        answer, request = self.answer, self.request
        assert answer is not None  # noqa: S101 (it was sent)
        self.status = head.status
        self.is_stream = head.is_stream
        length = head.length
        routed = answer.request
        renames = routed.model != routed.asked_model and routed.asked_model is not None and routed.model is not None
        if renames or (length == CHUNKED and request.is_old):
            length = self._reframe(head, renames=renames)
        parts = [head.text, b"\r\n"]
        if answer.response_headers:
            parts.append(header_lines(answer.response_headers))
        if not head.has_request_id:
            parts += (b"x-request-id: ", self.request_id.encode("latin-1", "replace"), b"\r\n")
        if length == UNTIL_CLOSE:
            self._ends_with_connection = True
            self._keeps_alive = False
        if not self._keeps_alive or self._service.is_draining:
            parts.append(_CLOSE)
        parts.append(b"\r\n")
        self._prefix = b"".join(parts)

    def _reframe(self, head: ResponseHead, *, renames: bool) -> int:
        """Have the body written anew: with the model's name as the client knows it, or without chunks."""
        if self.is_head or not head.length:
            return head.length
        request, routed = self.request, self.answer.request if self.answer else None
        names = None
        if renames and routed is not None and routed.model is not None and routed.asked_model is not None:
            names = ModelName(routed.model, routed.asked_model, is_stream=head.is_stream)
        self.wants_data = True
        self._reframer = Reframer(names, in_chunks=not request.is_old)
        head.reframe(b"" if request.is_old else _CHUNKS)
        return UNTIL_CLOSE if request.is_old else CHUNKED

    def forward(self, data: bytes) -> None:
        """Pass a piece of the body on."""
        if self._reframer is not None:
            data = self._reframer.piece(data)
        self.response_bytes += len(data)
        self._third, self._before, self._last = self._before, self._last, data
        if self._prefix:
            self._write(self._prefix + data)
            self._prefix = b""
            self.body = b""  # nothing is tried again from here on
        elif data:
            self._write(data)
        if self.first_byte_s is None and data:
            self.first_byte_s = monotonic()
            self._desk.first_token(self)

    def completed(self) -> None:
        """The answer is complete."""
        if self.is_over:
            return
        self._connection = None
        if self._reframer is not None:
            self._write(self._reframer.end())
        self._end(Ending.COMPLETED)
        self._client.finish(keeps_alive=self._keeps_alive)

    def broken(self, connection: EngineConnection | None, fault: Fault) -> None:
        """The engine failed: try another one, or cut the client off if it has got a part of the answer."""
        if self.is_over:
            return
        self._connection = None
        if self.status is not None and not self._prefix:
            self._cut(Ending.BROKEN)
            return
        self.status, self._prefix, self._reframer, self.wants_data = None, b"", None, False
        if connection is not None and connection.is_reused and fault is Fault.RESET and not self._is_fresh_try:
            # the engine closed a connection that it had not used for a while: it may be quite well
            self._is_fresh_try = True
            assert self.endpoint is not None  # noqa: S101 (it was sent)
            self._pool.connect(self, self.endpoint)
        else:
            self._try_another(fault)

    def _try_another(self, fault: Fault) -> None:
        self._attempts += 1
        if self._attempts > self._retries.most or fault is Fault.NO_FILES:
            self._give_up(fault)
            return

        def then(answer: Answer | None) -> None:
            if self.is_over:
                return
            if answer is None:
                self._give_up(fault)
            else:
                self._follow(answer)

        self._desk.failed(self, fault, then)

    # the client's connection calls these

    def cancel(self) -> None:
        """The client is gone."""
        if not self.is_over:
            self._drop_connection()
            self._end(Ending.CANCELLED)

    def pause(self) -> None:
        """The client is slow: let the engine wait."""
        if self._connection is not None:
            self._connection.hold()

    def resume(self) -> None:
        """The client has caught up."""
        if self._connection is not None:
            self._connection.go_on()

    # endings

    def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.drop()

    def _give_up(self, fault: Fault) -> None:
        tried = f"{self._attempts} engine{'s' * (self._attempts != 1)}"
        if fault is Fault.NO_FILES:
            refusal = RefusalError(503, "the relay has no file left for a connection to an engine; try again later")
        elif fault in (Fault.TIMEOUT, Fault.CONNECT_TIMEOUT):
            refusal = RefusalError(504, f"no answer in time after {tried}; try again later")
        else:
            refusal = RefusalError(502, f"no engine answered ({fault}), {tried} tried; try again later")
        self._refuse(refusal, Ending.GIVEN_UP)

    def _refuse(self, refusal: RefusalError, ending: Ending) -> None:
        self._tell(refusal.status, refusal_body(refusal), ending, refusal_headers(refusal))

    def _tell(self, status: int, body: bytes, ending: Ending, headers: str = "") -> None:
        """Answer without an engine."""
        self.status = status
        more = f"{headers}x-request-id: {self.request_id}\r\n"
        if self.answer is not None and self.answer.response_headers:
            more += header_lines(self.answer.response_headers).decode("latin-1")
        self._end(ending)
        keeps_alive = self._keeps_alive and not self._client.is_draining
        answer = whole_answer(status, body, keeps_alive=keeps_alive, more=more, is_head=self.is_head)
        self._client.answer(answer, keeps_alive=keeps_alive)

    def _cut(self, ending: Ending) -> None:
        """Close the client's connection without the end of its answer, which tells that it is not whole."""
        self._end(ending)
        self._client.answering = None
        if self._ends_with_connection:
            self._client.cut()  # only a reset tells this end from that of a whole answer
        else:
            self._client.close()

    def _end(self, ending: Ending) -> None:
        self.is_over = True
        self._service.bodies_bytes -= self.request_bytes
        self._desk.ended(self, ending)


def _other_start(request: Request, answer: Answer) -> bytes:
    """The first part of a head without the headers that the router writes itself, and with the path that it wants."""
    texts = request.head.texts
    clashing = [each.lower() for each in answer.headers if each.lower() in texts]
    if not clashing and answer.path is None:
        return request.start
    target = request.target
    if answer.path is not None:
        _, mark, query = target.partition(b"?")
        target = answer.path.encode("latin-1", "replace") + mark + query
    return b"%b %b HTTP/1.1\r\n%b" % (request.method, target, b"".join(without(request.head, clashing)))

"""One stream of a gateway: a request asks for its endpoint here, and its answer passes by."""

from __future__ import annotations

from enum import Enum
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from bayplan.gateway.ext_proc import processing_request as incoming, processing_response as replies
from bayplan.gateway.ext_proc.passing_body import PassingBody
from bayplan.gateway.ext_proc.processing_response import RESPONSE
from bayplan.gateway.grpc.call import Call
from bayplan.gateway.grpc.statuses import Status
from bayplan.gateway.protobuf.reader import WireError
from bayplan.gateway.relay.desk import Ending
from bayplan.gateway.relay.messages.request_head import REQUEST_ID_HEADER
from bayplan.telemetry.request_metrics import EndedRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.gateway.ext_proc.context import Context
    from bayplan.gateway.ext_proc.processing_request import ProcessingRequest
    from bayplan.gateway.http2.stream import Stream
    from bayplan.routing.answer import Answer
    from bayplan.routing.endpoints.endpoint import Endpoint


class Phase(Enum):
    """How far a request is; every phase can end in OVER, and REFUSED is for good.

    NEW ► READING ► WAITING ► SENT ► ANSWERED ► OVER
    """

    NEW = "nothing has come"
    READING = "its body is coming"
    WAITING = "the router was asked"
    SENT = "it has an endpoint"
    ANSWERED = "its answer has begun"
    OVER = "the router knows it no more; what else comes goes on unchanged"
    REFUSED = "the gateway was told to answer itself; what else comes is ignored"


# members of an Enum are looked up slowly, and each message needs several
_NEW, _READING, _WAITING, _SENT, _ANSWERED, _OVER, _REFUSED = Phase
_UNSENT = (_NEW, _READING, _WAITING)
_ASKED = (_WAITING, _SENT, _ANSWERED)


class ProcessingStream(Call):
    """A call of ExternalProcessor/Process, one for each HTTP request; at the desk it is what asks.

    Whatever comes in whatever order, what the router counts for this request is given back when the stream ends.
    """

    __slots__ = (
        "_answer", "_arrived_s", "_chunks", "_context", "_first_s", "_has_trailers", "_is_noted", "_modes",
        "_owes_headers", "_passing", "_phase", "_pieces", "_request_bytes", "_room_bytes", "endpoint", "id", "status",
        "subset", "texts",
    )  # fmt: skip

    def __init__(self, stream: Stream, context: Context) -> None:
        super().__init__(stream)
        self.id = ""
        self.texts: dict[str, str] = {}
        self.subset: tuple[str, ...] | None = None
        self.endpoint: Endpoint | None = None
        self.status: int | None = None
        self._context = context
        self._modes = context.modes  # until the gateway tells its own
        self._phase = _NEW
        self._pieces: list[bytes] = []
        self._room_bytes = 0  # that count for the pieces
        self._request_bytes = 0
        self._chunks = 0  # pieces of the body that wait for their replies
        self._owes_headers = True
        self._has_trailers = False
        self._is_noted = False  # the first token is told beside this stream
        self._answer: Answer | None = None
        self._passing: PassingBody | None = None
        self._arrived_s = 0.0
        self._first_s: float | None = None

    # what the call hears

    def received(self, message: bytes) -> None:
        if self._phase is _REFUSED:
            return
        try:
            request = incoming.read_request(message)
            reader = self._readers.get(request.kind)
            if request.is_observed:
                self._end(Ending.CANCELLED)
                self.finish()  # nothing that we say would be heard
            elif reader is None:
                self._violated("a message without a request or response")
            else:
                reader(self, request)
        except WireError as problem:
            self._violated(problem.message)

    def half_closed(self) -> None:
        self.abandoned()
        self.finish()

    def abandoned(self) -> None:
        """The gateway ends each stream so, when the answer has ended and when its client is gone."""
        has_ended = self._phase is _ANSWERED and (self._passing is None or self._passing.has_ended)
        self._end(Ending.COMPLETED if has_ended else Ending.CANCELLED)

    # the request

    def _request_headers(self, message: ProcessingRequest) -> None:
        if self._phase is not _NEW:
            self._violated("request headers for the second time")
            return
        modes = self._modes = message.modes or self._modes
        if not modes.is_known:
            self._refuse(Status.UNIMPLEMENTED, "body mode GRPC; use FULL_DUPLEX_STREAMED")
            return
        self.texts, ends = incoming.read_head(message)
        if message.metadata:
            self.subset = self._context.replies.subset(message.metadata)
        self._phase = _READING
        if ends or not modes.reads_body:
            self._ask()
        elif modes.is_buffered:
            self._owes_headers = False
            self.send(replies.CONTINUE_REQUEST)

    def _request_body(self, message: ProcessingRequest) -> None:
        if self._phase is _READING:
            self._take(*incoming.read_body(message))
        elif self._phase in _UNSENT or (self._modes.is_duplex and self._phase is not _OVER):
            self._violated("a piece of the body that nobody expects")
        elif not self._modes.is_duplex:
            self.send(replies.CONTINUE_REQUEST_BODY)

    def _request_trailers(self, _: ProcessingRequest) -> None:
        if self._phase is _READING:
            self._has_trailers = True
            self._ask()
        elif self._phase in _UNSENT:
            self._violated("trailers that nobody expects")
        elif not self._modes.is_duplex:
            self.send(replies.CONTINUE_REQUEST_TRAILERS)

    def _take(self, data: bytes, ends: bool) -> None:
        room, size = self._context.room, len(data)
        self._request_bytes += size
        if self._request_bytes > room.body_bytes:
            self._turn_down(413, f"the body has more than {room.body_bytes} bytes")
            return
        if not room.take(size):
            self._turn_down(503, "too many bodies are kept already; try again later")
            return
        self._room_bytes += size
        self._chunks += 1
        if data:
            self._pieces.append(data)
        if ends or self._modes.is_buffered:
            self._ask()

    def _ask(self) -> None:
        """Ask the router; a request that it holds keeps its gateway waiting."""
        self._phase = _WAITING
        self._arrived_s = monotonic()
        self.id = str(next(self._context.ids))
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        self._context.desk.ask(self)
        if self._phase is _WAITING and not self._modes.is_duplex:
            self.send(self._context.replies.patience)

    # the desk asks and tells

    @property
    def path(self) -> str:
        return self.texts.get(":path", "").partition("?")[0]

    @property
    def body(self) -> bytes:
        return self._pieces[0] if self._pieces else b""

    @property
    def request_id(self) -> str:
        return self.texts.get(REQUEST_ID_HEADER) or self.id

    def answered(self, answer: Answer) -> None:
        """The router's word; a second one takes the request's place away."""
        if self._phase is _WAITING and answer.ok:
            self._send_on(answer)
        elif self._phase in _ASKED and not answer.ok:
            self.status = answer.status
            ending = Ending.REFUSED if self._phase is _WAITING else Ending.EVICTED
            self._turn_down(answer.status, answer.message, answer.reason, ending)

    def facts(self, ending: Ending) -> EndedRequest:
        """What is known of it at its end."""
        passing, arrived_s, first_s = self._passing, self._arrived_s, self._first_s
        return EndedRequest(
            ending, self.status, monotonic() - arrived_s, None if first_s is None else first_s - arrived_s,
            self._request_bytes, 0 if passing is None else passing.seen_bytes,
            self._answer is not None and self._answer.request.stream, *(passing.usage() if passing is not None else ()),
        )  # fmt: skip

    def _send_on(self, answer: Answer) -> None:
        self._phase = _SENT
        self._answer = answer
        self.endpoint = answer.picked[0]
        make, modes = self._context.replies, self._modes
        if answer.request.stream and modes.hides_answers and self._context.asks_notes:
            self._is_noted = True
            self._context.noted[self.id] = self._first_token
        changes = make.changes(answer, self.texts, is_noted=self._is_noted)
        if modes.is_duplex:
            body = self.body if answer.body is None else answer.body
            self.send(make.duplex(changes, body, has_body=self._chunks > 0, has_trailers=self._has_trailers))
        elif self._owes_headers:
            self.send(make.streamed(changes, answer.body, self._chunks, has_trailers=self._has_trailers))
        else:
            self.send(make.buffered(changes, answer.body))
        self._let_go()

    # the answer

    def _response_headers(self, message: ProcessingRequest) -> None:
        if self._phase is _ANSWERED:
            self._violated("response headers for the second time")
            return
        answer = self._begin_answer(message)
        if answer is None:
            self.send(replies.CONTINUE_RESPONSE)
            return
        ends = incoming.ends_stream(message)
        if ends or (self._modes.hides_answers and not self._is_noted):
            self._first_token()
        self.send(self._context.replies.response_headers(answer, is_duplex=self._modes.answers_in_duplex))
        if ends:
            self._end(Ending.COMPLETED)

    def _begin_answer(self, message: ProcessingRequest) -> Answer | None:
        """The answer of an endpoint begins; None: it is one of the gateway itself, and nothing of ours any more."""
        answer, endpoint = self._answer, self.endpoint
        if self._phase is not _SENT or answer is None or endpoint is None:
            self._end(Ending.CANCELLED)
            return None
        self._phase = _ANSWERED
        self.status = incoming.status_of(message)
        if not self._modes.hides_answers:
            self._passing = PassingBody(answer, self._modes.response)
        served = self._context.replies.served(message.metadata) if message.metadata else None
        if served and served != endpoint.address:
            self.endpoint = self._context.desk.served_by(self, served) or endpoint
        return answer

    def _first_token(self) -> None:
        if self._first_s is None:
            self._first_s = monotonic()
            self._context.desk.first_token(self)

    def _response_body(self, message: ProcessingRequest) -> None:
        if self._phase is not _ANSWERED:
            self._begin_answer(message)  # a gateway may keep the headers to itself
        came, ends = incoming.read_body(message)
        data, passing = came, self._passing
        if passing is not None:
            if came and self._phase is _ANSWERED:
                self._first_token()
            data = passing.piece(came, ends=ends)
        if self._modes.answers_in_duplex:
            self.send(replies.streamed_body(RESPONSE, data, ends=ends))
        elif data is came:
            self.send(replies.CONTINUE_RESPONSE_BODY)
        else:
            self.send(replies.body_reply(RESPONSE, body=data))
        if ends:
            self._end(Ending.COMPLETED)

    def _response_trailers(self, _: ProcessingRequest) -> None:
        rest = b"" if self._passing is None else self._passing.end()
        if rest:
            self.send(replies.streamed_body(RESPONSE, rest, ends=False))
        self.send(replies.CONTINUE_RESPONSE_TRAILERS)
        self._end(Ending.COMPLETED if self._phase is _ANSWERED else Ending.CANCELLED)

    # ends

    def _turn_down(self, status: int, message: str, reason: str | None = None, ending: Ending = Ending.REFUSED) -> None:
        """The gateway answers instead of an endpoint, also where the request was evicted from one."""
        if self._phase not in _ASKED:
            self._context.metrics.refused(status)
        self._end(ending)
        self._phase = _REFUSED
        self.send(self._context.replies.refusal(status, message, reason))

    def _violated(self, problem: str) -> None:
        """The gateway did what no gateway does: the stream ends, and so the request goes on without us or fails."""
        self._refuse(Status.INVALID_ARGUMENT, problem)

    def _end(self, ending: Ending) -> None:
        """Give back what the router counts for this request, and the room of its body."""
        phase = self._phase
        if phase is not _REFUSED:
            self._phase = _OVER
        self._let_go()
        if self._is_noted:
            self._context.noted.pop(self.id, None)
        if phase in _ASKED:
            self._context.desk.ended(self, ending)

    def _let_go(self) -> None:
        if self._room_bytes:
            self._context.room.give_back(self._room_bytes)
            self._room_bytes = 0
        self._pieces = []

    _readers: ClassVar[dict[int, Callable[[ProcessingStream, ProcessingRequest], None]]] = {
        incoming.REQUEST_HEADERS: _request_headers,
        incoming.RESPONSE_HEADERS: _response_headers,
        incoming.REQUEST_BODY: _request_body,
        incoming.RESPONSE_BODY: _response_body,
        incoming.REQUEST_TRAILERS: _request_trailers,
        incoming.RESPONSE_TRAILERS: _response_trailers,
    }

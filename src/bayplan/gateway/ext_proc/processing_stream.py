"""One stream of a gateway: a request asks for its endpoint here, and its answer passes by."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from bayplan.gateway.ext_proc import processing_request as incoming, processing_response as replies
from bayplan.gateway.ext_proc.passing_body import PassingBody
from bayplan.gateway.ext_proc.processing_response import RESPONSE
from bayplan.gateway.grpc.call import Call
from bayplan.gateway.grpc.statuses import Status
from bayplan.gateway.protobuf.reader import WireError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.gateway.ext_proc.answer_replies import AnswerReplies
    from bayplan.gateway.ext_proc.body_mode import Modes
    from bayplan.gateway.ext_proc.processing_request import ProcessingRequest
    from bayplan.gateway.ext_proc.router_host import RouterHost
    from bayplan.gateway.http2.stream import Stream
    from bayplan.routing.answer import Answer


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


class ProcessingStream(Call):
    """A call of ExternalProcessor/Process, one for each HTTP request.

    Whatever comes in whatever order, what the router counts for this request is given back when the stream ends.
    """

    __slots__ = (
        "_answer",
        "_chunks",
        "_has_trailers",
        "_headers",
        "_host",
        "_modes",
        "_name",
        "_owes_headers",
        "_passing",
        "_phase",
        "_pieces",
        "_pieces_bytes",
        "_replies",
        "_subset",
    )

    def __init__(self, stream: Stream, host: RouterHost, replies_to_answers: AnswerReplies, modes: Modes) -> None:
        super().__init__(stream)
        self._host = host
        self._replies = replies_to_answers
        self._modes = modes  # until the gateway tells its own
        self._phase = _NEW
        self._name = ""
        self._headers: dict[str, str] = {}
        self._subset: tuple[str, ...] | None = None
        self._pieces: list[bytes] = []
        self._pieces_bytes = 0
        self._chunks = 0  # pieces of the body that wait for their replies
        self._owes_headers = True
        self._has_trailers = False
        self._answer: Answer | None = None
        self._passing: PassingBody | None = None

    # what the call hears

    def received(self, message: bytes) -> None:
        if self._phase is _REFUSED:
            return
        try:
            request = incoming.read_request(message)
            if request.is_observed:
                self.finish()  # nothing that we say would be heard
                self._give_up()
                return
            reader = self._readers.get(request.kind)
            if reader is None:
                self._violated("a message without a request or response")
            else:
                reader(self, request)
        except WireError as problem:
            self._violated(problem.message)

    def half_closed(self) -> None:
        self._give_up()
        self.finish()

    def abandoned(self) -> None:
        self._give_up()

    # the request

    def _request_headers(self, message: ProcessingRequest) -> None:
        if self._phase is not _NEW:
            self._violated("request headers for the second time")
            return
        modes = self._modes = message.modes or self._modes
        if not modes.is_known:
            self._refuse(Status.UNIMPLEMENTED, "body mode GRPC; use FULL_DUPLEX_STREAMED")
            return
        head = incoming.read_head(message)
        self._headers = head.headers
        self._subset = self._replies.subset(message.metadata) if message.metadata else None
        self._phase = _READING
        if head.ends or not modes.reads_body:
            self._decide()
        elif modes.is_buffered:
            self._owes_headers = False
            self.send(replies.CONTINUE_REQUEST)

    def _request_body(self, message: ProcessingRequest) -> None:
        if self._phase is _READING:
            self._take(incoming.read_body(message))
        elif self._phase in _UNSENT or self._modes.is_duplex:
            if self._phase is not _OVER:
                self._violated("a piece of the body that nobody expects")
        else:
            self.send(replies.CONTINUE_REQUEST_BODY)

    def _request_trailers(self, _: ProcessingRequest) -> None:
        if self._phase is _READING:
            self._has_trailers = True
            self._decide()
        elif self._phase in _UNSENT:
            self._violated("trailers that nobody expects")
        elif self._phase is not _OVER or not self._modes.is_duplex:
            self.send(replies.CONTINUE_REQUEST_TRAILERS)

    def _take(self, body: incoming.Body) -> None:
        size = len(body.data)
        if self._pieces_bytes + size > self._host.body_bytes:
            self._turn_down(413, f"the body has more than {self._host.body_bytes} bytes")
            return
        if not self._host.hold(size):
            self._turn_down(503, "too many bodies are held already; try again later")
            return
        self._pieces.append(body.data)
        self._pieces_bytes += size
        self._chunks += 1
        if body.ends or self._modes.is_buffered:
            self._decide()

    def _decide(self) -> None:
        """Ask the router; a request that it holds keeps its gateway waiting."""
        self._phase = _WAITING
        self._name = self._host.new_name()
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        path = self._headers.get(":path", "").partition("?")[0]
        self._host.ask(self, self._name, path, self._headers, self._pieces[0] if self._pieces else b"", self._subset)
        if self._phase is _WAITING and not self._modes.is_duplex:
            self.send(self._replies.patience)

    def answered(self, answer: Answer) -> None:
        """The router's word."""
        if self._phase is _WAITING and answer.ok:
            self._accept(answer)
        elif not answer.ok:
            self._turn_down(answer.status, answer.message, answer.reason)

    def _accept(self, answer: Answer) -> None:
        self._phase = _SENT
        self._answer = answer
        make = self._replies
        changes = make.changes(answer, self._headers)
        if self._modes.is_duplex:
            body = answer.body if answer.body is not None else b"".join(self._pieces)
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
        if ends or self._modes.hides_answers:
            self._host.first_token(self._name)
        self.send(self._replies.response_headers(answer, is_duplex=self._modes.answers_in_duplex))
        if ends:
            self._give_up()

    def _begin_answer(self, message: ProcessingRequest) -> Answer | None:
        """The answer of an endpoint begins; None: it is one of the gateway itself, and nothing of ours any more."""
        answer = self._answer
        if self._phase is not _SENT or answer is None:
            self._give_up()
            return None
        self._phase = _ANSWERED
        if not self._modes.hides_answers:
            self._passing = PassingBody(answer, self._modes.response)
        served = self._replies.served(message.metadata) if message.metadata else None
        self._host.begun(self._name, answer, incoming.status_of(message), served)
        return answer

    def _response_body(self, message: ProcessingRequest) -> None:
        body = incoming.read_body(message)
        if self._phase is not _ANSWERED:
            self._begin_answer(message)  # a gateway may keep the headers to itself
        data = self._pass(body)
        if self._modes.answers_in_duplex:
            self.send(replies.streamed_body(RESPONSE, data, ends=body.ends))
        elif data is not body.data:
            self.send(replies.body_reply(RESPONSE, body=data))
        else:
            self.send(replies.CONTINUE_RESPONSE_BODY)
        if body.ends:
            self._give_up()

    def _pass(self, body: incoming.Body) -> bytes:
        """What goes on in place of a piece of the answer."""
        passing = self._passing
        if passing is None:
            return body.data
        if body.data and not passing.has_begun and self._phase is _ANSWERED:
            self._host.first_token(self._name)
        return passing.piece(body.data, ends=body.ends)

    def _response_trailers(self, _: ProcessingRequest) -> None:
        rest = self._passing.rest() if self._passing is not None and self._phase is _ANSWERED else b""
        self._give_up()
        if rest:
            self.send(replies.streamed_body(RESPONSE, rest, ends=False))
        self.send(replies.CONTINUE_RESPONSE_TRAILERS)

    # ends

    def _turn_down(self, status: int, message: str, reason: str | None = None) -> None:
        """The gateway answers instead of an endpoint, also where the request was evicted from one."""
        self._give_up()
        self._phase = _REFUSED
        self.send(self._replies.refusal(status, message, reason))

    def _violated(self, problem: str) -> None:
        """The gateway did what no gateway does: the stream ends, and so the request goes on without us or fails."""
        self._refuse(Status.INVALID_ARGUMENT, problem)

    def _give_up(self) -> None:
        """Give back what the router counts for this request, and the memory of its body."""
        phase, self._phase = self._phase, _OVER
        if phase is _ANSWERED:
            usage = self._passing.usage() if self._passing is not None else (None, None)
            self._host.complete(self._name, *usage)
        elif phase in (_WAITING, _SENT):
            self._host.abort(self._name)
        elif phase is _REFUSED:
            self._phase = phase
        self._let_go()

    def _let_go(self) -> None:
        if self._pieces_bytes:
            self._host.release(self._pieces_bytes)
            self._pieces_bytes = 0
        self._pieces.clear()

    _readers: ClassVar[dict[int, Callable[[ProcessingStream, ProcessingRequest], None]]] = {
        incoming.REQUEST_HEADERS: _request_headers,
        incoming.RESPONSE_HEADERS: _response_headers,
        incoming.REQUEST_BODY: _request_body,
        incoming.RESPONSE_BODY: _response_body,
        incoming.REQUEST_TRAILERS: _request_trailers,
        incoming.RESPONSE_TRAILERS: _response_trailers,
    }

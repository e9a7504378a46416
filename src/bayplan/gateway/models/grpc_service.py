"""V2 over gRPC by the names of models: bytes in, bytes out, and only the name of the model is written anew."""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from bayplan.framework.errors import InputError
from bayplan.gateway.models import grpc_messages as messages
from bayplan.gateway.models.grpc_asking import GrpcAsking
from bayplan.gateway.models.model_flight import ROUTE_HEADER
from bayplan.gateway.models.own_answers import index
from bayplan.gateway.models.v2_question import (
    INTERNAL_HEADER,
    LOAD_REFUSAL,
    MODEL_HEADER,
    ModelQuestion,
    QuestionError,
    name_in,
    plain_name,
    version_number,
)
from bayplan.gateway.relay.desk import Ending

try:
    import grpc
    import grpc.aio
except ImportError as error:  # pragma: no cover (the extra is installed for tests)
    _message = "gRPC needs the package grpcio"
    raise InputError(_message, place="--grpc-port", next="install bayplan[grpc], or leave the flag out") from error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    UnaryAnswer = Callable[[bytes, Any], Awaitable[bytes]]

    from bayplan.gateway.models.directory import ModelDirectory
    from bayplan.gateway.models.model_desk import ModelDesk
    from bayplan.routing.answer import Answer

_TRIES: Final = 4
"""Places that are asked at most: one more than the retries of REST requests."""
_LONGEST_S: Final = 600.0
"""For a client that sets no deadline."""
_CODES: Final = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    404: grpc.StatusCode.NOT_FOUND,
    405: grpc.StatusCode.FAILED_PRECONDITION,
    503: grpc.StatusCode.UNAVAILABLE,
}
_FAULTS: Final = {grpc.StatusCode.UNAVAILABLE: "connect", grpc.StatusCode.NOT_FOUND: "status-404"}
"""What is tried elsewhere; the words are those of REST."""
_OWN_METADATA: Final = (MODEL_HEADER, INTERNAL_HEADER, "user-agent")
_PASSED_ON: Final = ("ModelInfer", "ModelMetadata")
_STREAM: Final = "ModelStreamInfer"


class GrpcService:
    """Answers calls at one port through a model desk."""

    def __init__(self, desk: ModelDesk, directory: ModelDirectory, *, message_bytes: int) -> None:
        self._desk = desk
        self._directory = directory
        self._options = [
            ("grpc.max_receive_message_length", message_bytes),
            ("grpc.max_send_message_length", message_bytes),
            ("grpc.so_reuseport", 0),
        ]
        self._server = grpc.aio.server(options=self._options)
        self._channels: dict[str, Any] = {}
        self._names = (f"{secrets.token_hex(6)}-g{number:x}" for number in count(1))
        unary: dict[str, UnaryAnswer] = {
            "ServerLive": self._yes, "ServerReady": self._yes, "ServerMetadata": self._metadata,
            "ModelReady": self._model_ready, "RepositoryIndex": self._index,
            "RepositoryModelLoad": self._load, "RepositoryModelUnload": self._load,
            **{name: partial(self._pass_on, f"/{messages.SERVICE}/{name}") for name in _PASSED_ON},
        }  # fmt: skip
        handlers = {name: grpc.unary_unary_rpc_method_handler(_guarded(each)) for name, each in unary.items()}
        handlers[_STREAM] = grpc.stream_stream_rpc_method_handler(self._stream)
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(messages.SERVICE, handlers),))

    async def start(self, host: str, port: int) -> int:
        """Listen; the port, which is a free one where 0 is asked for."""
        try:
            bound: int = self._server.add_insecure_port(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        except RuntimeError:
            following = "choose another one, or 0 for a free one"
            raise InputError(f"{host}:{port} is in use", place="--grpc-port", next=following) from None
        await self._server.start()
        return bound

    async def stop(self, longest_s: float) -> None:
        """Answer what was asked, for so long at most."""
        await self._server.stop(longest_s)
        await asyncio.gather(*(each.close() for each in self._channels.values()))

    # what the gateway answers itself

    async def _yes(self, _: bytes, __: Any) -> bytes:
        return messages.YES

    async def _metadata(self, _: bytes, __: Any) -> bytes:
        return messages.server_metadata()

    async def _index(self, _: bytes, __: Any) -> bytes:
        return messages.repository_index(index(self._directory))

    async def _load(self, _: bytes, __: Any) -> bytes:
        raise QuestionError(405, LOAD_REFUSAL)

    async def _model_ready(self, request: bytes, context: Any) -> bytes:
        question = _question(request, context)
        return messages.YES if self._desk.is_ready(question) else messages.NO

    # what replicas answer

    async def _pass_on(self, method: str, request: bytes, context: Any) -> bytes:
        asking = GrpcAsking(next(self._names), method, _texts(context), request)
        ending = Ending.CANCELLED
        try:
            answer = await asking.place(self._desk, _question(request, context))
            told: bytes = await self._tried(asking, answer, context)
            ending, asking.status = Ending.COMPLETED, 200
        except QuestionError as problem:
            ending, asking.status = Ending.REFUSED, problem.status
            raise
        except grpc.aio.AioRpcError as problem:
            ending, asking.status = Ending.BROKEN, 502
            await context.abort(problem.code(), problem.details())
        finally:
            self._desk.ended(asking, ending)
        return told

    async def _tried(self, asking: GrpcAsking, answer: Answer | None, context: Any) -> bytes:
        """Send a call to one place after the other; the last failure is the caller's."""
        problem: grpc.aio.AioRpcError | None = None
        for _ in range(_TRIES):
            if answer is None:
                break
            name = _taken(asking, answer)
            call = self._channel(answer).unary_unary(asking.path)
            try:
                told: bytes = await call(
                    messages.with_model(asking.body, name), metadata=_passed(context), timeout=_left_s(context)
                )
            except grpc.aio.AioRpcError as error:
                problem = error
                if error.code() not in _FAULTS:
                    raise
                answer = await asking.another_place(self._desk, _FAULTS[error.code()])
            else:
                await context.send_initial_metadata(((ROUTE_HEADER, f":{name}:"),))
                return told
        assert problem is not None  # noqa: S101 (there is always a first answer)
        raise problem

    async def _stream(self, requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        """Several requests and answers in one call, all by the replica that the first request goes to."""
        first = await anext(aiter(requests), None)
        if first is None:
            return
        asking = GrpcAsking(next(self._names), f"/{messages.SERVICE}/{_STREAM}", _texts(context), first)
        ending = Ending.CANCELLED
        try:
            answer = await asking.place(self._desk, _question(first, context))
            assert answer is not None  # noqa: S101 (a first answer)
            name = _taken(asking, answer)
            call = self._channel(answer).stream_stream(asking.path)
            sent = _renamed(first, requests, name)
            async for told in call(sent, metadata=_passed(context), timeout=_left_s(context)):
                yield told
            ending, asking.status = Ending.COMPLETED, 200
        except QuestionError as problem:
            ending, asking.status = Ending.REFUSED, problem.status
            await context.abort(_CODES[problem.status], problem.message)
        except grpc.aio.AioRpcError as problem:
            ending, asking.status = Ending.BROKEN, 502
            await context.abort(problem.code(), problem.details())
        finally:
            self._desk.ended(asking, ending)

    def _channel(self, answer: Answer) -> Any:
        address = answer.picked[0].address
        channel = self._channels.get(address)
        if channel is None:
            channel = self._channels[address] = grpc.aio.insecure_channel(address, options=self._options)
        return channel


def _guarded(answer: UnaryAnswer) -> UnaryAnswer:
    """Refusals become statuses."""

    async def guarded(request: bytes, context: Any) -> bytes:
        try:
            return await answer(request, context)
        except QuestionError as problem:
            await context.abort(_CODES[problem.status], problem.message)
            raise

    return guarded


async def _renamed(first: bytes, others: AsyncIterator[bytes], name: str) -> AsyncIterator[bytes]:
    yield messages.with_model(first, name)
    async for each in others:
        yield messages.with_model(each, name)


def _taken(asking: GrpcAsking, answer: Answer) -> str:
    """The name of the model where the call goes; an answer that sends it nowhere is a refusal."""
    if not answer.picked:
        raise QuestionError(answer.status, answer.message)
    asking.endpoint = answer.picked[0]
    return name_in(answer.path or "")


def _question(request: bytes, context: Any) -> ModelQuestion:
    """The model of a request; metadata that names one wins."""
    name, version = messages.read_model(request)
    texts = _texts(context)
    internal = texts.get(INTERNAL_HEADER)
    if internal:
        return ModelQuestion(name, internal=internal.strip())
    named = texts.get(MODEL_HEADER)
    model = plain_name(named) if named else name
    return ModelQuestion(model, version_number(version, model) if version else None)


def _texts(context: Any) -> Mapping[str, str]:
    return {name: value for name, value in context.invocation_metadata() or () if isinstance(value, str)}


def _passed(context: Any) -> tuple[tuple[str, str | bytes], ...]:
    """The metadata that a server gets to see."""
    return tuple((name, value) for name, value in context.invocation_metadata() or () if name not in _OWN_METADATA)


def _left_s(context: Any) -> float:
    left_s: float | None = context.time_remaining()
    return _LONGEST_S if left_s is None else left_s

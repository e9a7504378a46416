"""V2 over gRPC: grpcio's own client and server around a gateway of ours."""

import asyncio
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bayplan.gateway.protobuf.writer import text
from unit.gateway.models.model_scene import ModelScene, model_scene
from unit.gateway.relay.scene import run

try:
    import grpc
    import grpc.aio

    from bayplan.gateway.models.grpc_service import GrpcService
except ImportError as error:  # an environment from before the package was needed
    if os.environ.get("CI"):
        raise
    pytest.skip(str(error), allow_module_level=True)

SERVICE = "inference.GRPCInferenceService"
INFER = text(1, "iris") + text(3, "request 1")


@dataclass
class GrpcServer:
    """A model server: answers with the request that it got, unless `code` says what is wrong."""

    code: Any = None
    asked: list[bytes] = field(default_factory=list)
    metadata: list[dict[str, str]] = field(default_factory=list)

    async def start(self) -> None:
        self._server = grpc.aio.server()
        handlers = {
            **{name: grpc.unary_unary_rpc_method_handler(self._answer) for name in ("ModelInfer", "ModelMetadata")},
            "ModelStreamInfer": grpc.stream_stream_rpc_method_handler(self._stream),
        }
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        await self._server.start()

    async def stop(self) -> None:
        await self._server.stop(None)

    async def _answer(self, request: bytes, context: Any) -> bytes:
        self.asked.append(request)
        self.metadata.append(dict(context.invocation_metadata()))
        if self.code is not None:
            await context.abort(self.code, "trouble")
        return request

    async def _stream(self, requests: Any, context: Any) -> Any:
        async for each in requests:
            yield each


@dataclass
class GrpcScene:
    """Everything of one test."""

    models: ModelScene
    servers: list[GrpcServer]
    channel: Any

    def serve(self, *servers: GrpcServer, **more: Any) -> None:
        """The first server holds version 1, the second one version 2, and so on."""
        for index, each in enumerate(servers):
            place = self.models.servers[index].place(version=index + 1, agent=None)
            place = replace(place, grpc=each.address, **more)
            self.models.directory.put_replica(place.replica, [place])

    async def ask(self, method: str = "ModelInfer", request: bytes = INFER, **metadata: str) -> bytes:
        told = tuple((name.replace("_", "-"), value) for name, value in metadata.items())
        call = self.channel.unary_unary(f"/{SERVICE}/{method}")
        return await call(request, metadata=told, timeout=15)

    async def refusal(self, *words: Any, **metadata: str) -> tuple[Any, str]:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await self.ask(*words, **metadata)
        return raised.value.code(), raised.value.details()


@asynccontextmanager
async def grpc_scene(servers: int = 1, **more: Any) -> Any:
    started = [GrpcServer() for _ in range(servers)]
    async with model_scene(servers, **more) as models:
        service = GrpcService(models.desk, models.directory, message_bytes=4 * 1024 * 1024)
        port = await service.start("127.0.0.1", 0)
        for each in started:
            await each.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield GrpcScene(models, started, channel)
        await service.stop(1.0)
        for each in started:
            await each.stop()


def test_the_model_is_renamed_and_the_rest_stays():
    async def scenario():
        async with grpc_scene() as found:
            found.serve(*found.servers)

            assert await found.ask() == text(1, "iris_1") + text(3, "request 1")
            assert await found.ask("ModelMetadata", text(1, "iris") + text(2, "1")) == text(1, "iris_1")
            assert await found.ask(request=text(1, "rose"), seldon_model="iris", x_note="a") == text(1, "iris_1")
            assert await found.ask(request=b"", seldon_internal_model="iris_1") == text(1, "iris_1")
            assert found.servers[0].metadata[2]["x-note"] == "a"
            assert "seldon-model" not in found.servers[0].metadata[2]

    run(scenario())


REFUSALS = {
    "no such model": (text(1, "rose"), {}, "NOT_FOUND", "there is no model 'rose'; there are: iris"),
    "no such version": (text(1, "iris") + text(2, "9"), {}, "NOT_FOUND", "has no version 9"),
    "an experiment": (INFER, {"seldon_model": "iris.experiment"}, "INVALID_ARGUMENT", "experiments split traffic"),
    "no message": (b"\x0a\x09", {}, "INVALID_ARGUMENT", "no message of the V2 protocol"),
}  # fmt: skip


@pytest.mark.parametrize(("request_", "metadata", "code", "said"), REFUSALS.values(), ids=REFUSALS)
def test_refusals(request_, metadata, code, said):
    async def scenario():
        async with grpc_scene() as found:
            found.serve(*found.servers)
            status, details = await found.refusal("ModelInfer", request_, **metadata)

            assert status.name == code
            assert said in details

    run(scenario())


def test_what_the_gateway_answers_itself():
    async def scenario():
        async with grpc_scene() as found:
            found.models.declare("late", "ScheduleFailed", "replicas-short")
            found.serve(*found.servers)

            assert await found.ask("ServerLive", b"") == b"\x08\x01"
            assert await found.ask("ServerReady", b"") == b"\x08\x01"
            assert b"bayplan" in await found.ask("ServerMetadata", b"")
            assert await found.ask("ModelReady", text(1, "iris")) == b"\x08\x01"
            assert await found.ask("ModelReady", text(1, "late")) == b""
            assert b"replicas-short" in await found.ask("RepositoryIndex", b"")
            assert (await found.refusal("RepositoryModelLoad", b""))[0].name == "FAILED_PRECONDITION"

    run(scenario())


@pytest.mark.parametrize("code", ["UNAVAILABLE", "NOT_FOUND"])
def test_a_failure_is_tried_elsewhere(code):
    async def scenario():
        async with grpc_scene(servers=2) as found:
            bad, good = found.servers
            bad.code = grpc.StatusCode[code]
            found.serve(bad, good)

            for _ in range(3):
                assert await found.ask() == text(1, "iris_2") + text(3, "request 1")
            assert bad.asked

    run(scenario())


def test_a_server_that_is_gone_is_tried_elsewhere():
    async def scenario():
        async with grpc_scene(servers=2) as found:
            gone, good = found.servers
            found.serve(gone, good)
            await gone.stop()

            for _ in range(3):
                assert await found.ask() == text(1, "iris_2") + text(3, "request 1")

    run(scenario())


def test_what_is_wrong_with_the_request_is_passed_on():
    async def scenario():
        async with grpc_scene(servers=2) as found:
            for each in found.servers:
                each.code = grpc.StatusCode.INVALID_ARGUMENT
            found.serve(*found.servers)
            status, details = await found.refusal()

            assert (status.name, details) == ("INVALID_ARGUMENT", "trouble")
            assert sum(len(each.asked) for each in found.servers) == 1

    run(scenario())


def test_a_server_without_grpc():
    async def scenario():
        async with grpc_scene() as found:
            found.models.serve(found.models.servers[0].place())
            status, details = await found.refusal()

            assert status.name == "UNAVAILABLE"
            assert details == "no server that holds model 'iris' speaks gRPC; use REST"

    run(scenario())


def test_a_call_waits_for_a_load():
    async def scenario():
        async with grpc_scene() as found:
            found.serve(*found.servers, is_loaded=False, state="loading")
            waiting = asyncio.ensure_future(found.ask())
            await found.models.relay.until(lambda: found.models.desk.waiting() == {"iris": 1})
            found.serve(*found.servers)

            assert await waiting == text(1, "iris_1") + text(3, "request 1")

    run(scenario())


def test_a_client_that_leaves_waits_no_more():
    async def scenario():
        async with grpc_scene() as found:
            found.models.declare("iris")
            waiting = asyncio.ensure_future(found.ask())
            await found.models.relay.until(lambda: found.models.desk.waiting() == {"iris": 1})
            waiting.cancel()
            await found.models.relay.until(lambda: not found.models.desk.live())

    run(scenario())


def test_a_stream_stays_with_one_replica():
    async def scenario():
        async with grpc_scene() as found:
            found.serve(*found.servers)
            call = found.channel.stream_stream(f"/{SERVICE}/ModelStreamInfer")
            told = [each async for each in call(iter([INFER, text(1, "iris")]), timeout=15)]

            assert told == [text(1, "iris_1") + text(3, "request 1"), text(1, "iris_1")]

    run(scenario())


def test_calls_are_counted():
    async def scenario():
        async with grpc_scene() as found:
            found.serve(*found.servers)
            await found.ask()
            shown = (await found.models.relay.admin("/metrics"))[2].decode()

            labels = 'model="iris",model_internal="iris_1",server="mlserver",server_replica="0",method_type="grpc"'
            assert f'seldon_model_infer_total{{{labels},code="200"}} 1' in shown

    run(scenario())

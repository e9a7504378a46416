"""Connections to engines are kept for a while, and not longer."""

import asyncio

import pytest

from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from unit.gateway.relay.scene import OK, POST, always_ok, run, scene, settings


def test_unused_connections_are_closed_after_a_while():
    async def scenario():
        async with scene(told=settings(patience={"pool_s": 0.5})) as found:
            await found.ask()
            assert len(found.relay.service.pool.connections) == 1
            await found.until(lambda: not found.relay.service.pool.connections)

    run(scenario())


def test_each_request_that_runs_has_a_connection_of_its_own():
    go = asyncio.Event()

    async def script(line, request):
        await go.wait()
        await line.send(OK)

    async def scenario():
        async with scene(script) as found:
            lines = [await found.connect() for _ in range(5)]
            for line in lines:
                await line.send(POST)
            await found.until(lambda: len(found.engines[0].requests) == 5)
            go.set()
            for line in lines:
                assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            assert found.engines[0].connections == 5
            for line in lines:
                await line.send(POST)
                await line.message()
            assert found.engines[0].connections == 5

    run(scenario())


def test_bytes_that_nobody_asked_for_end_the_connection():
    async def script(line, request):
        await line.send(OK)
        await asyncio.sleep(0.02)
        await line.send(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison")

    async def scenario():
        async with scene(script) as found:
            line = await found.connect()
            await line.send(POST)
            assert (await line.message())[2] == b"{}"
            await found.until(lambda: not found.relay.service.pool.connections)
            await line.send(POST)
            assert (await line.message())[2] == b"{}"

    run(scenario())


async def silent(line, request):
    await line.reader.read()


def test_requests_at_an_engine_that_is_not_heard_of_are_tried_elsewhere():
    async def scenario():
        async with scene(always_ok, silent, told=settings(patience={"stuck_s": 0.5})) as found:
            found.relay.desk.report("e1", EngineMetrics(), 0.0)
            line = await found.connect()
            await line.send(POST)

            assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            assert len(found.engines[1].requests) == 1

    run(scenario())


def streaming_or_waiting(go):
    """Streams for as long as it may; other requests get nothing meanwhile."""

    async def script(line, request):
        if b"stream" in request[2]:
            await line.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
            while not go.is_set():
                await line.send(b"1\r\nx\r\n")
                await asyncio.sleep(0.05)
            await line.send(b"0\r\n\r\n")
        else:
            await go.wait()
            await line.send(OK)

    return script


ALIVE = {"it streams": (True, False), "it tells metrics": (False, True), "it never told metrics": (False, False)}


@pytest.mark.parametrize(("streams", "tells"), ALIVE.values(), ids=ALIVE)
def test_an_engine_that_is_slow_is_waited_for(streams, tells):
    go = asyncio.Event()

    async def scenario():
        told = settings(patience={"stuck_s": 1.5})
        async with scene(streaming_or_waiting(go), told=told) as found:
            desk = found.relay.desk
            if streams:
                desk.report("e0", EngineMetrics(), 0.0)
                stream = await found.connect()
                await stream.send(POST.replace(b'"model":"m"', b'"model":"stream"').replace(b": 13", b": 18"))
                await stream.head()
            waiting = await found.connect()
            await waiting.send(POST)
            for _ in range(18):
                if tells:
                    desk.report("e0", EngineMetrics(), 0.0)
                await asyncio.sleep(0.2)
            go.set()

            assert (await waiting.message())[0] == b"HTTP/1.1 200 OK"
            assert "failed" not in [each[0] for each in found.router.events]

    run(scenario())

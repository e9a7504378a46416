"""Connections to engines are kept for a while, and not longer."""

import asyncio

from unit.gateway.relay.scene import OK, POST, run, scene, settings


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

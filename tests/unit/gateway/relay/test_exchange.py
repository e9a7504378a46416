"""Engines that fail: another one is tried, or the client learns that its answer is not whole."""

import asyncio
import json

import pytest

from bayplan.routing.answer import Answer
from unit.gateway.relay.scene import OK, POST, always_ok, run, scene, settings
from unit.gateway.relay.small_router import SmallRouter

CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


async def dead(line, request):
    """Read the request and reset the connection."""
    line.reset()
    raise ConnectionResetError


async def silent(line, request):
    await line.reader.read()


def answering(data):
    async def script(line, request):
        await line.send(data)

    return script


def cut_after(data):
    async def script(line, request):
        for part in data.split(b"|"):
            await line.send(part)
            await asyncio.sleep(0.01)
        line.close()
        raise ConnectionResetError

    return script


def kinds(router):
    return [each[0] for each in router.events]


FIRST_FAILS = {
    "it resets the connection": dead,
    "it closes without a word": cut_after(b""),
    "it closes inside the head": cut_after(b"HTTP/1.1 200 OK\r\ncontent-le"),
    "its head cannot be read": answering(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx"),
    "its head has no end": answering(b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000),
    "its first chunk is none": answering(CHUNKED + b"zz\r\n"),
    "it changes the protocol": answering(b"HTTP/1.1 101 Switching Protocols\r\n\r\n"),
    "it is not ready": answering(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"),
    "it is broken": answering(b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 3\r\n\r\nbad"),
}


@pytest.mark.parametrize("script", FIRST_FAILS.values(), ids=FIRST_FAILS)
def test_another_engine_is_tried_before_the_first_byte(script):
    async def scenario():
        async with scene(always_ok, script) as found:
            first, _, body = await found.ask()

            assert (first, body) == (b"HTTP/1.1 200 OK", b"{}")
            assert kinds(found.router) == ["arrive", "failed", "first_token", "complete"]

    run(scenario())


def test_an_engine_that_refuses_connections():
    async def scenario():
        async with scene(always_ok, always_ok) as found:
            found.engines[1].stop()
            first, _, _ = await found.ask()

            assert first == b"HTTP/1.1 200 OK"
            assert "failed" in kinds(found.router)

    run(scenario())


def test_an_engine_that_never_answers():
    async def scenario():
        async with scene(always_ok, silent, told=settings(patience={"first_byte_s": 0.5})) as found:
            first, _, _ = await found.ask()

            assert first == b"HTTP/1.1 200 OK"
            assert kinds(found.router) == ["arrive", "failed", "first_token", "complete"]

    run(scenario())


def test_no_engine_answers():
    async def scenario():
        async with scene(dead, dead) as found:
            first, _, body = await found.ask()

            assert first == b"HTTP/1.1 502 Bad Gateway"
            assert json.loads(body)["error"]["type"] == "bad-gateway"
            assert kinds(found.router) == ["arrive", "failed", "failed", "abort"]

    run(scenario())


def test_no_engine_answers_in_time():
    async def scenario():
        async with scene(silent, told=settings(patience={"first_byte_s": 0.5})) as found:
            assert (await found.ask())[0] == b"HTTP/1.1 504 Gateway Timeout"

    run(scenario())


def test_tries_have_an_end():
    async def scenario():
        async with scene(dead, dead, dead, dead, told=settings(retries={"most": 1})) as found:
            assert (await found.ask())[0] == b"HTTP/1.1 502 Bad Gateway"
            assert kinds(found.router).count("failed") == 1

    run(scenario())


def test_a_status_of_the_last_engine_is_passed_on():
    unwell = answering(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy")

    async def scenario():
        async with scene(unwell) as found:
            first, _, body = await found.ask()

            assert (first, body) == (b"HTTP/1.1 503 Service Unavailable", b"busy")
        async with scene(unwell, unwell, unwell) as found:
            assert (await found.ask())[2] == b"busy"
            assert kinds(found.router).count("failed") == 1

    run(scenario())


def test_an_unused_connection_that_the_engine_closed_is_no_failure():
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            for _ in range(3):
                await line.send(POST)
                assert (await line.message())[0] == b"HTTP/1.1 200 OK"
                for each in found.relay.service.pool.connections:
                    each._transport.abort()  # as if its end was still on its way
            assert "failed" not in kinds(found.router)

    run(scenario())


def test_a_reused_connection_that_breaks_is_tried_afresh():
    answers = iter((OK, None, OK))

    async def script(line, request):
        answer = next(answers)
        if answer is None:
            line.reset()
            raise ConnectionResetError
        await line.send(answer)

    async def scenario():
        async with scene(script) as found:
            line = await found.connect()
            for _ in range(2):
                await line.send(POST)
                assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            assert "failed" not in kinds(found.router)
            assert len(found.engines[0].requests) == 3

    run(scenario())


PARTS = {
    "a length": b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello",
    "chunks": CHUNKED + b"5\r\nhello\r\n",
    "chunks and then none": CHUNKED + b"5\r\nhello\r\n|zz\r\n",
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_an_engine_that_dies_after_the_first_byte(part):
    async def scenario():
        async with scene(cut_after(part), cut_after(part)) as found:
            line = await found.connect()
            await line.send(POST)
            received = await line.rest()

            assert b"hello" in received
            assert not received.endswith(b"0\r\n\r\n")
            assert kinds(found.router) == ["arrive", "first_token", "abort"]

    run(scenario())


def test_a_body_without_a_length_that_breaks_off_is_a_reset():
    async def script(line, request):
        await line.send(b"HTTP/1.1 200 OK\r\n\r\nhello")
        await asyncio.sleep(0.05)
        line.reset()
        raise ConnectionResetError

    async def scenario():
        async with scene(script) as found:
            line = await found.connect()
            await line.send(POST)
            await line.head()
            with pytest.raises(ConnectionResetError):
                await line.reader.read()
            await found.settled()
            assert kinds(found.router)[-1] == "abort"

    run(scenario())


def test_an_engine_that_stops_in_the_middle_is_given_up():
    async def script(line, request):
        await line.send(CHUNKED + b"5\r\nhello\r\n")
        await asyncio.sleep(3600)

    async def scenario():
        async with scene(script, told=settings(patience={"idle_s": 0.5})) as found:
            line = await found.connect()
            await line.send(POST)

            assert (await line.rest()).endswith(b"hello\r\n")

    run(scenario())


def test_a_request_that_is_evicted_before_its_answer():
    async def scenario():
        async with scene(silent) as found:
            line = await found.connect()
            await line.send(POST)
            await found.until(lambda: bool(found.engines[0].requests))
            (place,) = found.relay.desk._live.values()
            found.relay.desk._settle([Answer(place.request, 429, "evicted-priority", "another one needs its place")])
            first, headers, _ = await line.message()

            assert first == b"HTTP/1.1 429 Too Many Requests"
            assert headers[b"x-llm-d-request-dropped-reason"] == b"evicted-priority"
            await found.engines[0].gone.wait()

    run(scenario())


def test_a_request_that_is_evicted_inside_its_answer():
    async def script(line, request):
        await line.send(CHUNKED + b"5\r\nhello\r\n")
        await asyncio.sleep(3600)

    async def scenario():
        async with scene(script) as found:
            line = await found.connect()
            await line.send(POST)
            await line.head()
            (place,) = found.relay.desk._live.values()
            found.relay.desk._settle([Answer(place.request, 429, "evicted-priority", "another one needs its place")])

            assert await line.rest() == b"5\r\nhello\r\n"

    run(scenario())


def test_a_client_that_leaves_while_the_engine_is_connected_to():
    async def scenario():
        async with scene(router=SmallRouter(is_holding=True)) as found:
            line = await found.connect()
            await line.send(POST)
            await found.until(lambda: found.relay.desk.waiting() == 1)
            (place,) = found.relay.desk._live.values()
            found.relay.desk._settle(found.router.release())
            place.asking.cancel()  # before the connection is there
            await found.until(lambda: len(found.relay.service.pool.connections) == 1)
            await asyncio.sleep(0.02)

            assert found.engines[0].requests == []
            assert [each.is_idle for each in found.relay.service.pool.connections] == [True]

    run(scenario())


def test_a_slow_client_makes_its_engine_wait():
    sent = 0

    async def script(line, request):
        nonlocal sent
        await line.send(b"HTTP/1.1 200 OK\r\ncontent-length: 50000000\r\n\r\n")
        for _ in range(500):
            await line.send(b"x" * 100_000)
            sent += 100_000

    async def scenario():
        async with scene(script) as found:
            line = await found.connect(limit=1024)
            await line.send(POST)
            await line.head()
            before = -1
            while sent != before:
                before = sent
                await asyncio.sleep(0.1)
            assert sent < 20_000_000
            assert await line.reader.readexactly(50_000_000) == b"x" * 50_000_000

    run(scenario())


def test_a_client_that_does_not_read_is_cut_off():
    async def script(line, request):
        await line.send(b"HTTP/1.1 200 OK\r\ncontent-length: 500000000\r\n\r\n")
        while True:
            await line.send(b"x" * 100_000)

    async def scenario():
        async with scene(script, told=settings(patience={"stall_s": 0.5})) as found:
            line = await found.connect(limit=1024)
            await line.send(POST)
            await found.engines[0].gone.wait()
            await found.settled()

            assert kinds(found.router)[-1] == "abort"
            assert b"bayplan_relay_slow_clients_total 1" in (await found.admin("/metrics"))[2]

    run(scenario())


def test_a_large_body_reaches_an_engine_that_reads_slowly():
    body = b'{"model":"%b"}' % (b"m" * 8_000_000)

    async def scenario():
        async with scene() as found:
            first, _, _ = await found.ask(
                b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
            )

            assert first == b"HTTP/1.1 200 OK"
            assert found.engines[0].requests[0][2] == body

    run(scenario())

"""Connections with little patience, over real sockets in one loop."""

import asyncio
import json

import pytest

from bayplan.sim.engine.http.connection import Connection, Patience
from bayplan.sim.engine.http.routes import Routes
from unit.sim.engine.scene import PROFILE, host

LONGEST_S = 20
PATIENT = Patience()


def served(story, patience=PATIENT, **changes):
    """Run a coroutine function with a host and its port."""

    async def main():
        loop = asyncio.get_running_loop()
        engine = host(loop, **changes)
        routes = Routes(engine)
        server = await loop.create_server(lambda: Connection(engine, routes, loop, patience), "127.0.0.1", 0)
        async with asyncio.timeout(LONGEST_S):
            result = await story(engine, server.sockets[0].getsockname()[1])
        server.close()
        engine.cut()
        await asyncio.sleep(0)
        return result

    return asyncio.run(main())


async def until_closed(port, data):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    received = await reader.read()
    writer.close()
    return received


def post(document, **headers):
    body = json.dumps(document).encode()
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /v1/completions HTTP/1.1\r\nhost: x\r\n{lines}content-length: {len(body)}\r\n\r\n".encode() + body


class TestPatience:
    @pytest.mark.parametrize("sent", [b"G", b"GET /health HTTP/1.1\r\nho", post({"prompt": "x"})[:-3]])
    def test_half_a_request_is_refused(self, sent):
        received = served(lambda _, port: until_closed(port, sent), Patience(read_s=0.05, linger_s=0.05))

        assert received.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert b"the request was not complete after 0.05 s" in received

    @pytest.mark.parametrize(
        ("sent", "answers"), [(b"", 0), (b"\r\n", 0), (b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n", 1)]
    )
    def test_a_connection_without_requests_is_closed(self, sent, answers):
        received = served(lambda _, port: until_closed(port, sent), Patience(idle_s=0.05))

        assert received.count(b"HTTP/1.1 ") == received.count(b"200 OK") == answers

    def test_a_client_that_reads_nothing_is_cut_off(self):
        fast = PROFILE.with_timing(base_s=1e-6, context_s=0.0)

        async def story(engine, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            writer.write(post({"prompt": "x", "max_tokens": 9_000, "stream": True}) * 4)
            while engine._connections or not reader._buffer:
                await asyncio.sleep(0.01)
            writer.close()
            return engine.live.active

        assert served(story, Patience(stall_s=0.05), profile=fast) == 0


def test_too_many_connections_are_refused():
    async def story(engine, port):
        kept = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        for _, writer in kept:
            writer.write(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
        await asyncio.gather(*(reader.readline() for reader, _ in kept))
        refused = await until_closed(port, b"")
        for _, writer in kept:
            writer.close()
        return refused

    received = served(story, Patience(linger_s=0.05), most_connections=2)
    assert received.startswith(b"HTTP/1.1 503 ")
    assert b"too many connections; close some" in received


def test_requests_read_ahead_are_bounded_and_all_answered():
    async def story(engine, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post({"prompt": "x", "max_tokens": 2}) * 40 + post({"prompt": "x"}, connection="close"))
        received = await reader.read()
        writer.close()
        return received

    fast = PROFILE.faster(1_000)
    assert served(story, profile=fast).count(b"HTTP/1.1 200 OK") == 41


def test_a_client_that_goes_ends_its_request():
    async def story(engine, port):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post({"prompt": "x" * 400, "max_tokens": 5_000}))
        while not engine.live.active:
            await asyncio.sleep(0.01)
        writer.close()
        while engine.live.active:
            await asyncio.sleep(0.01)
        return engine.live.engine.pool.in_use

    assert served(story) == 0


def test_a_mistake_of_ours_is_an_answer_too(capsys):
    async def story(engine, port):
        engine.exposition = lambda: 1 / 0
        return await until_closed(port, b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")

    assert served(story).startswith(b"HTTP/1.1 500 ")
    assert capsys.readouterr().err == "error: /metrics: unexpected ZeroDivisionError: division by zero\n"

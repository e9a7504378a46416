"""Connections on real sockets: output from outside of a read, peers that are silent or do not read."""

import asyncio
import socket

import pytest

from bayplan.gateway.http2.limits import Limits
from bayplan.gateway.http2.protocol import Http2Protocol, Patience
from unit.gateway.http2.wire import ACK, PREFACE, REQUEST, Recorder, block, raw, settings, size_update, split

GREETING = PREFACE + settings() + settings(flags=ACK)
FIRST = raw("HEADERS", size_update(0) + block(*REQUEST), 1, 0x4)


class Server:
    """A listener whose handlers write down what they hear."""

    def __init__(self, **patience):
        self.calls, self.connections, self.left = [], [], []
        self._patience = Patience(**patience)

    def _open(self, stream, head):
        self.calls.append(Recorder(stream, head))
        return self.calls[-1]

    def _connect(self):
        self.connections.append(Http2Protocol(self._open, Limits(), self._patience, self.left.append))
        return self.connections[-1]

    async def __aenter__(self):
        self._listener = await asyncio.get_running_loop().create_server(self._connect, "127.0.0.1", 0)
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._listener.close()
        for each in self.connections:
            each.close()
        await asyncio.sleep(0)

    async def client(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(GREETING)
        return reader, writer


async def until(condition):
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen within 5 s")


async def kinds(reader, *wanted):
    """Read until frames of these kinds have come."""
    output = b""
    while True:
        found = [each.kind for each in split(output)] if _is_whole(output) else []
        if all(each in found for each in wanted):
            return split(output)
        piece = await asyncio.wait_for(reader.read(65_536), 5)
        assert piece, f"closed after {found}"
        output += piece


def _is_whole(output):
    while len(output) >= 9:
        size = 9 + int.from_bytes(output[:3], "big")
        if len(output) < size:
            return False
        output = output[size:]
    return not output


def run(scenario):
    asyncio.run(asyncio.wait_for(scenario, 20))


def test_what_is_sent_outside_of_a_read_arrives():
    async def scenario():
        async with Server() as server:
            reader, writer = await server.client()
            writer.write(FIRST)
            await until(lambda: server.calls)
            server.calls[0].answer(b"later")
            frames = await kinds(reader, "DATA")
            assert frames[-1].payload == b"later"
            writer.close()
            await until(lambda: server.left)

    run(scenario())


def test_a_peer_that_goes_away_loses_its_streams():
    async def scenario():
        async with Server() as server:
            _, writer = await server.client()
            writer.write(FIRST)
            await until(lambda: server.calls)
            writer.transport.abort()
            await until(lambda: server.left)
            assert server.calls[0].heard == ["lost"]

    run(scenario())


def test_a_peer_that_breaks_a_rule_is_told_and_disconnected():
    async def scenario():
        async with Server() as server:
            reader, writer = await server.client()
            writer.write(raw("PING", b"short"))
            assert "GOAWAY" in [each.kind for each in split(await reader.read())]
            writer.close()

    run(scenario())


def test_a_silent_peer_is_asked_and_then_given_up():
    async def scenario():
        async with Server(silence_s=0.1) as server:
            reader, writer = await server.client()
            writer.write(FIRST)
            await kinds(reader, "PING")
            await until(lambda: server.left)
            assert server.calls[0].heard == ["lost"]
            writer.close()

    run(scenario())


def test_a_silent_peer_that_answers_is_kept():
    async def scenario():
        async with Server(silence_s=0.05) as server:
            reader, writer = await server.client()
            for _ in range(4):
                ping = (await kinds(reader, "PING"))[-1]
                writer.write(raw("PING", ping.payload, flags=ACK))
            assert not server.left
            writer.close()

    run(scenario())


def test_a_peer_that_does_not_read_is_given_up():
    async def scenario():
        async with Server(stall_s=0.2, silence_s=0.2) as server:
            client = socket.create_connection(("127.0.0.1", server.port))
            client.setblocking(False)
            await asyncio.get_running_loop().sock_sendall(client, GREETING + settings((4, 2**31 - 1)) + FIRST)
            await asyncio.get_running_loop().sock_sendall(client, raw("WINDOW_UPDATE", b"\x7f\x00\x00\x00"))
            await until(lambda: server.calls)
            for _ in range(600):
                server.calls[0].answer(b"x" * 65_536)
            await until(lambda: server.left)
            client.close()

    run(scenario())


@pytest.mark.parametrize("has_call", [True, False])
def test_a_retired_connection_closes_when_its_calls_have_ended(has_call):
    async def scenario():
        async with Server() as server:
            reader, writer = await server.client()
            if has_call:
                writer.write(FIRST)
                await until(lambda: server.calls)
            await kinds(reader, "SETTINGS")
            server.connections[0].retire()
            ping = next(each for each in await kinds(reader, "PING") if each.kind == "PING")
            writer.write(raw("PING", ping.payload, flags=ACK))
            if has_call:
                await kinds(reader, "GOAWAY")
                server.calls[0].stream.end(block((":status", "200")))
            await until(lambda: server.left)
            writer.close()

    run(scenario())

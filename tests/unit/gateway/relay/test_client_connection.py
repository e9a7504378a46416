"""What clients send: hostile input is refused, and the rest is answered in order."""

import asyncio
import json

import pytest

from unit.gateway.relay.scene import BODY, OK, POST, run, scene, settings

START = b"POST /v1/completions HTTP/1.1\r\nhost: x\r\n"
CHUNKED = START + b"transfer-encoding: chunked\r\n\r\n"
MIB = 1024 * 1024

SMUGGLED = {
    "a length and chunks": START + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and a length": START + b"transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n",
    "two lengths": START + b"content-length: 2\r\ncontent-length: 2\r\n\r\n{}",
    "a list of lengths": START + b"content-length: 2, 2\r\n\r\n{}",
    "a signed length": START + b"content-length: +2\r\n\r\n{}",
    "a hexadecimal length": START + b"content-length: 0x2\r\n\r\n{}",
    "an endless length": START + b"content-length: 99999999999999999999999\r\n\r\n{}",
    "a negative length": START + b"content-length: -1\r\n\r\n{}",
    "a folded header": START + b"x: a\r\n b\r\ncontent-length: 2\r\n\r\n{}",
    "a folded coding": START + b"transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "lone line feeds": b"POST / HTTP/1.1\nhost: x\ncontent-length: 2\n\n{}",
    "one lone line feed": START + b"x: y\ncontent-length: 2\r\n\r\n{}",
    "a lone carriage return": START + b"x: y\rcontent-length: 2\r\n\r\n{}",
    "a zero byte": START + b"x: \x00\r\ncontent-length: 2\r\n\r\n{}",
    "a space before the colon": START + b"content-length : 2\r\n\r\n{}",
    "a space in a name": START + b"content length: 2\r\n\r\n{}",
    "two codings": START + b"transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "a tab before the coding": START + b"transfer-encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "a chunk of no number": CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n",
    "a negative chunk": CHUNKED + b"-2\r\n{}\r\n0\r\n\r\n",
    "a chunk with a prefix": CHUNKED + b"0x2\r\n{}\r\n0\r\n\r\n",
    "a chunk with a space": CHUNKED + b"2 \r\n{}\r\n0\r\n\r\n",
    "an endless chunk": CHUNKED + b"fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "a chunk that is too long": CHUNKED + b"2\r\n{}{\r\n0\r\n\r\n",
    "a line feed behind a size": CHUNKED + b"2\n{}\r\n0\r\n\r\n",
    "a line feed behind a chunk": CHUNKED + b"2\r\n{}\n0\r\n\r\n",
    "a length in trailers": CHUNKED + b"2\r\n{}\r\n0\r\ncontent-length: 5\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
    "a path with a space": b"GET /a b HTTP/1.1\r\nhost: x\r\n\r\n",
    "a fragment": b"GET /a#b HTTP/1.1\r\nhost: x\r\n\r\n",
    "a target that is no path": b"GET a HTTP/1.1\r\nhost: x\r\n\r\n",
    "credentials in the target": b"GET http://u:p@h/a HTTP/1.1\r\nhost: x\r\n\r\n",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 3,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "an unknown method": b"BREW / HTTP/1.1\r\nhost: x\r\n\r\n",
    "another version": b"GET / HTTP/3.7\r\nhost: x\r\n\r\n",
}


@pytest.mark.parametrize("data", SMUGGLED.values(), ids=SMUGGLED)
@pytest.mark.parametrize("size", [1, 100_000])
def test_what_could_be_read_in_two_ways_is_refused(data, size):
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            for begin in range(0, len(data), size):
                await line.send(data[begin : begin + size])
            first, _, body = await line.message()

            assert first == b"HTTP/1.1 400 Bad Request"
            assert json.loads(body)["error"]["code"] == 400
            assert found.engines[0].requests == []

    run(scenario())


REFUSED = {
    "almost chunked": (START + b"transfer-encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
    "identity": (START + b"transfer-encoding: identity\r\n\r\n{}", 501),
    "gzip and chunked": (START + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    "chunks in HTTP/1.0": (b"POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 501),
    "HTTP/0.9": (b"GET /\r\n\r\n", 505),
    "a WebSocket": (b"GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n", 501),
    "a tunnel": (b"CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n", 501),
    "TRACE": (b"TRACE / HTTP/1.1\r\nhost: x\r\n\r\n", 405),
    "another expectation": (START + b"expect: miracles\r\ncontent-length: 2\r\n\r\n", 417),
    "a long URL": (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n", 414),
    "many headers": (b"GET / HTTP/1.1\r\nhost: x\r\n" + b"x: y\r\n" * 200 + b"\r\n", 431),
    "long headers": (b"GET / HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 70_000 + b"\r\n\r\n", 431),
    "a header without an end": (b"GET / HTTP/1.1\r\nhost: x\r\nx: " + b"y" * MIB, 431),
    "trailers without an end": (CHUNKED + b"0\r\n" + b"x: yyyyyyyyyy\r\n" * 20_000, 431),
    "a large body, announced": (START + b"content-length: 4000000\r\n\r\n", 413),
    "a large body in chunks": (CHUNKED + (b"100000\r\n" + b"x" * MIB + b"\r\n") * 4, 413),
    "chunks of one byte": (CHUNKED + b"1\r\nx\r\n" * 10_000, 400),
    "chunks of one byte with extensions": (CHUNKED + (b"1;%b\r\nx\r\n" % (b"e" * 1400)) * 4_000, 413),
}


@pytest.mark.parametrize(("data", "status"), REFUSED.values(), ids=REFUSED)
def test_refused_with_its_own_status(data, status):
    async def scenario():
        async with scene(told=settings(limits={"body_bytes": 2 * MIB})) as found:
            line = await found.connect()
            sending = asyncio.ensure_future(line.send(data))
            first, _, body = await line.message()
            sending.cancel()

            assert first.startswith(b"HTTP/1.1 %d " % status)
            assert json.loads(body)["error"]["code"] == status
            assert found.engines[0].requests == []
            assert (await found.ask())[0] == b"HTTP/1.1 200 OK"

    run(scenario())


def test_a_body_in_many_pieces():
    text = b'{"model":"%b"}' % (b"m" * 999_988)
    pieces = b"".join(b"64\r\n%b\r\n" % text[begin : begin + 100] for begin in range(0, len(text), 100))

    async def scenario():
        async with scene() as found:
            assert (await found.ask(CHUNKED + pieces + b"0\r\n\r\n"))[0] == b"HTTP/1.1 200 OK"
            assert found.engines[0].requests[0][2] == text

    run(scenario())


ACCEPTED = {
    "chunks": CHUNKED + b"6\r\n" + BODY[:6] + b"\r\n7;x=y\r\n" + BODY[6:] + b"\r\n0\r\nx-t: 1\r\n\r\n",
    "line ends before it": b"\r\n\r\n" + POST,
    "an absolute target": POST.replace(b"POST /", b"POST http://there/"),
    "an offer of HTTP/2": POST.replace(b"host: x", b"host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c"),
    "chunks and an offer of HTTP/2": CHUNKED.replace(b"host: x", b"host: x\r\nConnection: Upgrade\r\nUpgrade: h2c")
    + b"d\r\n" + BODY + b"\r\n0\r\n\r\n",
    "spaces around values": POST.replace(b"content-length: 13", b"content-length:   13  "),
}  # fmt: skip


@pytest.mark.parametrize("data", ACCEPTED.values(), ids=ACCEPTED)
@pytest.mark.parametrize("size", [1, 100_000])
def test_unusual_but_clear(data, size):
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            for _ in range(2):
                for begin in range(0, len(data), size):
                    await line.send(data[begin : begin + size])
                assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            first, headers, body = found.engines[0].requests[0]
            assert (first, body) == (b"POST /v1/completions HTTP/1.1", BODY)
            assert headers[b"content-length"] == b"13"
            assert not {b"transfer-encoding", b"upgrade", b"connection"} & headers.keys()

    run(scenario())


def test_requests_that_come_together_are_answered_in_order():
    count = 0

    async def script(line, request):
        nonlocal count
        count += 1
        body = b"%d" % count
        await asyncio.sleep(0.01)
        await line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))

    async def scenario():
        async with scene(script) as found:
            line = await found.connect()
            await line.send(POST * 12)

            assert [(await line.message())[2] for _ in range(12)] == [b"%d" % each for each in range(1, 13)]
            assert found.engines[0].connections == 1

    run(scenario())


def test_requests_that_come_during_an_answer():
    go = asyncio.Event()

    async def script(line, request):
        await go.wait()
        await line.send(OK)

    async def scenario():
        async with scene(script, told=settings(limits={"ahead_bytes": 1000})) as found:
            line = await found.connect()
            await line.send(POST)
            await found.until(lambda: len(found.engines[0].requests) == 1)
            for _ in range(50):
                await line.send(POST)
            await asyncio.sleep(0.02)
            assert len(found.engines[0].requests) == 1
            go.set()
            for _ in range(51):
                assert (await line.message())[0] == b"HTTP/1.1 200 OK"

    run(scenario())


def test_a_broken_request_behind_a_good_one():
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            await line.send(POST + SMUGGLED["two lengths"])

            assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            assert (await line.message())[0] == b"HTTP/1.1 400 Bad Request"
            assert await line.rest() == b""

    run(scenario())


def test_the_last_request_of_a_connection():
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            await line.send(POST.replace(b"host: x", b"host: x\r\nconnection: close") + POST)
            _, headers, _ = await line.message()

            assert headers[b"connection"] == b"close"
            assert await line.rest() == b""
            assert len(found.engines[0].requests) == 1

    run(scenario())


def test_a_client_that_asks_whether_to_go_on():
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            await line.send(START + b"expect: 100-continue\r\ncontent-length: 13\r\n\r\n")
            assert (await line.head())[0] == b"HTTP/1.1 100 Continue"
            await line.send(BODY)
            assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            assert b"expect" not in found.engines[0].requests[0][1]

    run(scenario())


def test_a_client_that_asks_whether_to_go_on_behind_another_request():
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            await line.send(POST + START + b"expect: 100-continue\r\ncontent-length: 13\r\n\r\n")
            assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            assert (await line.head())[0] == b"HTTP/1.1 100 Continue"
            await line.send(BODY)
            assert (await line.message())[0] == b"HTTP/1.1 200 OK"

    run(scenario())


def test_a_large_body_is_refused_before_it_is_sent():
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            await line.send(START + b"expect: 100-continue\r\ncontent-length: 99999999\r\n\r\n")

            assert (await line.message())[0].startswith(b"HTTP/1.1 413 ")

    run(scenario())


SLOW = {
    "half a head": (b"POST / HTTP/1.1\r\nhost: x\r\n", {"head_s": 0.5}),
    "half a body": (START + b"content-length: 50\r\n\r\n{", {"body_s": 0.5}),
}


@pytest.mark.parametrize(("data", "patience"), SLOW.values(), ids=SLOW)
def test_a_client_that_does_not_finish_its_request(data, patience):
    async def scenario():
        async with scene(told=settings(patience=patience)) as found:
            line = await found.connect()
            await line.send(data)

            assert (await line.message())[0] == b"HTTP/1.1 408 Request Timeout"
            assert await line.rest() == b""

    run(scenario())


def test_an_unused_connection_is_closed():
    async def scenario():
        async with scene(told=settings(patience={"keep_alive_s": 0.5})) as found:
            line = await found.connect()
            await line.send(POST)
            await line.message()

            assert await line.rest() == b""
            assert not found.relay.service.connections

    run(scenario())


def test_a_refused_client_that_goes_on_sending_is_cut_off():
    async def scenario():
        async with scene(told=settings(patience={"linger_s": 0.5})) as found:
            line = await found.connect()
            await line.send(START + b"content-length: 99999999\r\n\r\n")
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                await go_on(line)

    async def go_on(line):
        while True:
            await line.send(b"x" * 10_000)
            await asyncio.sleep(0.01)

    run(scenario())

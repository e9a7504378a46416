"""A relay that stops, that speaks TLS, and that cannot listen."""

import asyncio
import ssl

import pytest

from bayplan.api.access.certificates import certificates_of
from bayplan.framework.errors import InputError
from bayplan.gateway.relay.listening import server_tls
from unit.gateway.relay.scene import OK, POST, Line, run, scene, settings
from unit.gateway.relay.small_router import SmallRouter


def test_what_was_asked_is_answered_before_the_stop():
    go = asyncio.Event()

    async def script(line, request):
        await line.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n")
        await go.wait()
        await line.send(b"1\r\nb\r\n0\r\n\r\n")

    async def scenario():
        async with scene(script) as found:
            busy, unused = await found.connect(), await found.connect()
            await busy.send(POST)
            await busy.head()
            stopping = asyncio.ensure_future(found.relay.stop())

            assert await unused.rest() == b""
            with pytest.raises(OSError, match=r"refused|Connect call failed"):
                await found.connect()
            go.set()
            assert await busy.rest() == b"1\r\na\r\n1\r\nb\r\n0\r\n\r\n"
            await stopping

    run(scenario())


def test_answers_that_begin_during_the_stop_are_the_last_of_their_connections():
    go = asyncio.Event()

    async def script(line, request):
        await go.wait()
        await line.send(OK)

    async def scenario():
        async with scene(script) as found:
            line = await found.connect()
            await line.send(POST)
            await found.until(lambda: bool(found.engines[0].requests))
            stopping = asyncio.ensure_future(found.relay.stop())
            await asyncio.sleep(0.01)
            go.set()

            assert (await line.message())[1][b"connection"] == b"close"
            await stopping

    run(scenario())


def test_requests_that_still_wait_are_refused_in_the_end():
    async def scenario():
        told = settings(patience={"drain_s": 0.4})
        async with scene(router=SmallRouter(is_holding=True), told=told) as found:
            line = await found.connect()
            await line.send(POST)
            await found.until(lambda: found.relay.desk.waiting() == 1)
            stopping = asyncio.ensure_future(found.relay.stop())
            first, headers, _ = await line.message()

            assert first == b"HTTP/1.1 503 Service Unavailable"
            assert headers[b"x-llm-d-request-dropped-reason"] == b"rejected-shutting-down"
            await stopping

    run(scenario())


def test_an_endless_answer_is_cut_off_in_the_end():
    async def script(line, request):
        await line.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            await line.send(b"1\r\na\r\n")
            await asyncio.sleep(0.01)

    async def scenario():
        async with scene(script, told=settings(patience={"drain_s": 0.4})) as found:
            line = await found.connect()
            await line.send(POST)
            await line.head()
            await found.relay.stop()

            assert not (await line.rest()).endswith(b"0\r\n\r\n")
            await found.engines[0].gone.wait()

    run(scenario())


def test_tls(tmp_path):
    made = certificates_of(tmp_path, ("localhost",))

    async def scenario():
        async with scene() as found:
            port = await found.relay.start("127.0.0.1", 0, tls=server_tls(made.server, made.key))
            trust = ssl.create_default_context(cafile=str(made.authority))
            line = Line(*await asyncio.open_connection("127.0.0.1", port, ssl=trust, server_hostname="localhost"))
            for _ in range(2):
                await line.send(POST)
                assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            assert found.engines[0].requests[0][1][b"x-forwarded-proto"] == b"https"
            await line.send(b"nonsense\r\n\r\n")
            assert (await line.message())[0] == b"HTTP/1.1 400 Bad Request"
            line.close()
            await line.writer.wait_closed()

    run(scenario())


def test_a_certificate_that_is_none(tmp_path):
    (tmp_path / "a.pem").write_text("hello")
    with pytest.raises(InputError) as caught:
        server_tls(tmp_path / "a.pem", None)

    assert caught.value.place == "--tls-cert"


def test_a_port_that_is_in_use():
    async def scenario():
        async with scene() as found:
            with pytest.raises(InputError, match="is in use"):
                await found.relay.start("127.0.0.1", found.port)
            with pytest.raises(InputError, match="no port"):
                await found.relay.start("127.0.0.1", 70_000)

    run(scenario())

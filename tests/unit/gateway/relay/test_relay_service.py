"""Requests through a relay: what an engine gets, what a client gets, and what the router is told."""

import asyncio
import json

import pytest

from unit.gateway.relay.scene import OK, POST, run, scene, settings
from unit.gateway.relay.small_router import SmallRouter


def answering(data):
    async def script(line, request):
        await line.send(data)

    return script


def kinds(router):
    return [each[0] for each in router.events]


def test_a_request_is_passed_on_and_its_answer_back():
    async def scenario():
        async with scene() as found:
            first, headers, body = await found.ask()

            assert (first, body) == (b"HTTP/1.1 200 OK", b"{}")
            line, passed, sent = found.engines[0].requests[0]
            assert (line, sent) == (b"POST /v1/completions HTTP/1.1", b'{"model":"m"}')
            assert passed[b"content-length"] == b"13"
            assert passed[b"x-request-id"] == headers[b"x-request-id"] != b""
            assert passed[b"x-forwarded-for"] == b"127.0.0.1"
            assert passed[b"via"] == b"1.1 bayplan"
            assert passed[b"x-gateway-destination-endpoint"].startswith(b"127.0.0.1:")
            assert kinds(found.router) == ["arrive", "first_token", "complete"]

    run(scenario())


def test_connections_to_engines_are_used_again():
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            for _ in range(5):
                await line.send(POST)
                await line.message()
            line.close()

            assert found.engines[0].connections == 1

    run(scenario())


def test_a_stream_is_passed_on_as_it_came():
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n"
    usage = b'data: {"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n'
    step = asyncio.Event()

    async def script(line, request):
        await line.send(head)
        await step.wait()
        for each in (b"data: a\n\n", usage, b"data: [DONE]\n\n"):
            await line.send(b"%x\r\n%b\r\n" % (len(each), each))
            await asyncio.sleep(0.01)
        await line.send(b"0\r\n\r\n")

    async def scenario():
        async with scene(script) as found:
            line = await found.connect()
            await line.send(POST)
            first, headers = await line.head()  # before any token
            assert kinds(found.router) == ["arrive"]
            step.set()
            body = await line.reader.readuntil(b"\r\n0\r\n\r\n")

            assert (first, headers[b"transfer-encoding"]) == (b"HTTP/1.1 200 OK", b"chunked")
            assert body == (b"9\r\ndata: a\n\n\r\n%x\r\n%b\r\ne\r\ndata: [DONE]\n\n\r\n0\r\n\r\n" % (len(usage), usage))
            assert kinds(found.router) == ["arrive", "first_token", "complete"]
            assert found.router.events[-1][2:] == (3, 2)
            line.close()

    run(scenario())


ANSWERS = {
    "a length": b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    "chunks": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "a refusal of the engine": b"HTTP/1.1 404 Not Found\r\ncontent-length: 5\r\n\r\nhello",
    "after an interim answer": (
        b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
    ),
}  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_cuts_of_the_network_do_not_matter(answer, size):
    async def script(line, request):
        for begin in range(0, len(answer), size):
            await line.send(answer[begin : begin + size])
            await asyncio.sleep(0.0005)

    async def scenario():
        async with scene(script) as found:
            for _ in range(2):
                first, _, body = await found.ask()

                assert first in answer
                assert body == (b"5\r\nhello\r\n0\r\n\r\n" if b"chunked" in answer else b"hello")
            assert found.engines[0].connections == 1

    run(scenario())


def test_a_body_that_ends_with_the_connection():
    async def script(line, request):
        await line.send(b"HTTP/1.1 200 OK\r\n\r\nhello ")
        await asyncio.sleep(0.01)
        await line.send(b"world")
        line.close()

    async def scenario():
        async with scene(script) as found:
            line = await found.connect()
            await line.send(POST)
            _, headers = await line.head()

            assert headers[b"connection"] == b"close"
            assert await line.rest() == b"hello world"
            assert kinds(found.router)[-1] == "complete"

    run(scenario())


def test_bytes_behind_an_answer_are_not_passed_on():
    async def scenario():
        async with scene(answering(OK + b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison")) as found:
            line = await found.connect()
            for _ in range(2):
                await line.send(POST)
                assert (await line.message())[2] == b"{}"
            line.close()
            assert found.engines[0].connections == 2

    run(scenario())


def test_headers_of_the_router_reach_both_sides():
    async def scenario():
        async with scene(router=SmallRouter(response_headers={"x-session-token": "abc"})) as found:
            _, headers, _ = await found.ask()

            assert headers[b"x-session-token"] == b"abc"

    run(scenario())


def test_a_client_cannot_choose_the_endpoint():
    async def scenario():
        async with scene() as found:
            await found.ask(POST.replace(b"host: x\r\n", b"host: x\r\nX-Gateway-Destination-Endpoint: 10.0.0.1:1\r\n"))

            assert found.engines[0].requests[0][1][b"x-gateway-destination-endpoint"].startswith(b"127.0.0.1:")

    run(scenario())


def test_the_clients_own_id_is_kept():
    async def scenario():
        async with scene() as found:
            _, headers, _ = await found.ask(POST.replace(b"host: x\r\n", b"host: x\r\nX-Request-Id: mine\r\n"))

            assert headers[b"x-request-id"] == b"mine"
            assert found.engines[0].requests[0][1][b"x-request-id"] == b"mine"

    run(scenario())


def test_a_refusal_of_the_router():
    async def scenario():
        async with scene() as found:
            found.relay.desk.endpoint_down("e0")
            first, headers, body = await found.ask()

            assert first == b"HTTP/1.1 503 Service Unavailable"
            assert headers[b"x-llm-d-request-dropped-reason"] == b"rejected-no-endpoints"
            assert json.loads(body)["error"]["type"] == "service-unavailable"

    run(scenario())


def test_a_body_that_is_no_json():
    async def scenario():
        async with scene() as found:
            line = await found.connect()
            await line.send(POST.replace(b'{"model":"m"}', b'{"model":"m"!'))
            first, _, _ = await line.message()
            await line.send(POST)

            assert first == b"HTTP/1.1 400 Bad Request"
            assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            line.close()

    run(scenario())


def test_a_router_that_raises_costs_one_request():
    class Broken(SmallRouter):
        def arrive(self, request, now):
            raise ZeroDivisionError

    async def scenario():
        async with scene(router=Broken()) as found:
            assert (await found.ask())[0] == b"HTTP/1.1 500 Internal Server Error"

    run(scenario())


def test_requests_that_wait_are_sent_when_the_router_lets_them():
    async def scenario():
        async with scene(router=SmallRouter(is_holding=True)) as found:
            line = await found.connect()
            await line.send(POST)
            await found.until(lambda: found.relay.desk.waiting() == 1)
            assert not found.engines[0].requests
            found.router.is_holding = False
            found.relay.desk.endpoint_up(next(iter(found.router.endpoints.values())))

            assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            line.close()

    run(scenario())


def test_a_client_that_leaves_while_it_waits():
    async def scenario():
        async with scene(router=SmallRouter(is_holding=True)) as found:
            line = await found.connect()
            await line.send(POST)
            await found.until(lambda: found.relay.desk.waiting() == 1)
            line.close()
            await found.settled()

            assert kinds(found.router) == ["arrive", "abort"]

    run(scenario())


def test_a_client_that_leaves_in_a_stream_ends_the_engines_work():
    async def script(line, request):
        await line.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            await line.send(b"1\r\nx\r\n")
            await asyncio.sleep(0.005)

    async def scenario():
        async with scene(script) as found:
            line = await found.connect()
            await line.send(POST)
            await line.head()
            await line.reader.readexactly(6)
            line.close()
            await found.engines[0].gone.wait()
            await found.settled()

            assert kinds(found.router) == ["arrive", "first_token", "abort"]

    run(scenario())


def test_the_models_name_is_the_clients():
    async def scenario():
        async with scene(
            answering(b'HTTP/1.1 200 OK\r\ncontent-length: 17\r\n\r\n{"model":"big-1"}'),
            router=SmallRouter(rewrites={"m": "big-1"}),
        ) as found:
            _, _, body = await found.ask()

            assert found.engines[0].requests[0][2] == b'{"model":"big-1"}'
            assert body == b'd\r\n{"model":"m"}\r\n0\r\n\r\n'

    run(scenario())


def test_an_old_client_gets_no_chunks():
    async def scenario():
        async with scene(answering(ANSWERS["chunks"])) as found:
            line = await found.connect()
            await line.send(POST.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"host: x\r\n", b""))
            _, headers = await line.head()

            assert b"transfer-encoding" not in headers
            assert headers[b"connection"] == b"close"
            assert await line.rest() == b"hello"

    run(scenario())


def test_head_has_no_body():
    async def scenario():
        async with scene(answering(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n")) as found:
            line = await found.connect()
            for _ in range(2):
                await line.send(b"HEAD /health HTTP/1.1\r\nhost: x\r\n\r\n")
                assert (await line.head())[1][b"content-length"] == b"500"
            line.close()
            assert found.engines[0].connections == 1
            assert b"content-length" not in found.engines[0].requests[0][1]

    run(scenario())


def test_models_of_all_engines_are_one_list():
    def models(*names):
        body = json.dumps({"object": "list", "data": [{"id": each, "object": "model"} for each in names]}).encode()
        return answering(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))

    async def dead(line, request):
        line.reset()

    async def scenario():
        async with scene(models("base", "sql"), models("base", "law"), dead) as found:
            _, _, body = await found.ask(b"GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n")

            assert [each["id"] for each in json.loads(body)["data"]] == ["base", "law", "sql"]
            assert not found.router.events

    run(scenario())


def test_models_without_an_engine_that_answers():
    async def dead(line, request):
        line.reset()

    async def scenario():
        async with scene(dead) as found:
            assert (await found.ask(b"GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n"))[0] == b"HTTP/1.1 502 Bad Gateway"
            found.relay.desk.endpoint_down("e0")
            first, headers, _ = await found.ask(b"GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n")
            assert first == b"HTTP/1.1 503 Service Unavailable"
            assert headers[b"x-llm-d-request-dropped-reason"] == b"rejected-no-endpoints"

    run(scenario())


def test_too_many_connections_are_refused():
    async def scenario():
        async with scene(told=settings(limits={"connections": 2})) as found:
            lines = [await found.connect() for _ in range(3)]
            first, _, body = await lines[2].message()

            assert first == b"HTTP/1.1 503 Service Unavailable"
            assert b"2 connections" in body
            await lines[0].send(POST)
            assert (await lines[0].message())[0] == b"HTTP/1.1 200 OK"
            for each in lines:
                each.close()

    run(scenario())


def test_bodies_have_a_limit_together():
    async def scenario():
        async with scene(router=SmallRouter(is_holding=True), told=settings(limits={"bodies_bytes": 150_000})) as found:
            body = b'{"model":"%b"}' % (b"m" * 100_000)
            request = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
            line = await found.connect()
            await line.send(request)
            await found.until(lambda: found.relay.desk.waiting() == 1)

            assert (await found.ask(request))[0] == b"HTTP/1.1 503 Service Unavailable"
            line.close()

    run(scenario())

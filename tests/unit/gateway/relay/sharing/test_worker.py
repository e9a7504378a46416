"""A worker asks the owner of the router: together they have one account."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace

from bayplan.gateway.relay.settings import Settings
from bayplan.gateway.relay.sharing.worker import RelayWorker
from bayplan.routing.answer import Answer
from exposition import read_exposition
from unit.gateway.relay.scene import POST, always_ok, run, scene, settings
from unit.gateway.relay.small_router import SmallRouter


@asynccontextmanager
async def shared(tmp_path, *scripts, told=None, router=None):
    """A scene whose clients are the worker's."""
    async with scene(*scripts, told=told, router=router) as found:
        path = tmp_path / f"router{found.port}"
        await found.relay.share(path)
        port = await found.relay.start("127.0.0.1", 0, shares_port=True)
        worker = RelayWorker(told or Settings())
        await worker.start(path, "127.0.0.1", port)
        found.relay._listeners[-1].close()  # the worker alone answers at this port
        try:
            yield replace(found, port=port), worker
            await found.settled()
            await found.until(lambda: worker.service.bodies_bytes == 0)
            assert not worker.desk._asking
        finally:
            for line in found.lines:
                line.close()
            await worker.stop()


def kinds(router):
    return [each[0] for each in router.events]


def test_a_request_of_a_worker(tmp_path):
    usage = b'{"usage":{"prompt_tokens":3,"completion_tokens":2}}'

    async def script(line, request):
        await line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(usage), usage))

    async def scenario():
        async with shared(tmp_path, script) as (found, _):
            assert (await found.ask())[2] == usage
            await found.settled()

            assert kinds(found.router) == ["arrive", "first_token", "complete"]
            assert found.router.events[-1][2:] == (3, 2)
            shown = read_exposition((await found.admin("/metrics"))[2].decode())
            assert shown.value("llm_d_epp_request_total", model_name="m") == 1

    run(scenario())


def test_failures_are_decided_by_the_owner(tmp_path):
    async def dead(line, request):
        line.reset()
        raise ConnectionResetError

    async def unwell(line, request):
        await line.send(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy")

    async def scenario():
        async with shared(tmp_path, always_ok, dead) as (found, _):
            assert (await found.ask())[0] == b"HTTP/1.1 200 OK"
            assert "failed" in kinds(found.router)
        async with shared(tmp_path, unwell) as (found, _):
            assert (await found.ask())[2] == b"busy"
        async with shared(tmp_path, dead) as (found, _):
            assert (await found.ask())[0] == b"HTTP/1.1 502 Bad Gateway"

    run(scenario())


def test_refusals_and_rewritten_models(tmp_path):
    async def script(line, request):
        await line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(request[2]), request[2]))

    async def scenario():
        async with shared(tmp_path, script, router=SmallRouter(rewrites={"m": "big"})) as (found, _):
            assert (await found.ask())[2] == b'd\r\n{"model":"m"}\r\n0\r\n\r\n'
            assert found.engines[0].requests[0][2] == b'{"model":"big"}'
            found.relay.desk.endpoint_down("e0")
            first, headers, _ = await found.ask()
            assert first == b"HTTP/1.1 503 Service Unavailable"
            assert headers[b"x-llm-d-request-dropped-reason"] == b"rejected-no-endpoints"

    run(scenario())


def test_models_are_those_of_all_endpoints(tmp_path):
    async def script(line, request):
        body = b'{"data":[{"id":"base"}]}'
        await line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))

    async def scenario():
        async with shared(tmp_path, script) as (found, worker):
            await found.until(lambda: bool(worker.desk.endpoints()))
            body = (await found.ask(b"GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n"))[2]
            assert [each["id"] for each in json.loads(body)["data"]] == ["base"]
            found.relay.desk.endpoint_down("e0")
            await found.until(lambda: not worker.desk.endpoints())

    run(scenario())


def test_waiting_evicted_and_cancelled(tmp_path):
    async def silent(line, request):
        await line.reader.read()

    async def scenario():
        async with shared(tmp_path, silent, router=SmallRouter(is_holding=True)) as (found, _):
            line, other = await found.connect(), await found.connect()
            await line.send(POST)
            await found.until(lambda: found.relay.desk.waiting() == 1)
            await other.send(POST)
            await found.until(lambda: found.relay.desk.waiting() == 2)
            other.close()
            await found.until(lambda: found.relay.desk.live() == 1)
            found.relay.desk._settle(found.router.release())
            await found.until(lambda: bool(found.engines[0].requests))
            (place,) = found.relay.desk._live.values()
            found.relay.desk._settle([Answer(place.request, 429, "evicted-priority", "another one needs its place")])
            assert (await line.message())[0] == b"HTTP/1.1 429 Too Many Requests"

    run(scenario())


def test_a_worker_that_dies_leaves_nothing_behind(tmp_path):
    async def silent(line, request):
        await line.reader.read()

    async def scenario():
        async with shared(tmp_path, silent) as (found, worker):
            line = await found.connect()
            await line.send(POST)
            await found.until(lambda: bool(found.engines[0].requests))
            worker.desk._transport.abort()
            await found.settled()
            assert kinds(found.router) == ["arrive", "abort"]
            worker.service.close()

    run(scenario())


def test_an_owner_that_dies_lets_answers_go_on(tmp_path):
    go = asyncio.Event()

    async def script(line, request):
        await line.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n")
        await go.wait()
        await line.send(b"0\r\n\r\n")

    async def scenario():
        async with shared(tmp_path, script) as (found, worker):
            line = await found.connect()
            await line.send(POST)
            await line.head()
            found.relay._owner.close()
            await worker.desk.lost.wait()
            go.set()
            assert await line.reader.readuntil(b"0\r\n\r\n") == b"1\r\na\r\n0\r\n\r\n"
            first, headers, _ = await found.ask()
            assert first == b"HTTP/1.1 503 Service Unavailable"
            assert headers[b"x-llm-d-request-dropped-reason"] == b"rejected-shutting-down"

    run(scenario())


def test_what_workers_count_is_shown_by_the_owner(tmp_path):
    async def scenario():
        async with shared(tmp_path, told=settings(limits={"target_bytes": 100})) as (found, worker):
            await found.ask(b"GET /%b HTTP/1.1\r\nhost: x\r\n\r\n" % (b"x" * 200))
            await found.connect()
            await found.until(lambda: len(worker.service.connections) == 1)
            worker._tell()
            await found.until(lambda: found.relay._owner.state("connections") == 1)
            shown = read_exposition((await found.admin("/metrics"))[2].decode())
            assert shown.value("bayplan_relay_refusals_total", status="414") == 1
            assert shown.value("bayplan_relay_connections") == 1

    run(scenario())


def test_nonsense_ends_the_connection_of_a_worker(tmp_path):
    async def scenario():
        async with shared(tmp_path) as (found, _worker):
            _, writer = await asyncio.open_unix_connection(str(next(tmp_path.iterdir())))
            await found.until(lambda: len(found.relay._owner.workers) == 2)
            writer.write(b"\xff" * 100)
            await found.until(lambda: len(found.relay._owner.workers) == 1)
            writer.close()
            assert (await found.ask())[0] == b"HTTP/1.1 200 OK"

    run(scenario())

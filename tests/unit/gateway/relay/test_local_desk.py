"""The desk tells the router of everything, and others of what becomes of engines."""

import asyncio
from dataclasses import dataclass, field, replace
from time import monotonic

import pytest

from bayplan.routing.endpoints.engine_metrics import EngineMetrics
from unit.gateway.relay.scene import OK, POST, always_ok, run, scene
from unit.gateway.relay.small_router import SmallRouter


@dataclass
class Heard:
    """Who hears of the health of endpoints."""

    said: list = field(default_factory=list)

    def sent(self, name):
        self.said.append(("sent", name))

    def failed(self, name):
        self.said.append(("failed", name))

    def succeeded(self, name):
        self.said.append(("succeeded", name))


def answering(data):
    async def script(line, request):
        await line.send(data)

    return script


async def dead(line, request):
    line.reset()
    raise ConnectionResetError


async def cut(line, request):
    await line.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello")
    await asyncio.sleep(0.01)
    line.reset()
    raise ConnectionResetError


HEALTH = {
    "an answer": ((always_ok,), [("sent", "e0"), ("succeeded", "e0")]),
    "a refusal of the engine": (
        (answering(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"),), [("sent", "e0"), ("succeeded", "e0")],
    ),
    "an error that is tried elsewhere in vain": (
        (answering(b"HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\n{}"),), [("sent", "e0"), ("failed", "e0")],
    ),
    "an error that is not tried again": (
        (answering(b"HTTP/1.1 507 No\r\ncontent-length: 2\r\n\r\n{}"),), [("sent", "e0"), ("failed", "e0")],
    ),
    "another engine helps": (
        (always_ok, dead), [("sent", "e1"), ("failed", "e1"), ("sent", "e0"), ("succeeded", "e0")],
    ),
    "an answer that breaks off": ((cut,), [("sent", "e0"), ("succeeded", "e0"), ("failed", "e0")]),
}  # fmt: skip


@pytest.mark.parametrize(("scripts", "said"), HEALTH.values(), ids=HEALTH)
def test_health(scripts, said):
    async def scenario():
        async with scene(*scripts) as found:
            found.relay.desk.health = heard = Heard()
            line = await found.connect()
            await line.send(POST.replace(b"host: x", b"host: x\r\nconnection: close"))
            await line.rest()
            await found.settled()

            assert heard.said == said

    run(scenario())


def test_the_router_is_called_when_it_wants_to_be():
    class Waking(SmallRouter):
        def tick(self, now):
            self.next_tick_at = None
            return self.release()

    async def scenario():
        async with scene(router=Waking(is_holding=True)) as found:
            found.router.next_tick_at = monotonic() + 0.05

            assert (await found.ask())[0] == b"HTTP/1.1 200 OK"

    run(scenario())


def test_an_earlier_wish_counts():
    class Waking(SmallRouter):
        def tick(self, now):
            self.next_tick_at = None
            return self.release()

    async def scenario():
        async with scene(router=Waking(is_holding=True)) as found:
            found.router.next_tick_at = monotonic() + 3_600
            line = await found.connect()
            await line.send(POST)
            await found.until(lambda: found.relay.desk.waiting() == 1)
            found.router.next_tick_at = monotonic() + 0.05
            found.relay.desk.report("e0", EngineMetrics(), monotonic())

            assert (await line.message())[0] == b"HTTP/1.1 200 OK"

    run(scenario())


FAILING = ("first_token", "complete", "abort")


@pytest.mark.parametrize("method", FAILING)
def test_a_router_that_fails_later_costs_nobody_an_answer(method):
    def fail(*_, **__):
        raise ZeroDivisionError

    async def scenario():
        async with scene() as found:
            setattr(found.router, method, fail)
            line = await found.connect()
            for _ in range(2):
                await line.send(POST)
                assert (await line.message())[0] == b"HTTP/1.1 200 OK"
            found.router.flights.clear()

    run(scenario())


def test_metrics_of_endpoints_that_are_gone_are_forgotten():
    async def scenario():
        async with scene() as found:
            desk = found.relay.desk
            desk.report("e0", EngineMetrics(waiting=1), 0.0)
            desk.report("unknown", EngineMetrics(waiting=1), 0.0)
            assert set(desk.reports()) == {"e0"}
            desk.endpoint_down("e0")
            assert desk.reports() == {}

    run(scenario())


def test_connections_to_an_endpoint_that_moved_are_closed():
    async def scenario():
        async with scene(always_ok, answering(OK)) as found:
            desk = found.relay.desk
            first, second = found.router.endpoints.values()
            desk.endpoint_down("e1")
            await found.ask()
            assert len(found.relay.service.pool.connections) == 1
            desk.endpoint_up(replace(first, port=second.port))
            await found.until(lambda: not found.relay.service.pool.connections)

    run(scenario())


def test_others_hear_of_the_first_endpoints_before_requests_go_there():
    async def scenario():
        async with scene() as found:
            desk, (known,) = found.relay.desk, found.router.endpoints.values()
            desk.endpoint_down("e0")
            desk.head_start_s, told = 0.01, []
            desk.on_endpoints = lambda: told.append(len(found.router.endpoints))
            desk.endpoint_up(known)
            desk.endpoint_up(replace(known, name="gone"))
            desk.endpoint_down("gone")
            assert told == [0, 0, 0]
            await found.until(lambda: set(found.router.endpoints) == {"e0"})
            desk.endpoint_up(replace(known, name="next"))
            assert set(found.router.endpoints) == {"e0", "next"}

    run(scenario())

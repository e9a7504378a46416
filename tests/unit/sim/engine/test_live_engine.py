import asyncio

import pytest

from bayplan.sim.engine.batching.sequence import Sequence, State
from bayplan.sim.engine.batching.simulated_engine import Limits, SimulatedEngine
from bayplan.sim.engine.batching.timing import Timing
from bayplan.sim.engine.live_engine import LiveEngine
from bayplan.sim.engine.metrics import Metrics
from bayplan.sim.virtual_time import VirtualLoop, run_virtually
from exposition import read_exposition

TIMING = Timing(base_s=1.0, prefill_s=0.01, position_s=0.0, context_s=0.0)


class Client:
    """Notes what it is told, and when."""

    reason = "length"

    def __init__(self, loop, prompt_tokens=100, output_tokens=3, is_stream=True):
        self.sequence = Sequence(prompt_tokens, output_tokens)
        self.is_stream = is_stream
        self.told = []
        self._loop = loop

    def deliver(self, tokens):
        self.told.append((round(self._loop.time(), 3), tokens))

    def finish(self):
        self.told.append((round(self._loop.time(), 3), "finished"))


class Scene:
    """A live engine on a loop whose time is virtual."""

    def __init__(self, loop):
        self.loop = loop
        self.engine = SimulatedEngine(Limits(100, 16, 256, 8), TIMING)
        self.live = LiveEngine(self.engine, Metrics(self.engine, "m"), loop)

    def client(self, **asked):
        client = Client(self.loop, **asked)
        self.live.submit(client)
        return client

    def metric(self, name, **labels):
        return read_exposition(self.live.metrics.text(0.0)).value(f"vllm:{name}", **labels)


def play(story):
    """Run a coroutine function with a scene; what it returns."""
    loop = VirtualLoop()

    async def main():
        return await story(Scene(asyncio.get_running_loop()))

    return run_virtually(main(), loop)


def test_a_stream_is_told_of_every_token():
    async def story(scene):
        await asyncio.sleep(5)
        client = scene.client()
        await asyncio.sleep(20)
        return client.told

    assert play(story) == [(7.0, 1), (8.0, 2), (9.0, "finished")]


def test_others_are_told_at_the_end_alone():
    async def story(scene):
        client = scene.client(is_stream=False)
        await asyncio.sleep(20)
        return client.told

    assert play(story) == [(4.0, "finished")]


def test_while_there_is_no_work_no_alarm_is_set():
    async def story(scene):
        scene.client()
        await asyncio.sleep(20)
        before = len(asyncio.get_running_loop()._scheduled)
        return before, scene.live.active

    assert play(story) == (0, 0)


def test_an_arrival_in_the_middle_of_a_long_run_is_not_late():
    async def story(scene):
        scene.client(output_tokens=500, is_stream=False)
        await asyncio.sleep(10.5)
        late = scene.client(output_tokens=1)
        await asyncio.sleep(10)
        return late.told

    assert play(story) == [(13.0, "finished")]


def test_times_are_those_of_the_model():
    async def story(scene):
        scene.client(output_tokens=5)
        await asyncio.sleep(20)
        return scene.metric("time_to_first_token_seconds_sum"), scene.metric("e2e_request_latency_seconds_sum")

    assert play(story) == pytest.approx((2.0, 6.0))


def test_a_client_that_goes_ends_its_request():
    async def story(scene):
        client = scene.client(output_tokens=500)
        await asyncio.sleep(10)
        scene.live.withdraw(client)
        scene.live.withdraw(client)
        told = len(client.told)
        await asyncio.sleep(10)
        assert len(client.told) == told
        return (
            client.sequence.state,
            scene.engine.pool.in_use,
            scene.metric("request_success_total", finished_reason="abort"),
        )

    assert play(story) == (State.ABORTED, 0, 1)


class TestHang:
    def test_nothing_comes_until_it_ends(self):
        async def story(scene):
            client = scene.client(output_tokens=3)
            await asyncio.sleep(2.5)
            scene.live.hang(hangs=True)
            await asyncio.sleep(100)
            assert client.told == [(2.0, 1)]
            scene.live.hang(hangs=False)
            await asyncio.sleep(10)
            return client.told, scene.metric("e2e_request_latency_seconds_sum")

        told, seconds = play(story)
        assert told == [(2.0, 1), (103.0, 2), (104.0, "finished")]
        assert seconds == pytest.approx(104.0)

    def test_what_arrives_meanwhile_waits(self):
        async def story(scene):
            scene.live.hang(hangs=True)
            await asyncio.sleep(10)
            client = scene.client(output_tokens=1)
            await asyncio.sleep(10)
            assert client.told == []
            scene.live.hang(hangs=False)
            await asyncio.sleep(10)
            return client.told, scene.metric("time_to_first_token_seconds_sum")

        told, seconds = play(story)
        assert told == [(22.0, "finished")]
        assert seconds == pytest.approx(12.0)

    def test_a_client_can_go_meanwhile(self):
        async def story(scene):
            client = scene.client()
            await asyncio.sleep(0.5)
            scene.live.hang(hangs=True)
            await asyncio.sleep(10)
            scene.live.withdraw(client)
            return scene.live.active, scene.engine.pool.in_use

        assert play(story) == (0, 0)


def test_tokens_are_reported():
    async def story(scene):
        seen = []
        scene.live.on_tokens = seen.append
        scene.client(output_tokens=3)
        await asyncio.sleep(20)
        return sorted(set(seen))

    assert play(story) == [0, 1, 2, 3]

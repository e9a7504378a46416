import asyncio

import pytest

from bayplan.sim.engine.faults import Faults
from bayplan.sim.engine.openai.refusals import RefusalError
from bayplan.sim.virtual_time import run_virtually
from unit.sim.engine.scene import host, settings


def play(story, **changes):
    """Run a coroutine function with a host, in virtual time."""

    async def main():
        return await story(host(asyncio.get_running_loop(), **changes))

    return run_virtually(main())


def refusal(call, *arguments):
    with pytest.raises(RefusalError) as caught:
        call(*arguments)
    return caught.value.status, caught.value.message


class TestReadiness:
    def test_comes_when_the_model_is_loaded(self):
        async def story(found):
            seen = [found.is_ready]
            found.on_ready = lambda: seen.append("told")
            await asyncio.sleep(29.9)
            seen.append(found.is_ready)
            await asyncio.sleep(0.2)
            return [*seen, found.is_ready]

        assert play(story, load_s=30.0) == [False, False, "told", True]

    def test_is_lost_for_a_while(self):
        async def story(found):
            found.break_now(Faults(unready_s=10.0))
            seen = [found.is_ready, refusal(found.admit)]
            await asyncio.sleep(10.1)
            return [*seen, found.is_ready]

        assert play(story) == [False, (503, "the model is loading"), True]

    def test_ends_when_it_stops(self):
        async def story(found):
            empty = []
            found.on_empty = lambda: empty.append(True)
            found.close()
            return found.is_ready, empty, refusal(found.admit)

        assert play(story) == (False, [True], (503, "the engine is stopping"))


class TestFaults:
    def test_change_the_times_of_the_engine(self):
        async def story(found):
            found.break_by(Faults(slowdown=4.0))
            slow = found.live.engine.timing
            found.break_by(Faults())
            return slow, found.live.engine.timing

        timing = settings().profile.timing
        assert play(story) == (timing.scaled(4.0), timing)

    def test_close_the_port_for_a_while(self):
        async def story(found):
            refused = []
            found.on_refuse = refused.append
            found.break_now(Faults(refuse_s=5.0))
            return refused

        assert play(story) == [5.0]

    def test_of_the_settings_hold_from_the_start(self):
        async def story(found):
            return refusal(found.admit)

        failing = Faults(fail_rate=1.0, fail_status=503)
        assert play(story, faults=failing) == (503, "this request fails on purpose (fault fail_rate)")


class TestAdapters:
    def test_are_listed_until_they_go(self):
        async def story(found):
            found.load_adapter("sql", "/sql")
            listed = dict(found.adapters)
            found.unload_adapter("sql")
            return listed, found.adapters

        assert play(story) == ({"sql": "/sql"}, {})

    def test_cannot_have_the_name_of_the_model(self):
        async def story(found):
            return refusal(found.load_adapter, "m", "/x")

        assert play(story) == (400, "The lora adapter 'm' has already been loaded.")

    def test_are_bounded(self):
        async def story(found):
            for number in range(1_000):
                found.load_adapter(str(number), "/x")
            return refusal(found.load_adapter, "one more", "/x")

        assert play(story) == (400, "1000 adapters are loaded; unload some")

    def test_can_be_off(self):
        async def story(found):
            return refusal(found.load_adapter, "sql", "/sql")

        without = settings().limits.__class__(100, 16, 64, 8)
        assert play(story, limits=without) == (400, "adapters are off; start the engine with --enable-lora")

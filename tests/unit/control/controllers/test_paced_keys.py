import asyncio

from bayplan.control.controllers.paced_keys import PACE_S, PacedKeys
from unit.control.controllers.lab import run


def test_a_burst_is_looked_at_twice():
    async def scenario():
        looked = []

        async def reconcile(key):
            looked.append(asyncio.get_running_loop().time())
            keys.wrote(key)

        keys = PacedKeys("test", reconcile)
        keys.start()
        for _ in range(100):
            keys.add("a")
            await asyncio.sleep(0.001)
        await keys.settled()
        await keys.stop()
        return looked

    first, second = run(scenario())

    assert first == 0
    assert second >= PACE_S


def test_the_last_change_is_never_missed():
    async def scenario():
        told, seen = [0], []

        async def reconcile(key):
            seen.append(told[-1])
            keys.wrote(key)

        keys = PacedKeys("test", reconcile)
        keys.start()
        for value in range(1, 50):
            told.append(value)
            keys.add("a")
            await asyncio.sleep(0.03)
        await keys.settled()
        await keys.stop()
        return seen

    seen = run(scenario())

    assert seen[-1] == 49
    assert len(seen) < 12


def test_keys_do_not_wait_for_each_other_and_looks_without_writing_do_not_count():
    async def scenario():
        looked = []

        async def reconcile(key):
            looked.append((key, asyncio.get_running_loop().time()))

        keys = PacedKeys("test", reconcile)
        keys.start()
        for key in "aba":
            keys.add(key)
            await asyncio.sleep(0.01)
        await keys.stop()
        return [key for key, _ in looked]

    assert run(scenario()) == ["a", "b", "a"]

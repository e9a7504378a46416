"""A program that is kept running."""

import asyncio
import os
import signal
import sys

import pytest

from bayplan.gateway.envoy.child import Child

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(15, signal.SIG_IGN); print('on', flush=True); time.sleep(60)",
]
UNTIL_END = [sys.executable, "-c", "import sys; sys.stdin.read()"]


async def nothing(process):
    pass


def run(scenario):
    asyncio.run(asyncio.wait_for(scenario, 20))


async def until(condition):
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen within 10 s")


def test_it_is_started_again_when_it_ends():
    async def scenario():
        child = Child("it", SLEEP, nothing)
        await child.start()
        first = child.pid
        os.kill(first, signal.SIGKILL)
        await until(lambda: child.starts == 2 and child.pid not in (None, first))
        await child.stop(5)
        assert child.pid is None

    run(scenario())


def test_a_first_start_that_fails_is_told():
    async def refuse(process):
        process.kill()
        raise ValueError("not so")

    async def scenario():
        child = Child("it", SLEEP, refuse)
        with pytest.raises(ValueError, match="not so"):
            await child.start()
        await child.stop(5)

    run(scenario())


def test_one_that_does_not_want_to_end_is_killed():
    async def listen(process):
        await process.stdout.readline()

    async def scenario():
        child = Child("it", DEAF, listen, reads_stdout=True)
        await child.start()
        await child.stop(0.2)
        assert child.pid is None

    run(scenario())


def test_one_that_holds_our_end_of_a_pipe():
    async def scenario():
        child = Child("it", UNTIL_END, nothing, holds_stdin=True)
        await child.start()
        await asyncio.sleep(0.2)
        assert child.pid is not None
        await child.stop(5)

    run(scenario())

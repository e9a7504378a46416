"""Work in the background gives way to others."""

import asyncio
import time

from bayplan.control.turns import give_way


def rounds_of_others(turn_s, most):
    """How many rounds a task has had, which is busy in each, when the turn goes on."""

    async def whole():
        rounds = 0

        async def others():
            nonlocal rounds
            while rounds < most:
                rounds += 1
                time.sleep(0.001)
                await asyncio.sleep(0)

        busy = asyncio.create_task(others())
        await give_way(turn_s)
        seen = rounds
        busy.cancel()
        return seen

    return asyncio.run(whole())


def test_others_finish_first():
    assert rounds_of_others(10.0, 20) == 20


def test_others_do_not_keep_the_turn_for_ever():
    assert 0 < rounds_of_others(0.001, 1_000_000) < 1_000_000


def test_where_nothing_is_to_be_done_the_turn_goes_on():
    asyncio.run(asyncio.wait_for(give_way(1_000_000.0), 60))

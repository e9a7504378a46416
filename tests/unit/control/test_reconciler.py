import asyncio
import logging
from itertools import pairwise

import pytest

from bayplan.control.reconciler import FIRST_PAUSE_S, LONGEST_PAUSE_S, Reconciler
from bayplan.control.store_errors import NotFoundError, StaleError
from unit.control.scheduling.scheduler import virtually


class Work:
    """A function on keys that notes when it began and ended; `answers` are what it returns or raises, in order."""

    def __init__(self, takes_s=0.0, **answers):
        self.takes_s, self.answers = takes_s, {key: [*each] for key, each in answers.items()}
        self.begun, self.running, self.most = [], 0, 0

    async def __call__(self, key):
        self.begun.append((key, round(asyncio.get_running_loop().time(), 2)))
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(self.takes_s)
        finally:
            self.running -= 1
        answer = self.answers[key].pop(0) if self.answers.get(key) else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def keys(self):
        return [key for key, _ in self.begun]


def started(work, at_once=1):
    keys = Reconciler("test", work, at_once=at_once)
    keys.start()
    return keys


@virtually
async def test_keys_are_worked_on_in_order_and_once():
    work = Work()
    keys = started(work)
    for each in "abacab":
        keys.add(each)
    await keys.settled()

    assert work.keys == ["a", "b", "c"]
    await keys.stop()


@virtually
async def test_a_key_that_is_added_while_it_is_worked_on_is_worked_on_once_more():
    work = Work(takes_s=1.0)
    keys = started(work, at_once=3)
    keys.add("a")
    await asyncio.sleep(0.5)
    keys.add("a")
    keys.add("a")
    await keys.settled()

    assert work.begun == [("a", 0.0), ("a", 1.0)]
    assert work.most == 1
    await keys.stop()


@virtually
async def test_several_keys_are_worked_on_at_once():
    work = Work(takes_s=1.0)
    keys = started(work, at_once=2)
    for each in "abcd":
        keys.add(each)
    await keys.settled()

    assert work.begun == [("a", 0.0), ("b", 0.0), ("c", 1.0), ("d", 1.0)]
    await keys.stop()


@virtually
async def test_a_key_may_ask_to_be_looked_at_again_later():
    work = Work(a=[5.0, None])
    keys = started(work)
    keys.add("a")
    await keys.settled()
    await asyncio.sleep(60)

    assert work.begun == [("a", 0.0), ("a", 5.0)]
    await keys.stop()


@virtually
async def test_a_key_that_is_added_before_its_time_is_not_looked_at_twice():
    work = Work(a=[5.0, None])
    keys = started(work)
    keys.add("a")
    await asyncio.sleep(2)
    keys.add("a")
    await asyncio.sleep(60)

    assert work.begun == [("a", 0.0), ("a", 2.0)]
    await keys.stop()


@pytest.mark.parametrize(
    "error",
    [StaleError("raced", place="a"), NotFoundError("gone", place="a"), KeyError("a mistake")],
    ids=lambda error: type(error).__name__,
)
def test_a_key_that_fails_is_tried_again_later_each_time(error, caplog):
    caplog.set_level(logging.CRITICAL)

    @virtually
    async def scenario():
        work = Work(a=[error] * 14)
        keys = started(work)
        keys.add("a")
        keys.add("b")
        await asyncio.sleep(200)

        times = [at_s for key, at_s in work.begun if key == "a"]
        assert work.keys[1] == "b"
        pauses = [round(after - before, 2) for before, after in pairwise(times)]
        assert pauses[:3] == [FIRST_PAUSE_S, 2 * FIRST_PAUSE_S, 4 * FIRST_PAUSE_S]
        assert pauses[-1] == LONGEST_PAUSE_S
        assert len(times) == 15
        assert keys._failures == {}
        await keys.stop()

    scenario()


@virtually
async def test_settled_does_not_wait_for_keys_of_a_later_time():
    work = Work(a=[3600.0])
    keys = started(work)
    keys.add("a")
    await keys.settled()

    assert asyncio.get_running_loop().time() < 1
    await keys.stop()


@virtually
async def test_nothing_happens_after_the_stop():
    work = Work(takes_s=10.0, b=[1.0])
    keys = started(work, at_once=2)
    keys.add("a")
    keys.add("b")
    await asyncio.sleep(1)
    await keys.stop()
    keys.add("c")
    await asyncio.sleep(60)

    assert work.keys == ["a", "b"]
    assert work.running == 0


@virtually
async def test_keys_that_were_added_before_the_start_are_worked_on():
    work = Work()
    keys = Reconciler("test", work)
    keys.add("a")
    keys.start()
    await keys.settled()

    assert work.keys == ["a"]
    await keys.stop()

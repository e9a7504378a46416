import asyncio

import pytest

from bayplan.control.scheduling.expected_start import UNKNOWN, end_of, expected_start
from unit.control.scheduling.scheduler import pod, running, virtually, worker, workload


def started(at, **spec):
    found = pod("p", **spec)
    found["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    found["status"] = {"startTime": at} if at else {}
    return found


ENDS = {
    "no limit": (started("2026-01-01T00:00:10Z"), None),
    "since it started": (started("2026-01-01T00:00:10Z", activeDeadlineSeconds=60), 70.0),
    "since it was created": (started(None, activeDeadlineSeconds=60), 60.0),
    "a start that is no time": (started("soon", activeDeadlineSeconds=60), 60.0),
    "a limit that is no number": (started(None, activeDeadlineSeconds="60"), None),
    "a limit that is true": (started(None, activeDeadlineSeconds=True), None),
}


@pytest.mark.parametrize(("document", "after_s"), ENDS.values(), ids=ENDS)
def test_when_a_pod_is_stopped_at_the_latest(document, after_s):
    expected = None if after_s is None else 1_767_225_600.0 + after_s

    assert end_of(document) == expected


async def start_of(system, name):
    waiting = next(each for each in system.loop.waiting if each.unit.key.name == name)
    return await expected_start(system.loop.sized(waiting.unit), system.loop.live, system.loop.known_ends())


@virtually
async def test_as_many_pods_must_end_as_the_work_needs():
    async with running(worker("a", 4)) as system:
        await system.create(*(pod(f"p{number}", activeDeadlineSeconds=60 * (number + 1)) for number in range(4)))
        await system.create(pod("one"), pod("three", 3), pod("all", 4))

        assert (await start_of(system, "one"))["at"] == "2026-01-01T00:01:00Z"
        three = await start_of(system, "three")
        assert three == {
            "at": "2026-01-01T00:03:00Z",
            "basis": "by then 3 Pods reach their time limit (activeDeadlineSeconds)",
        }
        assert (await start_of(system, "all"))["at"] == "2026-01-01T00:04:00Z"


@virtually
async def test_unknown_where_what_has_a_limit_is_not_enough():
    async with running(worker("a", 4)) as system:
        await system.create(pod("limited", activeDeadlineSeconds=60), pod("endless", 3))
        await system.create(pod("two", 2))

        assert await start_of(system, "two") == UNKNOWN


@virtually
async def test_what_is_overdue_may_end_any_moment():
    async with running(worker("a", 1)) as system:
        await system.create(pod("overdue", activeDeadlineSeconds=60))
        await system.create(pod("next"))
        await asyncio.sleep(3600)

        assert (await start_of(system, "next"))["at"] == "2026-01-01T01:00:00Z"


@virtually
async def test_limits_of_pods_that_are_gone_are_forgotten():
    async with running(worker("a", 2)) as system:
        await system.create(pod("p", activeDeadlineSeconds=60), pod("waits", 9, activeDeadlineSeconds=60))
        assert len(system.loop.known_ends()) == 1
        await system.delete("p", "waits")

        assert system.loop.known_ends() == []
        assert system.loop._limits._ends == {}


@virtually
async def test_pods_that_end_while_it_is_worked_out():
    async with running(worker("a", 4)) as system:
        await system.create(*(pod(f"p{number}", activeDeadlineSeconds=60 * (number + 1)) for number in range(4)))
        await system.workload(workload("big", 1, gpus=4))
        answer = asyncio.ensure_future(start_of(system, "big"))
        await asyncio.sleep(0)
        await system.delete("p0", "p1", "p2")

        assert (await answer)["at"] in ("2026-01-01T00:04:00Z", None)

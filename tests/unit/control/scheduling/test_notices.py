import asyncio

from bayplan.control.event_recorder import EVENTS
from bayplan.control.observing import LoopObserver
from bayplan.control.scheduling.notices import AGAIN_S
from unit.control.scheduling.scheduler import nodes, pod, running, virtually, worker, workload


class Counting(LoopObserver):
    def __init__(self):
        self.codes = []

    def refused(self, code, workers):
        self.codes.append((code, workers))


async def told(system, name, reason="FailedScheduling"):
    """Messages and counts of events about an object."""
    found = [each.document() for each in (await system.store.list(EVENTS)).items]
    about = [each for each in found if each["involvedObject"]["name"] == name and each["reason"] == reason]
    return [(each["message"], each["count"]) for each in about]


async def churn(system, times):
    """Pods come and go, and wake what waits."""
    for number in range(times):
        await system.create(pod(f"short-{number}", 0))
        await system.delete(f"short-{number}")


@virtually
async def test_the_same_refusal_is_told_once_in_a_while():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder"))
        await system.create(pod("waits"))
        await churn(system, 5)
        ((message, count),) = await told(system, "waits")
        assert "gpu-count-short" in message
        assert count == 1
        assert next(iter(system.loop.waiting)).attempts > 3

        await asyncio.sleep(AGAIN_S)
        await churn(system, 5)

        ((_, count),) = await told(system, "waits")
        assert count == 2


@virtually
async def test_another_reason_is_told_at_once():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder"))
        await system.create(pod("waits"))
        await system.create(*nodes(worker("b", status="cordoned")))

        messages = [message for message, _ in await told(system, "waits")]
        assert len(messages) == 2
        await asyncio.sleep(10)
        (condition,) = (await system.pod("waits"))["status"]["conditions"]
        assert "cordoned" in condition["message"]


@virtually
async def test_pods_that_join_a_unit_are_told_too():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder"))
        owner = await system.workload(workload("chat", 2))
        await system.create(pod("chat-2", 0, owner=owner))

        for name in ("chat-0", "chat-1", "chat-2"):
            (condition,) = (await system.pod(name))["status"]["conditions"]
            assert condition["reason"] == "Unschedulable"


@virtually
async def test_every_refusal_is_counted_although_it_is_not_told():
    observer = Counting()
    async with running(worker("a", 1), worker("b", 1), observer=observer) as system:
        await system.create(pod("one"), pod("two"))
        await system.create(pod("three"), pod("four"))

        assert observer.codes == [("gpu-count-short", 2)] * 2


@virtually
async def test_units_that_are_refused_alike_have_each_their_own_event():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder"))
        await system.create(*(pod(f"p{number}") for number in range(5)))

        for number in range(5):
            assert len(await told(system, f"p{number}")) == 1
            assert (await system.pod(f"p{number}"))["status"]["conditions"]

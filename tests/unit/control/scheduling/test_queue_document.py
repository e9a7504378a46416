import asyncio

from bayplan.control.scheduling import queue_document as module
from bayplan.control.scheduling.queue_document import queue_document
from bayplan.stores.memory import MemoryShelf
from unit.control.scheduling.scheduler import nodes, pod, running, virtually, worker, workload


async def queue(system):
    return (await queue_document(system.loop))["items"]


@virtually
async def test_an_empty_queue():
    async with running(worker("a")) as system:
        await system.create(pod("p"))

        assert await queue_document(system.loop) == {"kind": "Queue", "items": [], "in_flight": 0}


@virtually
async def test_units_are_listed_in_the_order_in_which_they_are_tried():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder"))
        for name, priority in (("low", 1), ("high", 9), ("other", 1), ("last", 0), ("least", 0)):
            await system.create(pod(name, priority=priority))
            await asyncio.sleep(10)

        items = await queue(system)

        assert [each["workload"] for each in items] == ["high", "low", "other", "last", "least"]
        assert [each["position"] for each in items] == [1, 2, 3, 4, 5]
        assert [each["ahead"] for each in items] == [0, 1, 2, 3, 4]
        assert items[4]["ahead_names"] == ["default/low", "default/other", "default/last"]
        assert [each["priority"] for each in items] == [9, 1, 1, 0, 0]


@virtually
async def test_an_item_says_what_blocks_it_and_which_record_has_more():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder"))
        await system.workload(workload("chat", 2))

        (item,) = await queue(system)

        assert (item["kind"], item["namespace"], item["pods"]) == ("workloads.bayplan.io", "default", 2)
        assert (item["state"], item["blocked_by"]) == ("waiting", ["gpu-count-short"])
        assert "gpu-count-short" in item["message"]
        assert system.records.get(item["record"])["outcome"] == "refused"
        assert item["attempts"] >= 1
        assert item["reservation"] is None
        assert item["expected_start"]["at"] is None


@virtually
async def test_a_unit_of_which_a_part_has_a_place():
    async with running(worker("a", 2)) as system:
        await system.workload(workload("chat", 3))

        (item,) = await queue(system)

        assert (item["state"], item["pods"]) == ("partly", 1)
        assert system.records.get(item["record"])["outcome"] == "bound"


@virtually
async def test_what_can_never_fit_and_what_cannot_be_read_have_no_start():
    async with running(worker("a", 1)) as system:
        await system.create(pod("huge", 64))
        strange = pod("strange")
        strange["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "lots"
        await system.create(strange)

        found = {each["workload"]: each for each in await queue(system)}

        assert found["huge"]["state"] == "infeasible"
        assert found["strange"]["state"] == "error"
        assert "lots" in found["strange"]["message"]
        assert {each["expected_start"]["at"] for each in found.values()} == {None}


@virtually
async def test_starts_are_worked_out_for_the_first_of_a_long_queue():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder", activeDeadlineSeconds=60))
        await system.create(*(pod(f"p{number:03}") for number in range(module.MOST_EXPECTED + 300)))

        items = await queue(system)

        assert len(items) == module.MOST_EXPECTED + 300
        known = [each["expected_start"]["at"] is not None for each in items]
        assert known == [True] * module.MOST_EXPECTED + [False] * 300


@virtually
async def test_the_age_of_what_waits_survives_a_restart():
    shelf = MemoryShelf()
    async with running(shelf=shelf) as system:
        await system.create(pod("p"))
        await asyncio.sleep(3600)
    async with running(shelf=shelf, epoch=2) as system:
        (item,) = await queue(system)

        assert item["since"] == "2026-01-01T00:00:01Z"


@virtually
async def test_units_that_were_never_tried_are_new():
    async with running(worker("a")) as system:
        await system.loop.stop()
        await system.create(pod("p", priority=4))

        (item,) = await queue(system)

        assert (item["state"], item["priority"], item["record"]) == ("new", 4, None)


@virtually
async def test_a_unit_that_finds_its_place_while_the_queue_is_written():
    async with running() as system:
        await system.create(*(pod(f"p{number:03}") for number in range(500)))
        answer = asyncio.ensure_future(queue(system))
        await asyncio.sleep(0)
        await system.create(*nodes(worker("a")))

        assert len(await answer) == 500

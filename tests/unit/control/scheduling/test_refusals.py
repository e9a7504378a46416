from bayplan.control.scheduling.refusals import refusal_message, rejections_of
from bayplan.placement.planning.planner import Planner
from unit.control.scheduling.scheduler import running, virtually, worker, workload


async def refused(document, *workers):
    """The message and the codes about a workload that does not fit."""
    async with running(*workers) as system:
        await system.workload(document)
        (waiting,) = list(system.loop.waiting)
        plan = Planner.on(system.loop.live.state).plan(system.loop.sized(waiting.unit))
        return refusal_message(plan, len(workers)), [each["code"] for each in rejections_of(plan)]


@virtually
async def test_one_reason_with_its_numbers():
    message, codes = await refused(workload("w", 1, gpus=4), worker("a", 2))

    assert message == "of 1 worker: 1 gpu-count-short (needs 4 usable cards of one model, has 2 of 2)"
    assert codes == ["gpu-count-short"]


@virtually
async def test_several_reasons_the_most_frequent_first():
    closed = worker("c", status="cordoned")
    message, codes = await refused(workload("w", 1, gpus=4), worker("a", 2), worker("b", 2), closed)

    assert message.startswith("of 3 workers: 2 gpu-count-short")
    assert ", 1 cordoned (" in message
    assert codes == ["gpu-count-short", "cordoned"]


@virtually
async def test_a_gang_says_how_many_it_needs_at_once():
    message, _ = await refused(workload("w", 3, gang={}), worker("a", 2))

    assert message.endswith("; the gang needs 3 at once")


@virtually
async def test_no_worker_at_all():
    message, codes = await refused(workload("w", 1))

    assert message.startswith("the cluster has no workers; apply Nodes or a Cluster")
    assert codes == []


@virtually
async def test_what_was_placed_is_said_first():
    async with running(worker("a", 2)) as system:
        await system.workload(workload("w", 3))
        (condition,) = (await system.pod("w-2"))["status"]["conditions"]

        assert condition["message"].startswith("partly: 2 of 3 placed; of 1 worker: 1 gpu-count-short")
        assert (await system.where())["w-0"] == "a"

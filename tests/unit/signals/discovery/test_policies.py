from bayplan.signals.discovery.collections import OBJECTIVES, REWRITES
from bayplan.signals.discovery.policies import PolicyDiscovery
from unit.control.scheduling.scheduler import virtually
from unit.signals.discovery.pods import discovering, objective, rewrite


def following(*stored, pool="chat"):
    return discovering(PolicyDiscovery, *stored, namespace="default", pool=pool)


@virtually
async def test_objectives_come_change_and_go():
    async with following((OBJECTIVES, objective("fast", priority=5))) as world:
        assert world.router.objectives == {"fast": 5}
        await world.create(OBJECTIVES, objective("slow", priority=-1))
        assert world.router.objectives == {"fast": 5, "slow": -1}
        await world.change(OBJECTIVES, "fast", spec=objective(priority=6)["spec"])
        await world.delete(OBJECTIVES, "slow")
        assert world.router.objectives == {"fast": 6}


@virtually
async def test_rewrites_come_and_go():
    async with following((REWRITES, rewrite())) as world:
        (found,) = world.router.rewrites
        assert found.name == "canary"
        assert found.created_s > 0
        assert found.rules[0].models == {"chat"}
        await world.delete(REWRITES, "canary")
        assert world.router.rewrites == []


@virtually
async def test_those_of_other_pools():
    async with following((OBJECTIVES, objective(pool="other")), (REWRITES, rewrite(pool="other"))) as world:
        assert world.router.objectives == {}
        assert world.router.rewrites == []


@virtually
async def test_those_of_all_pools():
    stored = [(OBJECTIVES, objective("a", pool="one")), (OBJECTIVES, objective("b", pool="two"))]
    async with following(*stored, pool="") as world:
        assert world.router.objectives == {"a": 1, "b": 1}


@virtually
async def test_one_that_cannot_be_read_is_left_away():
    broken = objective("broken", priority="high")
    async with following((OBJECTIVES, broken), (OBJECTIVES, objective("good"))) as world:
        assert world.router.objectives == {"good": 1}

import pytest

from bayplan.control.collections import PODS
from bayplan.control.scheduling.first_priority import first_priority
from bayplan.control.scheduling.units import Unit, UnitKey
from bayplan.manifests.workloads.priority_class import PriorityClass
from bayplan.stores.memory import MemoryShelf
from unit.control.scheduling.scheduler import nodes, pod, running, virtually, worker, workload

CLASSES = (PriorityClass("gold", 7), PriorityClass("usual", 2, is_default=True))


def unit(*pods):
    return Unit(UnitKey(PODS, "default", "u"), {("default", each["metadata"]["name"]): each for each in pods})


CASES = {
    "the owner says it": (workload("w", priority=4), [pod("p", priority=9)], 4),
    "its scheduling says it": ({"spec": {"scheduling": {"priority": 3}}}, [], 3),
    "the owner says nonsense": ({"spec": {"priority": "high"}}, [pod("p", priority=9)], 9),
    "an owner without a spec": ({"spec": None}, [pod("p", priority=9)], 9),
    "its Pod says it": (None, [pod("p", priority=9)], 9),
    "the highest of its Pods": (None, [pod("p", priority=1), pod("q", priority=5)], 5),
    "a class": (None, [pod("p", priorityClassName="gold")], 7),
    "a class that is not there": (None, [pod("p", priorityClassName="lost")], 0),
    "a class of Kubernetes": (None, [pod("p", priorityClassName="system-node-critical")], 2_000_001_000),
    "the default class": (None, [pod("p")], 2),
    "0 is a priority": (None, [pod("p", priority=0)], 0),
    "nobody": (None, [], 0),
}


@pytest.mark.parametrize(("owner", "pods", "expected"), CASES.values(), ids=CASES)
def test_the_priority_of_a_unit_that_was_not_read(owner, pods, expected):
    assert first_priority(unit(*pods), owner, CLASSES) == expected


@virtually
async def test_units_that_come_together_are_tried_by_priority():
    async with running(worker("a", 1)) as system:
        await system.create(pod("low", priority=1), pod("high", priority=9), pod("middle", priority=5))

        assert (await system.where()) == {"low": None, "high": "a", "middle": None}


@virtually
async def test_a_start_tries_what_waits_by_priority_and_age():
    shelf = MemoryShelf()
    async with running(shelf=shelf) as system:
        await system.create(pod("a-low", priority=1))
        await system.workload(workload("z-high", 1, priority=9))
    async with running(shelf=shelf, epoch=2) as system:
        await system.create(*nodes(worker("w", 1)))

        assert (await system.where()) == {"a-low": None, "z-high-0": "w"}

"""Topologies that are not kept are counted and told."""

from bayplan.control.collections import WORKLOADS
from bayplan.control.observing import Demand, LoopObserver
from bayplan.control.scheduling.topology_watch import TopologyWatch
from bayplan.control.store import Deletion, Key, Propagation
from bayplan.manifests.marks import WORKER
from unit.control.scheduling.scheduler import nodes, running, virtually, worker, workload


class Counting(LoopObserver):
    def __init__(self):
        self.violations = dict.fromkeys(Demand, 0)

    def topology_violated(self, demand, pods=1):
        self.violations[demand] += pods


def linked(name="a", cards=4, links="nvswitch", **more):
    return worker(name, cards, links=links, **more)


def pair():
    """A workload of two cards that NVLink must join."""
    asked = workload("pair")
    asked["spec"]["gpus"] = {"count": 2, "locality": "nvlink"}
    return asked


async def become(system, described):
    """The worker of a Node is now what this says."""
    (document,) = nodes(described)
    annotation = document["metadata"]["annotations"][WORKER]

    def change(node):
        node["metadata"]["annotations"][WORKER] = annotation
        node["metadata"]["labels"] = document["metadata"].get("labels") or {}
        return node

    await system.patch("Node", described["name"], change)


def watched(system):
    observer = Counting()
    TopologyWatch(system.loop.live, system.cache, system.events, observer)
    return observer


@virtually
async def test_a_lost_link_is_counted_and_told_once():
    async with running(linked()) as system:
        observer = watched(system)
        await system.workload(pair())
        await system.workload(workload("loose", 1, gpus=2))
        await become(system, linked(links="pcie"))
        await become(system, linked(links="pcie", cpu=32))

        assert observer.violations == {Demand.REQUIRED: 1, Demand.PREFERRED: 0}
        assert "TopologyLost" in await system.told("pair-0")
        assert "TopologyLost" not in await system.told("loose-0")


@virtually
async def test_other_changes_of_a_worker_are_no_violation():
    async with running(linked()) as system:
        observer = watched(system)
        await system.workload(pair())
        await become(system, linked(cpu=32))
        await become(system, linked(region="eu"))

        assert observer.violations[Demand.REQUIRED] == 0


@virtually
async def test_a_gang_that_is_no_longer_in_one_rack():
    rack = {"zone": "z", "rack": "r1"}
    async with running(worker("a", 1, **rack), worker("b", 1, **rack)) as system:
        observer = watched(system)
        await system.workload(workload("gang", 2, gang={"within": "rack"}))
        assert set((await system.where()).values()) == {"a", "b"}
        await become(system, worker("a", 1, zone="z", rack="r2"))

        assert observer.violations[Demand.REQUIRED] == 1


@virtually
async def test_an_owner_that_is_gone_is_not_judged():
    async with running(linked()) as system:
        observer = watched(system)
        await system.workload(pair())
        await system.store.delete(Key(WORKLOADS, "default", "pair"), Deletion(Propagation.ORPHAN))
        await system.settle()
        await become(system, linked(links="pcie"))

        assert observer.violations[Demand.REQUIRED] == 0


@virtually
async def test_a_region_that_is_not_preferred_is_counted_when_it_is_taken():
    observer = Counting()
    async with running(worker("a", region="us"), observer=observer) as system:
        await system.workload(workload("picky", 2, preferredRegions=["eu"]))
        await system.workload(workload("content", 2, preferredRegions=["us"]))
        await system.workload(workload("easy", 1))

        assert set((await system.where()).values()) == {"a"}
        assert observer.violations == {Demand.PREFERRED: 2, Demand.REQUIRED: 0}

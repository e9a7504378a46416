from bayplan.control.collections import PODS
from bayplan.signals.discovery.collections import OBJECTIVES
from bayplan.signals.discovery.replicas import ReplicaDiscovery
from unit.control.scheduling.scheduler import virtually
from unit.signals.discovery.pods import discovering, objective, pod


def replica(name="a", *, workload="chat", port=41234, **more):
    return pod(
        name,
        labels={"bayplan.io/workload": workload},
        annotations={"bayplan.io/endpoint": f"http://127.0.0.1:{port}"},
        **more,
    )


@virtually
async def test_replicas_of_the_namespace():
    other = replica("c")
    other["metadata"]["namespace"] = "elsewhere"
    stored = [replica("a"), replica("b", workload="code", port=5), pod("no-port"), other]
    pairs = [(PODS, each) for each in stored]
    async with discovering(ReplicaDiscovery, *pairs, namespaces=["elsewhere"]) as world:
        assert world.endpoints == {"a": "127.0.0.1:41234", "b": "127.0.0.1:5"}


@virtually
async def test_replicas_of_one_workload():
    stored = [replica("a"), replica("b", workload="code")]
    async with discovering(ReplicaDiscovery, *((PODS, each) for each in stored), workload="code") as world:
        assert list(world.endpoints) == ["b"]


@virtually
async def test_a_replica_that_is_restarted_on_another_port_and_goes():
    async with discovering(ReplicaDiscovery, (PODS, replica())) as world:
        await world.change(PODS, "a", metadata=replica(port=7)["metadata"])
        assert world.endpoints == {"a": "127.0.0.1:7"}
        await world.delete(PODS, "a")
        assert world.endpoints == {}


@virtually
async def test_objectives_of_all_pools():
    async with discovering(ReplicaDiscovery, (OBJECTIVES, objective(pool="any"))) as world:
        assert world.router.objectives == {"fast": 1}

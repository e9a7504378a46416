from bayplan.control.collections import PODS
from bayplan.signals.discovery.collections import INFERENCE_POOLS, OBJECTIVES, OLD_INFERENCE_POOLS
from bayplan.signals.discovery.pool import PoolDiscovery
from unit.control.scheduling.scheduler import virtually
from unit.signals.discovery.pods import READY, discovering, objective, pod, pool

CHAT = {"app": "chat"}


def following(*stored, **options):
    return discovering(PoolDiscovery, *stored, pool="chat", **options)


@virtually
async def test_pods_that_the_selector_chooses():
    stored = [(PODS, pod("a", labels=CHAT)), (PODS, pod("b", labels={"app": "other"}))]
    async with following(*stored, (INFERENCE_POOLS, pool())) as world:
        assert world.endpoints == {"a": "10.0.0.1:8000"}


@virtually
async def test_a_pod_comes_becomes_unready_and_goes():
    async with following((INFERENCE_POOLS, pool())) as world:
        await world.create(PODS, pod("a", labels=CHAT, conditions=[]))
        assert not world.router.endpoints["a"].ready
        await world.report(PODS, "a", pod(conditions=READY)["status"])
        assert world.router.endpoints["a"].ready
        await world.delete(PODS, "a")
        assert world.endpoints == {}


@virtually
async def test_a_pod_that_gets_another_label_leaves():
    async with following((INFERENCE_POOLS, pool()), (PODS, pod("a", labels=CHAT))) as world:
        metadata = {"name": "a", "namespace": "default", "labels": {"app": "other"}}
        await world.change(PODS, "a", metadata=metadata)
        assert world.endpoints == {}


@virtually
async def test_a_pool_that_comes_late_changes_and_goes():
    async with following((PODS, pod("a", labels=CHAT))) as world:
        assert world.endpoints == {}
        await world.create(INFERENCE_POOLS, pool())
        assert world.endpoints == {"a": "10.0.0.1:8000"}
        await world.change(INFERENCE_POOLS, "chat", spec=pool(ports=(8000, 8001))["spec"])
        assert world.endpoints == {"a-rank-0": "10.0.0.1:8000", "a-rank-1": "10.0.0.1:8001"}
        await world.delete(INFERENCE_POOLS, "chat")
        assert world.endpoints == {}


@virtually
async def test_a_status_of_the_pool_changes_nothing():
    async with following((INFERENCE_POOLS, pool()), (PODS, pod("a", labels=CHAT))) as world:
        told = len(world.router.told)
        await world.report(INFERENCE_POOLS, "chat", {"parents": []})
        assert len(world.router.told) == told


@virtually
async def test_the_older_form_of_a_pool():
    spec = {"selector": CHAT, "targetPortNumber": 9000}
    old = pool(api="inference.networking.x-k8s.io/v1alpha2") | {"spec": spec}
    async with following((OLD_INFERENCE_POOLS, old), (PODS, pod("a", labels=CHAT))) as world:
        assert world.endpoints == {"a": "10.0.0.1:9000"}


@virtually
async def test_pools_and_pods_of_others():
    other = pod("b", labels=CHAT)
    other["metadata"]["namespace"] = "elsewhere"
    async with following(
        (INFERENCE_POOLS, pool("other")), (PODS, pod("a", labels=CHAT)), (PODS, other), namespaces=["elsewhere"]
    ) as world:
        assert world.endpoints == {}
        await world.create(INFERENCE_POOLS, pool())
        assert list(world.endpoints) == ["a"]


@virtually
async def test_a_selector_without_labels_chooses_all_and_none_chooses_nothing():
    async with following((INFERENCE_POOLS, pool(selector={"matchLabels": {}})), (PODS, pod("a"))) as world:
        assert list(world.endpoints) == ["a"]
        await world.change(INFERENCE_POOLS, "chat", spec=pool(selector={})["spec"])
        assert world.endpoints == {}


@virtually
async def test_objectives_of_the_pool():
    async with following((INFERENCE_POOLS, pool()), (OBJECTIVES, objective("fast", priority=7))) as world:
        await world.create(OBJECTIVES, objective("other", pool="other"))
        assert world.router.objectives == {"fast": 7}

"""Measurements become annotations of Nodes, and maxima."""

import asyncio
import json
import math

import orjson

from bayplan.cluster.workload import DryRun
from bayplan.control.cache import Cache
from bayplan.control.collections import NODES, PODS
from bayplan.control.nodes.bound_pods import BoundPods
from bayplan.control.nodes.heartbeats import Beat, Heartbeats
from bayplan.control.nodes.maxima import KEY, Maxima
from bayplan.control.nodes.profile_text import HOST, STATIC, differs
from bayplan.control.nodes.profiler import MOST_WRITES, Profiler
from bayplan.control.store import Binding, Key
from bayplan.manifests.inventory.described_node import node_document
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.marks import DEVICES, MODEL
from bayplan.manifests.reader import Document
from bayplan.sim.virtual_time import VirtualLoop, run_virtually
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf

A100 = "A100-SXM4-80GB"
CARD0 = "ai.centaurus.io/gpu-0"


class World:
    """A profiler over a store in memory."""

    def __init__(self, loop):
        self.clock = loop.clock
        self.store = EmbeddedStore(MemoryShelf(), clock=self.clock)
        self.heartbeats = Heartbeats(self.clock)

    async def start(self):
        self.cache = Cache(self.store, Profiler.collections)
        pods = BoundPods()
        self.cache.listen(PODS, pods.take)
        self.profiler = Profiler(self.store, self.cache, self.clock, heartbeats=self.heartbeats, pods=pods)
        await self.cache.start()
        self.profiler.start()

    async def stop(self):
        await self.profiler.stop()
        await self.cache.stop()

    async def node(self, name="a", cards=2):
        gpus = {"count": cards, "model": A100, "memory": "80Gi", "pcieGen": 4}
        workers = read_inventory([Document({"workers": [{"name": name, "gpus": gpus}]}, "test")]).cluster.workers
        await self.store.create(NODES, node_document(workers[0], "simulated"))

    async def pod(self, name, index=0, memory=70_000, node="a", image="org/engine:1"):
        card = {"runtime": "cuda", "index": index, "memory_mib": memory}
        document = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "annotations": {MODEL: "org/m"}},
            "spec": {"containers": [{"name": "c", "image": image}]},
        }
        await self.store.create(PODS, document)
        await self.store.bind([Binding("default", name, node, annotations={DEVICES: json.dumps([card])})])
        return document

    def measure(self, name="a", **measured):
        self.heartbeats.beat(name, Beat(measurements=measured))

    async def annotations(self, name="a"):
        document = (await self.store.get(Key(NODES, "", name))).document()
        found = document["metadata"]["annotations"]
        return {key: orjson.loads(text) for key, text in found.items() if key.startswith("ai.centaurus.io/")}

    async def revision(self, name="a"):
        return (await self.store.get(Key(NODES, "", name))).document()["metadata"]["resourceVersion"]


def run(talk):
    async def started():
        world = World(asyncio.get_running_loop())
        async with world.store:
            await world.start()
            try:
                await talk(world)
            finally:
                await world.stop()

    run_virtually(started(), VirtualLoop())


def card(percent, memory=0, **more):
    return {"runtime": "cuda", "index": 0, "gpuPercent": percent, "memoryUsed": memory, **more}


def test_measurements_are_written_as_annotations_that_placement_reads():
    async def talk(world):
        await world.node()
        world.measure(cpuPercent=12.34, gpus=[card(80, 20_000, memoryBandwidthPercent=30, processes=2)])

        await asyncio.sleep(31)

        found = await world.annotations()
        assert found[STATIC] == {"count": 2, "model": A100, "mem_size": "81920Mi", "pcie_gen_width": "4"}
        assert found[CARD0] == {
            "mem_used": "20000Mi",
            "mem_free": "61920Mi",
            "process_cnt": 2,
            "max_gpu_util": 80,
            "max_mem_bw_util": 30,
        }
        assert found[HOST] == {"cpuPercent": 12.3}
        node = (await world.store.get(Key(NODES, "", "a"))).document()
        worker = read_inventory([Document(node, "test")]).cluster.workers[0]
        assert worker.utilization.gpus[0].gpu_percent == 80
        assert worker.gpus[0].observed_used_mib == 20_000

    run(talk)


def test_small_changes_are_not_written():
    async def talk(world):
        await world.node()
        world.measure(gpus=[card(80)])
        await asyncio.sleep(31)
        before = await world.revision()

        for percent in (85, 78, 84):
            world.measure(gpus=[card(percent)])
            await asyncio.sleep(30)
        assert await world.revision() == before
        world.measure(gpus=[card(95)])
        await asyncio.sleep(30)

        assert await world.revision() != before
        assert (await world.annotations())[CARD0]["max_gpu_util"] == 95

    run(talk)


def test_memory_that_a_pod_holds_is_free_again_when_it_is_gone():
    async def talk(world):
        await world.node()
        await world.pod("p", memory=70_000)
        world.measure(gpus=[card(80, 71_000)])

        await asyncio.sleep(31)

        assert (await world.annotations())[CARD0]["mem_used"] == "1000Mi"

    run(talk)


def test_a_card_that_is_no_longer_spoken_of_is_idle():
    async def talk(world):
        await world.node()
        world.measure(gpus=[card(80, 5000)])
        await asyncio.sleep(31)

        world.measure(gpus=[])
        await asyncio.sleep(400)

        assert (await world.annotations())[CARD0] == {
            "mem_used": "0Mi",
            "mem_free": "81920Mi",
            "process_cnt": 0,
            "max_gpu_util": 0,
            "cyclic_pattern": False,
        }

    run(talk)


def test_a_cyclic_use_is_found_in_samples_that_come_together():
    async def talk(world):
        await world.node()
        for beat in range(15):
            seconds = range(beat * 10, beat * 10 + 10)
            samples = [50 + 40 * math.sin(2 * math.pi * second / 20) for second in seconds]
            world.measure(gpus=[card(50, gpuPercents=samples)])
            await asyncio.sleep(10)

        found = (await world.annotations())[CARD0]

        assert (found["cyclic_pattern"], found["period"]) == (True, 20.0)

    run(talk)


def test_annotations_of_others_stay():
    async def talk(world):
        await world.node()
        own = {"ai.centaurus.io/physical-gpu-count": "2", "x": "y"}
        await world.store.patch(
            Key(NODES, "", "a"),
            lambda live: {
                **live,
                "metadata": {**live["metadata"], "annotations": live["metadata"]["annotations"] | own},
            },
        )
        world.measure(gpus=[card(80)])

        await asyncio.sleep(31)

        node = (await world.store.get(Key(NODES, "", "a"))).document()
        assert own.items() <= node["metadata"]["annotations"].items()

    run(talk)


def test_many_nodes_take_turns():
    async def talk(world):
        names = [f"n{number}" for number in range(MOST_WRITES + 50)]
        for name in names:
            await world.node(name, cards=1)
            world.measure(name, gpus=[card(80)])

        await asyncio.sleep(31)
        written = [name for name in names if await world.annotations(name)]
        assert len(written) == MOST_WRITES
        await asyncio.sleep(30)

        assert all([await world.annotations(name) for name in names])

    run(talk)


def test_maxima_are_kept_by_image_model_and_gpu_over_restarts():
    async def talk(world):
        await world.node()
        pod = await world.pod("p")
        for percent, memory in ((60, 30_000), (90, 50_000), (20, 10_000)):
            world.measure(gpus=[card(percent, memory)])
            await asyncio.sleep(31)

        assert world.profiler.maxima.dry_runs(pod) == (DryRun(A100, 90.0, 50_000),)
        again = Maxima(world.store, world.clock)
        await again.load()
        assert again.dry_runs(pod) == (DryRun(A100, 90.0, 50_000),)
        other = {**pod, "spec": {"containers": [{"name": "c", "image": "other"}]}}
        assert again.dry_runs(other) == ()

    run(talk)


def test_a_card_of_several_pods_tells_nothing_about_one_of_them():
    async def talk(world):
        await world.node()
        pod = await world.pod("p")
        await world.pod("q")
        world.measure(gpus=[card(90, 50_000)])

        await asyncio.sleep(31)

        assert world.profiler.maxima.dry_runs(pod) == ()

    run(talk)


def test_what_cannot_be_read_of_the_maxima_is_forgotten():
    async def talk(world):
        data = {"0": "{", "1": '{"image": "i"}', "2": "[]"}
        metadata = {"name": KEY.name, "namespace": KEY.namespace}
        await world.store.create(KEY.collection, {"metadata": metadata, "data": data})
        again = Maxima(world.store, world.clock)

        await again.load()
        again.note(await world.pod("p"), A100, 50.0, 1)
        await again.save()

        assert len((await world.store.get(KEY)).document()["data"]) == 1

    run(talk)


def test_nonsense_is_not_measured():
    async def talk(world):
        await world.node()
        cards = [card("x", -5), {"index": "0"}, 7, card(float("nan"), True)]
        world.measure(cpuPercent="x", gpus=cards)

        await asyncio.sleep(31)

        assert (await world.annotations())[CARD0] == {}

    run(talk)


def test_which_changes_are_worth_a_write():
    old = {CARD0: '{"max_gpu_util":50,"cyclic_pattern":false,"mem_used":"5000Mi"}'}

    assert not differs(old, {CARD0: '{"max_gpu_util":55,"cyclic_pattern":false,"mem_used":"5500Mi"}'})
    assert differs(old, {CARD0: '{"max_gpu_util":50,"cyclic_pattern":true,"mem_used":"5000Mi"}'})
    assert differs(old, {CARD0: '{"max_gpu_util":50,"cyclic_pattern":false,"mem_used":"7000Mi"}'})
    assert differs(old, {})
    assert differs({CARD0: "{'max_gpu_util': 50}"}, {CARD0: '{"max_gpu_util":50}'})

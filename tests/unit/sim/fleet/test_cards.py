import orjson

from bayplan.control.collections import NODES
from bayplan.control.store import Key
from bayplan.manifests.marks import MIG_WANTED, WORKER
from bayplan.sim.fleet.pace import Pace
from unit.sim.fleet.simulation import pod, simulated, virtually

EVEN = Pace(start_s=1.0, mig_s=5.0, jitter=0.0)
CARD = {"model": "A100-SXM4-40GB", "memory": "40Gi", "mig": {"enabled": True, "reconfigurable": True, "slices": []}}


def _worker(*slices):
    gpu = {**CARD, "index": 0, "mig": {**CARD["mig"], "slices": list(slices)}}
    return {"name": "a", "cpu": 64, "ram": "512Gi", "gpus": [gpu]}


def _slices(node):
    worker = orjson.loads(node["metadata"]["annotations"][WORKER])
    return [(each["profile"], each.get("start")) for each in worker["gpus"][0]["mig"]["slices"]]


def _mig_pod(name, profile):
    made = pod(name, 0)
    made["spec"]["containers"][0]["resources"] = {"limits": {f"nvidia.com/mig-{profile}": "1"}}
    return made


@virtually
async def test_a_pod_that_wants_a_slice_gets_it_cut_from_an_idle_card():
    async with simulated(_worker(), pace=EVEN) as system:
        await system.create(_mig_pod("small", "1g.5gb"))
        await system.after(4)
        assert (await system.pod("small"))["spec"].get("nodeName") is None

        await system.after(6)

        node = await system.node("a")
        assert (await system.pod("small"))["spec"]["nodeName"] == "a"
        assert [profile for profile, _ in _slices(node)] == ["1g.5gb"]
        assert MIG_WANTED not in node["metadata"]["annotations"]


@virtually
async def test_an_instance_in_use_is_not_removed():
    async with simulated(_worker({"profile": "1g.5gb", "start": 0}), pace=EVEN) as system:
        await system.create(_mig_pod("small", "1g.5gb"))
        await system.after(5)
        wanted = [
            {"worker": "a", "runtime": "cuda", "index": 0, "enable": False,
             "remove": [{"profile": "1g.5gb", "start": 0}], "create": [{"profile": "7g.40gb", "start": 0}]}
        ]  # fmt: skip
        text = orjson.dumps(wanted).decode()

        def want(live):
            live["metadata"]["annotations"][MIG_WANTED] = text
            return live

        await system.store.patch(Key(NODES, "", "a"), want)
        await system.after(20)

        node = await system.node("a")
        assert _slices(node) == [("1g.5gb", 0)]
        assert MIG_WANTED not in node["metadata"]["annotations"]


@virtually
async def test_decisions_at_the_same_time_get_all_the_slices_that_they_want():
    async with simulated(_worker(), pace=EVEN) as system:
        await system.create(*(_mig_pod(f"small-{number}", "1g.5gb") for number in range(5)))
        await system.after(15)

        assert set((await system.ready()).values()) == {"a"}
        assert len(await system.ready()) == 5

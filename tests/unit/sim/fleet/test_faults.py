import pytest

from bayplan.control.nodes.settings import NodeSettings
from bayplan.sim.fleet.marks import FAULT, LOADING
from bayplan.sim.fleet.pace import Pace
from bayplan.sim.fleet.scenario import Do, Event, Fault, Rate
from unit.sim.fleet.simulation import is_ready, nodes, pod, simulated, virtually, worker, workload

EVEN = Pace(start_s=1.0, jitter=0.0)
QUICK = NodeSettings(silence_s=40.0, eviction_s=60.0)


def at(seconds, do, target="*", **more):
    return Event(seconds, Fault(do, target, **more))


@virtually
async def test_replicas_of_a_worker_that_fails_move_and_it_takes_work_again_when_it_is_back():
    events = (at(30, Do.FAIL, "a", lasts_s=600),)
    async with simulated(worker("a", 4), pace=EVEN, events=events, settings=QUICK) as system:
        await system.create(workload("chat", 4))
        await system.after(20)
        await system.create(*nodes(worker("b", 4)))
        assert set((await system.ready()).values()) == {"a"}

        await system.after(60)
        assert not is_ready(await system.node("a"))
        assert (await system.ready()) == {}

        await system.after(120)
        assert sorted((await system.ready()).values()) == ["b"] * 4

        await system.after(600)
        assert is_ready(await system.node("a"))
        await system.create(workload("more", 4))
        await system.after(20)
        assert sorted((await system.ready()).values()) == ["a"] * 4 + ["b"] * 4


@virtually
async def test_a_machine_that_is_back_before_its_pods_move_starts_them_again():
    events = (at(30, Do.FAIL, "a", lasts_s=60),)
    async with simulated(worker("a"), worker("b", 0), pace=EVEN, events=events) as system:
        await system.create(pod("chat"))
        await system.after(85)
        assert not is_ready(await system.pod("chat"))

        await system.after(15)

        back = await system.pod("chat")
        assert is_ready(back)
        assert back["status"]["containerStatuses"][0]["restartCount"] == 1
        assert back["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 137


@virtually
async def test_replicas_behind_a_cut_network_go_on():
    events = (at(30, Do.CUT, "a", lasts_s=90),)
    async with simulated(worker("a"), worker("b", 0), pace=EVEN, events=events) as system:
        await system.create(pod("chat"))
        await system.after(100)
        assert not is_ready(await system.node("a"))

        await system.after(30)

        back = await system.pod("chat")
        assert is_ready(back)
        assert back["status"]["containerStatuses"][0]["restartCount"] == 0


@virtually
async def test_a_worker_that_flaps_faster_than_it_is_missed_keeps_its_pods():
    events = (at(30, Do.FLAP, "a", lasts_s=600, period_s=40),)
    async with simulated(worker("a"), worker("b"), pace=EVEN, events=events) as system:
        await system.create(pod("chat"))
        await system.after(20)
        where = await system.ready()
        for _ in range(60):
            await system.after(10)
            assert is_ready(await system.node("a"))

        assert (await system.ready()) == where


@virtually
async def test_a_card_that_breaks_ends_what_holds_it_and_gets_nothing_new():
    events = (at(30, Do.BREAK_CARD, "a", card=0, lasts_s=300),)
    async with simulated(worker("a", 2), pace=EVEN, events=events) as system:
        await system.create(workload("chat", 2))
        await system.after(60)
        assert len(await system.ready()) == 1
        failed = [each for each in (await system.pods()).values() if each["status"]["phase"] == "Failed"]
        assert all(each["status"]["reason"] == "DeviceUnhealthy" for each in failed)

        await system.after(300)

        assert len(await system.ready()) == 2


@virtually
async def test_a_spot_machine_is_emptied_before_it_goes_and_takes_work_when_it_is_back():
    events = (at(30, Do.RECLAIM, "spot", notice_s=60, lasts_s=300),)
    async with simulated(worker("spot", 2), worker("steady", 2), pace=EVEN, events=events, settings=QUICK) as system:
        await system.create(pod("chat", nodeSelector={"kubernetes.io/hostname": "spot"}), workload("other", 1))
        await system.after(25)
        assert "chat" in await system.ready()

        await system.after(20)
        assert set((await system.ready()).values()) == {"steady"}
        assert [each["key"] for each in (await system.node("spot"))["spec"]["taints"]] == ["bayplan.io/reclaimed"]

        await system.after(120)
        assert not is_ready(await system.node("spot"))

        await system.after(300)
        node = await system.node("spot")
        assert is_ready(node)
        assert "taints" not in node["spec"]


@virtually
async def test_a_replica_that_crashes_is_started_again_after_the_pauses_of_a_kubelet():
    events = (at(30, Do.CRASH, "default/chat", lasts_s=100),)
    async with simulated(worker("a"), pace=EVEN, events=events) as system:
        await system.create(pod("chat"), pod("other"))
        await system.after(35)
        (container,) = (await system.pod("chat"))["status"]["containerStatuses"]
        assert container["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        assert "other" in await system.ready()

        await system.after(200)

        back = await system.pod("chat")
        assert is_ready(back)
        assert back["status"]["containerStatuses"][0]["restartCount"] == 4  # after 10, 20, 40 and 80 s


@virtually
async def test_a_pod_that_is_not_restarted_fails_when_it_crashes():
    async with simulated(worker("a"), pace=EVEN, events=(at(30, Do.CRASH, "batch"),)) as system:
        await system.create(pod("batch", restartPolicy="Never"))
        await system.after(35)

        assert (await system.phases()) == {"batch": "Failed"}


@virtually
async def test_a_replica_that_hangs_loads_until_the_fault_is_over():
    events = (at(0, Do.HANG, "stuck*", lasts_s=100),)
    async with simulated(worker("a"), pace=EVEN, events=events) as system:
        await system.create(pod("stuck"), pod("other"))
        await system.after(90)
        assert set(await system.ready()) == {"other"}
        assert (await system.phases()) == {"stuck": "Running", "other": "Running"}

        await system.after(20)

        assert set(await system.ready()) == {"other", "stuck"}


@virtually
async def test_a_slow_worker_loads_longer():
    events = (at(0, Do.SLOW, "a", factor=5.0),)
    async with simulated(worker("a"), pace=EVEN, events=events) as system:
        await system.after(1)
        await system.create(pod("chat", annotations={LOADING: "10s"}))
        await system.after(50)
        assert (await system.ready()) == {}
        await system.after(10)
        assert set(await system.ready()) == {"chat"}


@virtually
async def test_recover_ends_every_fault_of_a_worker():
    events = (at(10, Do.FAIL, "a"), at(20, Do.CUT, "a"), at(30, Do.SLOW, "a"), at(100, Do.RECOVER, "a"))
    async with simulated(worker("a"), worker("b", 0), pace=EVEN, events=events) as system:
        await system.create(pod("chat"))
        await system.after(95)
        assert not is_ready(await system.node("a"))
        await system.after(10)
        assert set(await system.ready()) == {"chat"}


@virtually
async def test_an_annotation_of_a_node_lets_its_machine_fail_for_as_long_as_it_is_there():
    async with simulated(worker("a"), worker("b", 0), pace=EVEN) as system:
        await system.create(pod("chat"))
        await system.after(10)
        await system.annotate("a", {FAULT: "fail"})
        await system.after(60)
        assert not is_ready(await system.node("a"))

        await system.annotate("a", {FAULT: "slow"})
        await system.after(30)
        assert set(await system.ready()) == {"chat"}
        assert system.fleet.workers["a"].slowness == 2.0

        await system.annotate("a", {FAULT: None})
        await system.after(1)
        assert system.fleet.workers["a"].slowness == 1.0


@virtually
async def test_a_fault_that_is_not_known_is_told_and_does_nothing():
    async with simulated(worker("a"), pace=EVEN) as system:
        await system.annotate("a", {FAULT: "explode"})
        await system.after(60)

        assert is_ready(await system.node("a"))
        assert "UnknownFault" in await system.told("a")


def _history(seed):
    """When which worker was down, in a scenario by chance."""
    seen = []

    @virtually
    async def scenario():
        rates = (Rate(6.0, Fault(Do.FAIL, "w-*", lasts_s=60)), Rate(2.0, Fault(Do.CRASH, "*")))
        async with simulated(worker("w", 4, count=10), pace=EVEN, rates=rates, seed=seed) as system:
            await system.create(workload("chat", 20))
            for _ in range(60):
                await system.after(60)
                seen.append(tuple(name for name, each in system.fleet.workers.items() if not each.lives))
            seen.append(sorted((await system.ready()).items()))
            assert system.fleet.faults.happened > 30

    scenario()
    return seen


def test_chance_repeats_with_its_seed_and_differs_without():
    assert _history(1) == _history(1)
    assert _history(1) != _history(2)


@pytest.mark.parametrize("overlap", [Do.FAIL, Do.CUT])
def test_faults_that_overlap_end_with_the_last_one(overlap):
    @virtually
    async def scenario():
        events = (at(10, overlap, "a", lasts_s=100), at(50, overlap, "a", lasts_s=20))
        async with simulated(worker("a"), pace=EVEN, events=events) as system:
            await system.after(90)
            assert not system.fleet.workers["a"].acts
            await system.after(30)
            assert system.fleet.workers["a"].acts

    scenario()

"""The node loop in virtual time."""

import asyncio

import pytest

from bayplan.control.collections import NODES, PODS
from bayplan.control.nodes.heartbeats import Beat
from bayplan.control.nodes.lifecycle import EVICTIONS_STOPPED
from bayplan.control.nodes.settings import NodeSettings
from bayplan.control.nodes.taints import NOT_READY, UNREACHABLE
from bayplan.control.store import Key
from unit.control.nodes.fleet import run


def test_a_worker_that_beats_stays_ready_without_a_write():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.wait(60)
        before = await fleet.get(NODES, "a")

        await fleet.wait(3600)

        assert before["metadata"]["resourceVersion"] == (await fleet.get(NODES, "a"))["metadata"]["resourceVersion"]
        assert await fleet.ready("a") == "True"

    run(talk)


def test_a_silent_worker_is_unknown_and_tainted_and_its_pods_get_no_requests():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.node("b")
        await fleet.pod("p", "a")
        await fleet.wait(20)
        fleet.silence("a")

        await fleet.wait(60)

        assert await fleet.ready("a") == "Unknown"
        assert await fleet.taints("a") == [UNREACHABLE, UNREACHABLE]
        assert await fleet.ready("b") == "True"
        pod_ready = await fleet.condition("p", collection=PODS)
        assert (pod_ready["status"], pod_ready["reason"]) == ("False", "NodeNotReady")
        assert await fleet.told("WorkerSilent") == ["a"]

    run(talk)


def test_silence_costs_one_write_of_the_status_and_one_of_the_taints():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.node("b")
        await fleet.wait(20)
        generation = (await fleet.get(NODES, "a"))["metadata"].get("generation", 0)
        revision = fleet.store._shelf.revision()
        fleet.silence("a")

        await fleet.wait(250)
        await fleet.events.settled()

        written = fleet.store._shelf.revision() - revision
        assert written == 3  # status, taints, and the event
        assert (await fleet.get(NODES, "a"))["metadata"].get("generation", 0) == generation + 1

    run(talk)


def test_pods_of_a_silent_worker_are_evicted_and_then_finished():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.node("b")
        await fleet.pod("p", "a", terminationGracePeriodSeconds=30)
        await fleet.pod("q", "b")
        await fleet.wait(20)
        fleet.silence("a")

        await fleet.wait(300)
        assert await fleet.pods() == ["p", "q"]
        await fleet.wait(60)
        assert await fleet.pods() == ["p-", "q"]
        await fleet.wait(60)

        assert await fleet.pods() == ["q"]
        assert await fleet.told("Evicted") == ["p"]

    run(talk)


def test_a_worker_that_is_heard_again_is_ready_without_taints_and_keeps_its_pods():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.node("b")
        await fleet.pod("p", "a")
        await fleet.wait(20)
        fleet.silence("a")
        await fleet.wait(200)

        fleet.beat("a")
        await fleet.wait(1000)

        assert await fleet.ready("a") == "True"
        assert await fleet.taints("a") == []
        assert await fleet.pods() == ["p"]

    run(talk)


def test_taints_of_users_stay():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.node("b")
        own = {"key": "team", "value": "x", "effect": "NoSchedule"}
        await fleet.store.patch(Key(NODES, "", "a"), lambda live: {**live, "spec": {"taints": [own]}})
        await fleet.wait(20)
        fleet.silence("a")
        await fleet.wait(100)
        assert await fleet.taints("a") == ["team", UNREACHABLE, UNREACHABLE]

        fleet.beat("a")
        await fleet.wait(20)

        assert (await fleet.get(NODES, "a"))["spec"]["taints"] == [own]

    run(talk)


def test_a_worker_that_says_goodbye_is_not_ready_at_once():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.wait(20)
        fleet.silence("a")

        fleet.heartbeats.beat("a", Beat(id="a", leaving=True))
        await fleet.wait(0)

        assert await fleet.ready("a") == "False"
        assert await fleet.taints("a") == [NOT_READY, NOT_READY]

    run(talk)


TOLERATIONS = {
    "none": ([], 300),
    "a shorter time": (
        [{"key": UNREACHABLE, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}],
        60,
    ),
    "for ever": ([{"operator": "Exists"}], None),
}


@pytest.mark.parametrize(("tolerations", "stays_s"), TOLERATIONS.values(), ids=TOLERATIONS)
def test_pods_stay_as_long_as_they_tolerate(tolerations, stays_s):
    async def talk(fleet):
        await fleet.node("a")
        await fleet.node("b")
        await fleet.pod("p", "a", tolerations=tolerations)
        await fleet.wait(20)
        fleet.silence("a")
        await fleet.wait(50)  # it is Unknown by now
        assert await fleet.ready("a") == "Unknown"

        await fleet.wait((stays_s or 100_000) - 20)
        assert await fleet.pods() == ["p"]
        await fleet.wait(60)

        assert await fleet.pods() == ([] if stays_s else ["p"])

    run(talk)


def test_a_mass_outage_stops_evictions_and_says_so():
    async def talk(fleet):
        names = [f"n{number}" for number in range(10)]
        for name in names:
            await fleet.node(name)
            await fleet.pod(f"p-{name}", name)
        await fleet.wait(20)
        fleet.silence(*names[:6])

        await fleet.wait(2_000)

        assert len(await fleet.pods()) == 10
        assert await fleet.told("MassOutage") == ["kube-system"]
        assert (await fleet.condition("n0", EVICTIONS_STOPPED))["status"] == "True"
        assert await fleet.condition("n9", EVICTIONS_STOPPED) is None

    run(talk)


def test_after_a_mass_outage_the_time_begins_anew():
    async def talk(fleet):
        names = [f"n{number}" for number in range(10)]
        for name in names:
            await fleet.node(name)
        await fleet.pod("p", "n0")
        await fleet.wait(20)
        fleet.silence(*names[:6])
        await fleet.wait(2_000)

        for name in names[1:6]:
            fleet.beat(name)
        await fleet.wait(250)
        assert await fleet.pods() == ["p"]
        assert await fleet.told("MassOutageOver") == ["kube-system"]
        assert await fleet.condition("n0", EVICTIONS_STOPPED) is None
        await fleet.wait(100)

        assert await fleet.pods() == []

    run(talk)


def test_after_a_restart_of_the_control_plane_workers_have_the_whole_time_again():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.node("b")
        await fleet.pod("p", "a")
        await fleet.wait(20)
        fleet.silence("a", "b")
        await fleet.halt()
        await asyncio.sleep(10_000)

        await fleet.boot()
        await fleet.wait(30)
        assert [await fleet.ready(each) for each in "ab"] == ["True", "True"]
        fleet.beat("b")
        await fleet.wait(30)

        assert [await fleet.ready(each) for each in "ab"] == ["Unknown", "True"]

    run(talk)


def test_pods_of_a_removed_node_are_deleted():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.pod("p", "a")
        await fleet.wait(20)

        fleet.silence("a")
        await fleet.store.delete(Key(NODES, "", "a"))
        await fleet.wait(1)

        assert await fleet.pods() == []
        assert await fleet.told("NodeRemoved") == ["p"]

    run(talk)


def test_pods_without_a_node_are_deleted_unless_it_appears_in_time():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.pod("p", "a")
        await fleet.wait(1)
        await fleet.halt()
        fleet.silence("a")
        await fleet.store.delete(Key(NODES, "", "a"))

        await fleet.boot()
        await fleet.wait(30)
        assert await fleet.pods() == ["p"]
        await fleet.wait(30)

        assert await fleet.pods() == []

    run(talk)


def test_deletions_on_nodes_without_a_runtime_are_finished():
    async def talk(fleet):
        await fleet.node("a", runtime="none")
        await fleet.pod("p", "a")
        await fleet.pod("q", "a")
        await fleet.wait(1)

        await fleet.delete("p")
        await fleet.wait(1)

        assert await fleet.pods() == ["q"]

    run(talk)


def test_deletions_on_living_workers_are_left_to_them():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.pod("p", "a")
        await fleet.wait(1)

        await fleet.delete("p")
        await fleet.wait(2_000)

        assert await fleet.pods() == ["p-"]

    run(talk)


def test_nodes_without_a_runtime_need_no_heartbeat():
    async def talk(fleet):
        await fleet.node("a", runtime="none")

        await fleet.wait(100_000)

        assert await fleet.ready("a") == "True"

    run(talk)


def test_times_can_be_set():
    async def talk(fleet):
        await fleet.node("a")
        await fleet.node("b")
        await fleet.pod("p", "a", terminationGracePeriodSeconds=1)
        await fleet.wait(20)
        fleet.silence("a")

        await fleet.wait(35)

        assert await fleet.pods() == []

    run(talk, NodeSettings(silence_s=15, eviction_s=10, sweep_s=1))

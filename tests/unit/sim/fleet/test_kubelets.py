import pytest

from bayplan.control.store_errors import NotFoundError
from bayplan.sim.fleet.marks import DURATION, LOADING
from bayplan.sim.fleet.pace import Pace
from bayplan.stores.memory import MemoryShelf
from unit.sim.fleet.simulation import is_ready, nodes, pod, simulated, virtually, worker, workload

EVEN = Pace(start_s=1.0, jitter=0.0)


@virtually
async def test_a_bound_pod_runs_loads_and_becomes_ready_as_a_kubelet_writes_it():
    async with simulated(worker("a"), pace=EVEN) as system:
        await system.create(pod("chat", annotations={LOADING: "10s"}))
        await system.after(0.5)
        assert (await system.phases()) == {"chat": "Pending"}

        await system.after(1.0)
        loading = await system.pod("chat")
        assert loading["status"]["phase"] == "Running"
        assert not is_ready(loading)

        await system.after(10.0)
        status = (await system.pod("chat"))["status"]
        (container,) = status["containerStatuses"]
        assert {each["type"]: each["status"] for each in status["conditions"]} == {
            "PodScheduled": "True", "Initialized": "True", "ContainersReady": "True", "Ready": "True",
        }  # fmt: skip
        assert (container["ready"], container["started"], list(container["state"])) == (True, True, ["running"])
        assert status["podIP"] == status["podIPs"][0]["ip"]
        assert status["startTime"].startswith("2026-01-01T00:00:0")


@virtually
async def test_replicas_of_a_workload_become_ready_and_its_status_says_so():
    async with simulated(worker("a"), worker("b"), pace=EVEN) as system:
        await system.create(workload("chat", 12))
        await system.after(5)

        assert len(await system.ready()) == 12


@virtually
async def test_a_pod_that_is_deleted_is_stopped_within_its_grace_and_gone():
    async with simulated(worker("a"), pace=Pace(start_s=1, stop_s=5, jitter=0)) as system:
        await system.create(pod("chat"))
        await system.after(3)
        await system.delete("chat")
        await system.after(4)
        assert "deletionTimestamp" in (await system.pod("chat"))["metadata"]

        await system.after(2)

        with pytest.raises(NotFoundError):
            await system.pod("chat")


ENDS = {
    "its annotation says when":       ({DURATION: "20s"}, {},                              "Succeeded"),
    "the usual time":                 ({},                {},                              "Succeeded"),
    "a little before its deadline":   ({},                {"activeDeadlineSeconds": 20},   "Succeeded"),
    "its work is longer than it may": ({DURATION: "1h"},  {"activeDeadlineSeconds": 20},   "Failed"),
}  # fmt: skip


@pytest.mark.parametrize(("annotations", "spec", "phase"), ENDS.values(), ids=ENDS)
def test_work_with_an_end_ends(annotations, spec, phase):
    @virtually
    async def scenario():
        async with simulated(worker("a"), pace=Pace(job_s=25, jitter=0)) as system:
            await system.create(pod("batch", annotations=annotations, restartPolicy="Never", **spec))
            await system.after(15)
            assert (await system.phases()) == {"batch": "Running"}
            await system.after(15)
            assert (await system.phases()) == {"batch": phase}

    scenario()


@virtually
async def test_the_deletion_of_a_pod_that_ended_before_a_restart_is_finished():
    shelf = MemoryShelf()
    async with simulated(worker("a"), shelf=shelf, pace=Pace(start_s=1, stop_s=20, jitter=0)) as system:
        await system.create(pod("batch", annotations={DURATION: "5s"}, restartPolicy="Never"))
        await system.after(4)
        await system.delete("batch")
        await system.after(5)
        assert (await system.phases()) == {"batch": "Succeeded"}

    async with simulated(shelf=shelf, pace=EVEN) as system:
        await system.after(1)

        assert (await system.pods()) == {}


@virtually
async def test_what_ran_before_a_restart_goes_on():
    shelf = MemoryShelf()
    async with simulated(worker("a"), shelf=shelf, pace=EVEN) as system:
        await system.create(pod("chat"), pod("slow", annotations={LOADING: "30s"}))
        await system.after(5)
        before = await system.pods()

    async with simulated(shelf=shelf, pace=EVEN) as system:
        await system.after(5)
        assert (await system.pod("chat"))["status"] == before["chat"]["status"]
        assert set(await system.ready()) == {"chat"}
        await system.after(30)
        assert set(await system.ready()) == {"chat", "slow"}


@virtually
async def test_nodes_of_other_runtimes_are_left_alone():
    async with simulated(pace=EVEN) as system:
        await system.create(*nodes(worker("declared"), runtime="none"))
        await system.create(pod("chat"))
        await system.after(30)

        assert (await system.pod("chat"))["spec"]["nodeName"] == "declared"
        assert (await system.phases()) == {"chat": "Pending"}

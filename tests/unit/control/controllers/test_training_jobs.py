"""Training jobs: workers, launchers, and their ends."""

import pytest

from bayplan.control.collections import ELASTIC_HOROVOD_JOBS, HOROVOD_JOBS, PODS, UNIFIED_JOBS
from bayplan.manifests.marks import ROLE, WORKLOAD
from unit.control.controllers.lab import condition, lab, named, run

API = "ai.centauruscloud.io/v1alpha1"
LAUNCHER = {"image": "horovod", "pythonCommand": ["python", "train.py"]}


def elastic(launcher=LAUNCHER, **workers):
    spec = {"launcherSpec": launcher, "workersSpec": {"image": "horovod", **workers}}
    return {"apiVersion": API, "kind": "ElasticHorovodJob", "metadata": {"name": "fit"}, "spec": spec}


def horovod(replicas):
    spec = {"launcherSpec": LAUNCHER, "workersSpec": {"image": "horovod", "replicas": replicas}}
    return {"apiVersion": API, "kind": "HorovodJob", "metadata": {"name": "fit"}, "spec": spec}


def unified(kind="EHJob", **replicas):
    spec = {"jobSpec": {"image": "train", "unifiedArgs": ["--fast", 1]}, "replicaSpec": replicas}
    return {"apiVersion": API, "kind": "UnifiedJob", "metadata": {"name": "fit"}, "jobType": kind, "spec": spec}


def role(pod):
    return pod["metadata"]["labels"].get(ROLE, "")


WORKERS = {
    "an elastic job without a target has its most": (elastic(minReplicas=1, maxReplicas=4), 4),
    "an elastic job with a target": (elastic(minReplicas=1, maxReplicas=4, targetReplicas=2), 2),
    "a job with a fixed number": (horovod(3), 3),
    "a unified job": (unified(minReplicas=1, maxReplicas=3), 3),
    "a unified job with targets": (unified(minReplicas=1, maxReplicas=3, targetReplicas={"w1": 1, "w2": 1}), 2),
    "a job on one worker is one Pod": (unified("BaseJob", minReplicas=2, maxReplicas=4), 1),
}  # fmt: skip


@pytest.mark.parametrize(("document", "count"), WORKERS.values(), ids=WORKERS)
def test_how_many_workers_are_made(document, count):
    async def scenario():
        async with lab() as it:
            await it.apply(document)
            await it.settle()
            return await it.pods()

    pods = run(scenario())

    assert len(pods) == count
    assert {pod["metadata"]["labels"][WORKLOAD] for pod in pods} == {"fit"}
    assert {role(pod) for pod in pods} == {""}


def test_the_launcher_comes_once_all_workers_are_ready():
    async def scenario():
        async with lab() as it:
            await it.apply(elastic(minReplicas=1, maxReplicas=2))
            await it.settle()
            first = (await it.pods())[0]
            await it.bind(first)
            await it.become(first)
            await it.settle()
            half = await it.pods()
            await it.run_all()
            return half, await it.pods(), await it.get(ELASTIC_HOROVOD_JOBS, "fit")

    half, pods, after = run(scenario())

    assert {role(pod) for pod in half} == {""}
    (launcher,) = [pod for pod in pods if role(pod)]
    assert role(launcher) == "launcher"
    assert WORKLOAD not in launcher["metadata"]["labels"]
    assert launcher["spec"]["containers"][0]["command"] == ["python", "train.py"]
    assert launcher["spec"]["restartPolicy"] == "Never"
    assert after["status"]["availableReplicas"] == 2
    assert after["status"]["launcher"] == f"pod/{named(launcher)}"
    assert after["status"]["workers"] == f"pods {WORKLOAD}=fit"
    assert condition(after, "Running")["status"] == "True"


def test_the_end_of_the_launcher_is_the_end_of_the_job():
    async def scenario():
        async with lab() as it:
            await it.apply(horovod(2))
            await it.settle()
            await it.run_all()
            (launcher,) = [pod for pod in await it.pods() if role(pod)]
            await it.bind(launcher)
            await it.become(launcher, phase="Succeeded", ready=False)
            await it.settle()
            await it.finish_leaving()
            await it.settle(60)
            return await it.list(PODS), await it.get(HOROVOD_JOBS, "fit")

    pods, after = run(scenario())

    assert [(role(pod), pod["status"]["phase"]) for pod in pods] == [("launcher", "Succeeded")]
    assert condition(after, "Complete")["status"] == "True"
    assert condition(after, "Running") is None
    assert after["status"]["availableReplicas"] == 0


def test_a_launcher_that_fails_twice_fails_the_job():
    async def scenario():
        async with lab() as it:
            await it.apply(horovod(1))
            await it.settle()
            await it.run_all()
            seen = []
            for _ in range(2):
                (launcher,) = [pod for pod in await it.pods() if role(pod)]
                seen.append(named(launcher))
                await it.become(launcher, phase="Failed", ready=False, message="exit code 1")
                await it.settle(5)
            await it.finish_leaving()
            await it.settle(600)
            return seen, await it.pods(), await it.get(HOROVOD_JOBS, "fit")

    seen, alive, after = run(scenario())

    assert len(set(seen)) == 2
    assert alive == []
    assert condition(after, "Failed")["reason"] == "BackoffLimitExceeded"
    assert "exit code 1" in condition(after, "Failed")["message"]


def test_a_worker_that_fails_is_replaced():
    async def scenario():
        async with lab() as it:
            await it.apply(elastic(minReplicas=1, maxReplicas=2))
            await it.settle()
            await it.run_all()
            worker = next(pod for pod in await it.pods() if not role(pod))
            await it.become(worker, phase="Failed", ready=False)
            await it.settle(5)
            return [role(pod) for pod in await it.pods()]

    assert sorted(run(scenario())) == ["", "", "launcher"]


def test_a_job_without_a_launcher_ends_with_its_workers():
    async def scenario():
        async with lab() as it:
            await it.apply(unified(minReplicas=2, maxReplicas=2))
            await it.settle()
            stages = [(await it.get(UNIFIED_JOBS, "fit"))["status"]["jobStatus"]]
            for pod in await it.pods():
                await it.bind(pod)
            await it.settle()
            stages.append((await it.get(UNIFIED_JOBS, "fit"))["status"]["jobStatus"])
            await it.run_all()
            stages.append((await it.get(UNIFIED_JOBS, "fit"))["status"]["jobStatus"])
            pods = await it.pods()
            for pod in pods:
                await it.become(pod, phase="Succeeded", ready=False)
                await it.settle()
                stages.append((await it.get(UNIFIED_JOBS, "fit"))["status"]["jobStatus"])
            await it.settle(60)
            return stages, pods, await it.list(PODS)

    stages, before, after = run(scenario())

    assert stages == ["Waiting", "Pending", "Running", "Running", "Complete"]
    assert {named(pod) for pod in before} == {named(pod) for pod in after}
    assert before[0]["spec"]["containers"][0]["args"] == ["--fast", "1"]


def test_another_target_changes_the_number_of_workers():
    async def scenario():
        async with lab() as it:
            seen = []
            for target in (2, 4, 1):
                await it.apply(elastic(minReplicas=1, maxReplicas=4, targetReplicas=target))
                await it.settle()
                seen.append(len(await it.pods()))
            return seen

    assert run(scenario()) == [2, 4, 1]


def test_workers_without_a_place_are_told_with_the_reason():
    async def scenario():
        async with lab() as it:
            await it.apply(elastic(minReplicas=2, maxReplicas=2))
            await it.settle()
            for pod in await it.pods():
                await it.refuse(pod, "Unschedulable", "gpu-count-short: 1 of 2 GPUs is free")
            await it.settle()
            return await it.get(ELASTIC_HOROVOD_JOBS, "fit")

    after = run(scenario())

    assert condition(after, "Scheduled")["reason"] == "Unschedulable"
    assert "gpu-count-short" in condition(after, "Scheduled")["message"]
    assert condition(after, "Running")["reason"] == "Waiting"

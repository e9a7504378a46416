"""Jobs: how many Pods run, when they are over, and what is left of them."""

import pytest

from bayplan.control.collections import JOBS, PODS
from unit.control.controllers.lab import condition, lab, named, of_template, run


def job(**spec):
    return of_template("Job", "train", api="batch/v1", **spec)


async def end(it, phase, count=1):
    """Some running Pods end."""
    for pod in (await it.pods())[:count]:
        await it.bind(pod)
        await it.become(pod, phase=phase, ready=False)
    await it.settle()


def phases(pods):
    return sorted(pod["status"]["phase"] for pod in pods)


def test_one_pod_that_succeeds():
    async def scenario():
        async with lab() as it:
            await it.apply(job())
            await it.settle()
            before, pods = await it.get(JOBS, "train"), await it.pods()
            await end(it, "Succeeded")
            await it.settle(60)
            return before, pods, await it.get(JOBS, "train"), await it.list(PODS)

    before, (pod,), after, left = run(scenario())

    assert pod["metadata"]["labels"]["batch.kubernetes.io/job-name"] == "train"
    assert pod["metadata"]["labels"]["controller-uid"] == before["metadata"]["uid"]
    uid = before["metadata"]["uid"]
    assert before["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert pod["metadata"]["labels"]["batch.kubernetes.io/controller-uid"] == uid
    assert before["status"]["active"] == 1
    assert after["status"]["succeeded"] == 1
    assert "active" not in after["status"]
    assert after["status"]["startTime"] <= after["status"]["completionTime"]
    assert condition(after, "Complete")["status"] == "True"
    assert phases(left) == ["Succeeded"]


def test_completions_some_at_a_time():
    async def scenario():
        async with lab() as it:
            await it.apply(job(completions=5, parallelism=2))
            seen = []
            for _ in range(5):
                await it.settle()
                seen.append(len(await it.pods()))
                await end(it, "Succeeded")
            return seen, await it.list(PODS), await it.get(JOBS, "train")

    seen, pods, after = run(scenario())

    assert seen == [2, 2, 2, 2, 1]
    assert phases(pods) == ["Succeeded"] * 5
    assert condition(after, "Complete")["reason"] == "CompletionsReached"


def test_a_queue_is_done_when_one_has_succeeded_and_none_runs():
    async def scenario():
        async with lab() as it:
            await it.apply(job(parallelism=3))
            await it.settle()
            await end(it, "Succeeded")
            during = await it.pods(), await it.get(JOBS, "train")
            await end(it, "Succeeded", 2)
            return during, await it.get(JOBS, "train"), await it.list(PODS)

    (running, during), after, pods = run(scenario())

    assert len(running) == 2
    assert condition(during, "Complete") is None
    assert condition(after, "Complete")["status"] == "True"
    assert len(pods) == 3


def test_failures_are_tried_again_later_until_the_limit():
    async def scenario():
        async with lab() as it:
            await it.apply(job(backoffLimit=2))
            await it.settle()
            for pause in (12, 25, 0):
                await end(it, "Failed")
                at_once = len(await it.pods())
                await it.settle(pause)
                assert at_once == 0
            await it.settle(1000)
            return await it.get(JOBS, "train"), await it.list(PODS)

    after, pods = run(scenario())

    assert condition(after, "Failed")["reason"] == "BackoffLimitExceeded"
    assert after["status"]["failed"] == 3
    assert phases(pods) == ["Failed"] * 3


def test_the_deadline_ends_it():
    async def scenario():
        async with lab() as it:
            await it.apply(job(activeDeadlineSeconds=100, parallelism=2, completions=2))
            await it.settle(99)
            before = len(await it.pods())
            await it.settle(5)
            return before, await it.pods(), await it.get(JOBS, "train")

    before, pods, after = run(scenario())

    assert (before, pods) == (2, [])
    assert condition(after, "Failed")["reason"] == "DeadlineExceeded"


def test_suspending_and_going_on():
    async def scenario():
        async with lab() as it:
            await it.apply(job(suspend=True))
            await it.settle()
            first = await it.pods(), await it.get(JOBS, "train")
            await it.apply(job(suspend=False))
            await it.settle()
            second = await it.pods(), await it.get(JOBS, "train")
            await it.apply(job(suspend=True))
            await it.settle()
            return first, second, await it.pods()

    (none, suspended), (pods, resumed), last = run(scenario())

    assert none == last == []
    assert condition(suspended, "Suspended")["status"] == "True"
    assert "startTime" not in suspended["status"]
    assert len(pods) == 1
    assert condition(resumed, "Suspended")["status"] == "False"


def test_a_finished_job_is_deleted_after_its_time():
    async def scenario():
        async with lab() as it:
            await it.apply(job(ttlSecondsAfterFinished=60))
            await it.settle()
            await end(it, "Succeeded")
            await it.settle(50)
            before = await it.get(JOBS, "train")
            await it.settle(20)
            return before, await it.get(JOBS, "train"), await it.list(PODS)

    before, after, pods = run(scenario())

    assert before is not None
    assert (after, pods) == (None, [])


def test_each_index_is_done_once():
    async def scenario():
        async with lab() as it:
            await it.apply(job(completionMode="Indexed", completions=3, parallelism=2, backoffLimit=5))
            await it.settle()
            first = await it.pods()
            await it.become(first[0], phase="Failed", ready=False)
            await it.settle(15)
            second = await it.pods()
            for _ in range(3):
                await end(it, "Succeeded", 2)
            return first, second, await it.list(PODS), await it.get(JOBS, "train")

    first, second, pods, after = run(scenario())

    def index(pod):
        return pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]

    assert sorted(map(index, first)) == sorted(map(index, second)) == ["0", "1"]
    assert first[0]["spec"]["containers"][0]["env"] == [{"name": "JOB_COMPLETION_INDEX", "value": index(first[0])}]
    assert named(first[0]).startswith(f"train-{index(first[0])}-")
    done = [pod for pod in pods if pod["status"]["phase"] == "Succeeded"]
    assert sorted(map(index, done)) == ["0", "1", "2"]
    assert condition(after, "Complete")["status"] == "True"


@pytest.mark.parametrize("change", [{"parallelism": 1}, {"parallelism": 4}])
def test_parallelism_may_change(change):
    async def scenario():
        async with lab() as it:
            await it.apply(job(completions=10, parallelism=2))
            await it.settle()
            await it.apply(job(**{"completions": 10, **change}))
            await it.settle()
            return len(await it.pods())

    assert run(scenario()) == change["parallelism"]


def test_pods_of_a_finished_job_may_be_deleted():
    async def scenario():
        async with lab() as it:
            await it.apply(job(completions=2, parallelism=2))
            await it.settle()
            await end(it, "Succeeded", 2)
            for pod in await it.list(PODS):
                await it.delete(PODS, named(pod))
            await it.settle(30)
            return await it.get(JOBS, "train"), await it.list(PODS)

    after, pods = run(scenario())

    assert pods == []
    assert after["status"]["succeeded"] == 2
    assert condition(after, "Complete")["status"] == "True"

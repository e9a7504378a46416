"""StatefulSets: names and order of their Pods."""

from bayplan.control.collections import PODS, STATEFUL_SETS
from unit.control.controllers.lab import copied, is_leaving, lab, named, of_template, run

PARALLEL = {"podManagementPolicy": "Parallel"}


def stateful_set(image="app:1", **spec):
    return of_template("StatefulSet", image=image, serviceName="web", **{"replicas": 3, **spec})


def names(pods):
    return [named(pod) for pod in pods]


def image_of(pod):
    return pod["spec"]["containers"][0]["image"]


def test_pods_come_one_after_the_other():
    async def scenario():
        async with lab() as it:
            await it.apply(stateful_set())
            seen = []
            for _ in range(4):
                await it.settle()
                seen.append(names(await it.pods()))
                await it.run_all()
            return seen, await it.pods(), (await it.get(STATEFUL_SETS, "web"))["status"]

    seen, pods, status = run(scenario())

    assert seen == [["web-0"], ["web-0", "web-1"], ["web-0", "web-1", "web-2"], ["web-0", "web-1", "web-2"]]
    labels = pods[1]["metadata"]["labels"]
    assert labels["apps.kubernetes.io/pod-index"] == "1"
    assert labels["statefulset.kubernetes.io/pod-name"] == "web-1"
    assert (pods[1]["spec"]["hostname"], pods[1]["spec"]["subdomain"]) == ("web-1", "web")
    assert status["currentRevision"] == status["updateRevision"] == labels["controller-revision-hash"]
    assert [status[key] for key in ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas")] == [3] * 4


def test_parallel_ones_come_and_go_at_once():
    async def scenario():
        async with lab() as it:
            await it.apply(stateful_set(**PARALLEL, replicas=4, ordinals={"start": 5}))
            await it.settle()
            first = names(await it.pods())
            await it.apply(stateful_set(**PARALLEL, replicas=1, ordinals={"start": 5}))
            await it.settle()
            return first, names(await it.pods())

    assert run(scenario()) == (["web-5", "web-6", "web-7", "web-8"], ["web-5"])


def test_the_last_one_goes_first_and_is_waited_for():
    async def scenario():
        async with lab() as it:
            await it.apply(stateful_set())
            for _ in range(3):
                await it.settle()
                await it.run_all()
            await it.apply(stateful_set(replicas=1))
            await it.settle()
            going = [named(pod) for pod in await it.list(PODS) if is_leaving(pod)]
            await it.finish_leaving()
            second = [named(pod) for pod in await it.list(PODS) if is_leaving(pod)]
            await it.finish_leaving()
            return going, second, names(await it.pods())

    assert run(scenario()) == (["web-2"], ["web-1"], ["web-0"])


def test_a_member_that_ends_comes_back_under_its_name():
    async def scenario():
        async with lab() as it:
            await it.apply(stateful_set(**PARALLEL))
            await it.settle()
            await it.run_all()
            pods = await it.pods()
            await it.become(pods[1], phase="Failed", ready=False)
            await it.delete(PODS, "web-2", grace_s=0)
            await it.settle(5)
            return pods, await it.pods()

    before, after = run(scenario())

    assert names(after) == ["web-0", "web-1", "web-2"]
    same = [one["metadata"]["uid"] == other["metadata"]["uid"] for one, other in zip(before, after, strict=True)]
    assert same == [True, False, False]


def test_a_member_that_leaves_is_waited_for():
    async def scenario():
        async with lab() as it:
            await it.apply(stateful_set(**PARALLEL, replicas=1))
            await it.settle()
            await it.run_all()
            await it.delete(PODS, "web-0", grace_s=30)
            await it.settle()
            during = [(named(pod), is_leaving(pod)) for pod in await it.list(PODS)]
            await it.finish_leaving()
            return during, [(named(pod), is_leaving(pod)) for pod in await it.list(PODS)]

    assert run(scenario()) == ([("web-0", True)], [("web-0", False)])


def test_a_new_template_replaces_the_last_member_first():
    async def scenario():
        async with lab() as it:
            await it.apply(stateful_set())
            for _ in range(3):
                await it.settle()
                await it.run_all()
            await it.apply(stateful_set("app:2"))
            seen = []
            for _ in range(4):
                await it.settle()
                await it.finish_leaving()
                await it.run_all()
                seen.append([image_of(pod)[-1] for pod in await it.list(PODS)])
            await it.settle()
            return seen, (await it.get(STATEFUL_SETS, "web"))["status"]

    seen, after = run(scenario())

    assert seen == [["1", "1", "2"], ["1", "2", "2"], ["2", "2", "2"], ["2", "2", "2"]]
    assert after["currentRevision"] == after["updateRevision"]
    assert after["updatedReplicas"] == 3


def test_a_partition_and_on_delete_hold_members_back():
    async def scenario(strategy):
        async with lab() as it:
            await it.apply(stateful_set(**PARALLEL, updateStrategy=strategy))
            await it.settle()
            await it.run_all()
            await it.apply(stateful_set("app:2", **PARALLEL, updateStrategy=strategy))
            for _ in range(4):
                await it.settle()
                await it.finish_leaving()
                await it.run_all()
            status = (await it.get(STATEFUL_SETS, "web"))["status"]
            return [image_of(pod)[-1] for pod in await it.pods()], status["updatedReplicas"]

    partition = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    assert run(scenario(partition)) == (["1", "1", "2"], 1)
    assert run(scenario({"type": "OnDelete"})) == (["1", "1", "1"], 0)


def test_a_broken_template_can_be_repaired():
    async def scenario():
        async with lab() as it:
            await it.apply(stateful_set("broken", replicas=2))
            await it.settle()
            (pod,) = await it.pods()
            await it.bind(pod)
            await it.become(pod, ready=False)
            await it.apply(stateful_set("app:1", replicas=2))
            for _ in range(4):
                await it.settle()
                await it.finish_leaving()
                await it.run_all()
            return [image_of(each) for each in await it.pods()]

    assert run(scenario()) == ["app:1", "app:1"]


def test_a_pod_of_somebody_else_under_a_members_name_is_left_alone():
    stray = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-0", "labels": {"app": "db"}}}

    async def scenario():
        async with lab() as it:
            await it.apply({**copied(stray), "spec": {"containers": [{"name": "c", "image": "db"}]}})
            await it.apply(stateful_set(replicas=1))
            await it.settle(30)
            during = [image_of(pod) for pod in await it.pods()]
            await it.delete(PODS, "web-0")
            await it.settle(30)
            return during, [image_of(pod) for pod in await it.pods()]

    assert run(scenario()) == (["db"], ["app:1"])


def test_free_members_are_adopted_by_name_and_labels():
    def member(name, **labels):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}}
        return {**pod, "spec": {"containers": [{"name": "c", "image": "app:0"}]}}

    async def scenario():
        async with lab() as it:
            await it.apply(member("web-0", app="web"))
            await it.apply(member("web-extra", app="web"))
            await it.apply(stateful_set(**PARALLEL, replicas=2, updateStrategy={"type": "OnDelete"}))
            await it.settle()
            return {named(pod): bool(pod["metadata"].get("ownerReferences")) for pod in await it.pods()}

    assert run(scenario()) == {"web-0": True, "web-1": True, "web-extra": False}

"""Deployments: ReplicaSets of their templates, rollouts, history, and what kubectl reads of them."""

from bayplan.control.collections import DEPLOYMENTS, REPLICA_SETS
from bayplan.control.controllers.deployments import REVISION
from bayplan.control.store import Propagation
from unit.control.controllers.lab import condition, lab, named, of_template, run


def deployment(image="app:1", **spec):
    return of_template("Deployment", image=image, **{"replicas": 3, **spec})


def image_of(document):
    spec = document["spec"].get("template", document)["spec"]
    return spec["containers"][0]["image"]


async def rolled(it, steps=12):
    """Let a rollout run to its end, with Pods that start and stop as they are told."""
    for _ in range(steps):
        await it.settle()
        await it.finish_leaving()
        await it.run_all()


def test_a_deployment_makes_a_replica_set_of_its_template():
    async def scenario():
        async with lab() as it:
            owner = await it.apply(deployment())
            await it.settle()
            return owner, await it.list(REPLICA_SETS), await it.pods(), await it.get(DEPLOYMENTS, "web")

    owner, (replica_set,), pods, after = run(scenario())

    digest = replica_set["metadata"]["labels"]["pod-template-hash"]
    assert named(replica_set) == f"web-{digest}"
    assert len(digest) == 10
    assert replica_set["metadata"]["ownerReferences"][0]["uid"] == owner["metadata"]["uid"]
    assert replica_set["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": digest}
    assert replica_set["spec"]["replicas"] == 3
    assert {pod["metadata"]["labels"]["pod-template-hash"] for pod in pods} == {digest}
    assert len(pods) == 3
    assert replica_set["metadata"]["annotations"][REVISION] == after["metadata"]["annotations"][REVISION] == "1"


def test_a_changed_template_moves_over_step_by_step():
    async def scenario():
        async with lab() as it:
            await it.apply(deployment(replicas=4))
            await it.settle()
            await it.run_all()
            await it.apply(deployment("app:2", replicas=4))
            most, least = 0, 4
            for _ in range(12):
                await it.settle()
                pods = await it.pods()
                most = max(most, len(pods))
                least = min(least, sum(pod["status"]["phase"] == "Running" for pod in pods))
                await it.finish_leaving()
                await it.run_all()
            return most, least, await it.pods(), await it.list(REPLICA_SETS), await it.get(DEPLOYMENTS, "web")

    most, least, pods, sets, after = run(scenario())

    assert most == 5
    assert least == 3
    assert {image_of(pod) for pod in pods} == {"app:2"}
    assert sorted((image_of(each), each["spec"]["replicas"]) for each in sets) == [("app:1", 0), ("app:2", 4)]
    assert after["metadata"]["annotations"][REVISION] == "2"
    assert condition(after, "Progressing")["reason"] == "NewReplicaSetAvailable"


def test_recreate_never_runs_both():
    async def scenario():
        async with lab() as it:
            await it.apply(deployment(strategy={"type": "Recreate"}))
            await it.settle()
            await it.run_all()
            await it.apply(deployment("app:2", strategy={"type": "Recreate"}))
            await it.settle()
            during = await it.pods()
            await rolled(it, 3)
            return during, await it.pods()

    during, after = run(scenario())

    assert during == []
    assert {image_of(pod) for pod in after} == {"app:2"}
    assert len(after) == 3


def test_going_back_uses_the_old_replica_set_again():
    async def scenario():
        async with lab() as it:
            for image in ("app:1", "app:2", "app:1"):
                await it.apply(deployment(image))
                await rolled(it)
            return await it.list(REPLICA_SETS)

    sets = run(scenario())

    told = {image_of(each): (each["metadata"]["annotations"][REVISION], each["spec"]["replicas"]) for each in sets}
    assert told == {"app:1": ("3", 3), "app:2": ("2", 0)}


def test_a_template_as_kubectl_writes_it_is_the_same():
    async def scenario():
        async with lab() as it:
            await it.apply(deployment())
            await it.settle()
            again = deployment()
            again["spec"]["template"]["metadata"]["creationTimestamp"] = None
            again["spec"]["template"]["spec"]["containers"][0]["resources"] = {}
            await it.apply(again)
            await it.settle()
            return await it.list(REPLICA_SETS)

    assert len(run(scenario())) == 1


def test_old_replica_sets_are_kept_up_to_a_limit():
    async def scenario():
        async with lab() as it:
            for number in range(5):
                await it.apply(deployment(f"app:{number}", revisionHistoryLimit=2))
                await rolled(it)
            return await it.list(REPLICA_SETS)

    assert sorted(image_of(each) for each in run(scenario())) == ["app:2", "app:3", "app:4"]


def test_a_paused_deployment_is_scaled_but_not_rolled_out():
    async def scenario():
        async with lab() as it:
            await it.apply(deployment())
            await rolled(it, 1)
            await it.apply(deployment("app:2", paused=True, replicas=5))
            await rolled(it, 3)
            during = await it.pods(), await it.get(DEPLOYMENTS, "web")
            await it.apply(deployment("app:2", replicas=5))
            await rolled(it)
            return during, await it.pods()

    (during, paused), after = run(scenario())

    assert [image_of(pod) for pod in during] == ["app:1"] * 5
    assert condition(paused, "Progressing")["reason"] == "DeploymentPaused"
    assert [image_of(pod) for pod in after] == ["app:2"] * 5


def test_a_broken_rollout_keeps_enough_pods_and_is_told_after_its_deadline():
    async def scenario():
        async with lab() as it:
            await it.apply(deployment(replicas=4, progressDeadlineSeconds=60))
            await rolled(it, 1)
            await it.apply(deployment("broken", replicas=4, progressDeadlineSeconds=60))
            await it.settle(50)
            before = condition(await it.get(DEPLOYMENTS, "web"), "Progressing")
            await it.settle(30)
            late = await it.get(DEPLOYMENTS, "web")
            ready = [image_of(pod) for pod in await it.pods() if pod["status"]["phase"] == "Running"]
            await it.apply(deployment(replicas=4, progressDeadlineSeconds=60))
            await rolled(it, 5)
            return before, late, ready, await it.get(DEPLOYMENTS, "web")

    before, late, ready, after = run(scenario())

    assert before["reason"] == "ReplicaSetUpdated"
    assert condition(late, "Progressing")["reason"] == "ProgressDeadlineExceeded"
    assert condition(late, "Progressing")["status"] == "False"
    assert condition(late, "Available")["status"] == "True"
    assert ready == ["app:1"] * 3
    assert condition(after, "Progressing")["reason"] == "NewReplicaSetAvailable"


def test_pods_count_as_available_only_after_a_while():
    async def scenario():
        async with lab() as it:
            await it.apply(deployment(minReadySeconds=30))
            await it.settle()
            for pod in await it.pods():
                await it.bind(pod)
                await it.become(pod, since=it.now())
            await it.settle(10)
            early = await it.get(DEPLOYMENTS, "web")
            await it.settle(30)
            return early["status"], (await it.get(DEPLOYMENTS, "web"))["status"]

    early, late = run(scenario())

    assert (early["readyReplicas"], early["availableReplicas"]) == (3, 0)
    assert (late["readyReplicas"], late["availableReplicas"]) == (3, 3)


def test_replica_sets_without_an_owner_are_adopted():
    async def scenario():
        async with lab() as it:
            await it.apply(deployment())
            await rolled(it, 1)
            before = {named(pod) for pod in await it.pods()}
            await it.delete(DEPLOYMENTS, "web", propagation=Propagation.ORPHAN)
            await it.settle()
            owner = await it.apply(deployment())
            await it.settle()
            (replica_set,) = await it.list(REPLICA_SETS)
            return before, owner, replica_set, {named(pod) for pod in await it.pods()}

    before, owner, replica_set, after = run(scenario())

    assert before == after
    assert replica_set["metadata"]["ownerReferences"][0]["uid"] == owner["metadata"]["uid"]


def test_deletion_takes_everything_along():
    async def scenario():
        async with lab() as it:
            await it.apply(deployment())
            await it.settle()
            await it.delete(DEPLOYMENTS, "web")
            await it.settle()
            return await it.list(REPLICA_SETS), await it.pods()

    assert run(scenario()) == ([], [])


def test_the_numbers_that_kubectl_waits_for():
    async def scenario():
        async with lab() as it:
            await it.apply(deployment())
            await it.settle()
            before = await it.get(DEPLOYMENTS, "web")
            await it.run_all()
            return before, await it.get(DEPLOYMENTS, "web"), (await it.list(REPLICA_SETS))[0]["status"]

    before, after, replica_set = run(scenario())

    assert before["status"]["observedGeneration"] == before["metadata"]["generation"]
    assert before["status"]["unavailableReplicas"] == 3
    assert condition(before, "Available")["status"] == "False"
    told = {key: after["status"].get(key) for key in before["status"] if key != "conditions"}
    assert told == {
        "observedGeneration": after["metadata"]["generation"],
        "replicas": 3,
        "updatedReplicas": 3,
        "readyReplicas": 3,
        "availableReplicas": 3,
        "unavailableReplicas": None,
    }
    assert condition(after, "Available")["status"] == "True"
    assert replica_set["availableReplicas"] == replica_set["fullyLabeledReplicas"] == 3

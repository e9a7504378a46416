import orjson

from bayplan.control.collections import PODS
from bayplan.control.store import Key
from bayplan.manifests.marks import BOOKING, DEVICES, ENGINE_ARGS, EPOCH, RECORD, ROLE, SHARD
from unit.control.scheduling.scheduler import pod, running, virtually, worker, workload


def marks(found):
    return found["metadata"]["annotations"]


@virtually
async def test_a_pod_by_itself_is_bound_whatever_role_its_labels_say():
    async with running(worker("a")) as system:
        await system.create(pod("launcher", 0, labels={ROLE: "launcher"}))

        assert (await system.where()) == {"launcher": "a"}


@virtually
async def test_roles_get_the_pods_that_are_labelled_for_them():
    roles = [
        {"name": "decode", "replicas": 2, "gpus": {"count": 1}},
        {"name": "prefill", "replicas": 1, "gpus": {"count": 4}},
    ]
    async with running(worker("a")) as system:
        asked = workload("split")
        asked["spec"] = {"roles": roles}
        (owner,) = await system.create(asked)
        await system.create(
            pod("split-a", 0, owner=owner, labels={ROLE: "prefill"}),
            pod("split-b", 0, owner=owner, labels={ROLE: "decode"}),
            pod("split-c", 0, owner=owner, labels={ROLE: "decode"}),
        )

        cards = {name: len(orjson.loads(marks(await system.pod(name))[DEVICES])) for name in await system.where()}
        told = {name: orjson.loads(marks(await system.pod(name))[BOOKING])["role"] for name in cards}

        assert cards == {"split-a": 4, "split-b": 1, "split-c": 1}
        assert told == {"split-a": "prefill", "split-b": "decode", "split-c": "decode"}


@virtually
async def test_a_pod_of_a_role_that_its_owner_does_not_have_is_told_so():
    async with running(worker("a")) as system:
        asked = workload("split")
        asked["spec"] = {"roles": [{"name": "decode", "replicas": 1, "gpus": {"count": 1}}]}
        (owner,) = await system.create(asked)
        await system.create(
            pod("split-a", 0, owner=owner, labels={ROLE: "decode"}),
            pod("split-b", 0, owner=owner, labels={ROLE: "unheard-of"}),
        )

        assert (await system.where()) == {"split-a": "a", "split-b": None}
        (condition,) = (await system.pod("split-b"))["status"]["conditions"]
        assert condition["reason"] == "SchedulerError"
        assert "split-b" in condition["message"]


@virtually
async def test_a_bare_pod_has_a_place_although_a_workload_has_its_name():
    async with running(worker("a")) as system:
        await system.workload(workload("chat", 2))
        await system.create(pod("chat"))

        assert set((await system.where()).values()) == {"a"}
        await system.whole()


@virtually
async def test_a_replica_that_spans_workers_gets_a_pod_on_each_of_them():
    async with running(worker("a", 2), worker("b", 2)) as system:
        await system.workload(workload("big", 1, gpus=4, distributed=True))

        where = await system.where()
        assert set(where) == {"big-0", "big-0-1"}
        assert set(where.values()) == {"a", "b"}
        first, shard = await system.pod("big-0"), await system.pod("big-0-1")
        assert shard["metadata"]["labels"][SHARD] == "big-0"
        (owner,) = shard["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("Pod", first["metadata"]["uid"], True)
        assert marks(first)[RECORD] == marks(shard)[RECORD]
        for each in (first, shard):
            assert len(orjson.loads(marks(each)[DEVICES])) == 2
            assert marks(each)[EPOCH] == "1"
        assert {worker for *_, worker in await system.whole()} == {"a", "b"}

        await system.delete("big-0")
        await system.store.settled()
        await system.delete("big-0-1")  # marked by the garbage collector; the runtime stops it and says so

        assert await system.whole() == []


@virtually
async def test_the_shards_of_a_replica_go_with_its_first_pod():
    async with running(worker("a", 2), worker("b", 2)) as system:
        await system.workload(workload("big", 1, gpus=4, distributed=True))
        await system.delete("big-0")
        await system.store.settled()

        assert "deletionTimestamp" in (await system.pod("big-0-1"))["metadata"]


@virtually
async def test_engine_flags_are_told_where_there_are_any():
    model = {
        "weights": "14Gi", "context": 8192, "concurrency": 4, "kvCache": "4Gi",
        "architecture": {"heads": 32, "kvHeads": 8, "layers": 32},
    }  # fmt: skip
    async with running(worker("a")) as system:
        asked = workload("served")
        asked["spec"] = {"replicas": 1, "model": model, "backend": {"name": "vllm"}}
        await system.workload(asked)
        await system.create(pod("plain"))

        assert ENGINE_ARGS not in marks(await system.pod("plain"))
        found = marks(await system.pod("served-0"))
        assert all(isinstance(each, str) for each in orjson.loads(found[ENGINE_ARGS]))


@virtually
async def test_pods_of_one_unit_are_taken_in_the_order_of_their_names():
    async with running(worker("a", 2)) as system:
        await system.workload(workload("pool", 4))

        where = await system.where()

        assert [name for name, node in sorted(where.items()) if node] == ["pool-0", "pool-1"]
        assert (await system.store.get(Key(PODS, "default", "pool-3"))).document()["status"]["conditions"]

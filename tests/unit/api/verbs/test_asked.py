import asyncio

from bayplan.api.verbs.asked import asked_documents, bound_of
from bayplan.control.collections import AGENT_CLASSES, AGENT_POOLS, DEPLOYMENTS, POD_GROUPS, PODS, REPLICA_SETS
from bayplan.control.system import ControlSystem
from bayplan.manifests.marks import DEVICES, RECORD, SHARD, WORKLOAD
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.scheduling.scheduler import PLURALS, pod, virtually, workload

GROUP = "scheduling.x-k8s.io/pod-group"


def owned(name, owner, **labels):
    document = pod(name, 0, labels=labels)
    metadata = owner["metadata"]
    document["metadata"]["ownerReferences"] = [
        {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": metadata["name"],
            "uid": metadata.get("uid", "u"),
            "controller": True,
        }
    ]
    return document


def of_kind(kind, name, group="apps/v1", **more):
    return {"apiVersion": group, "kind": kind, "metadata": {"name": name, "namespace": "default"}, **more}


async def asked(document, *stored):
    """The kinds and names of the documents that a question is about, and its object."""
    async with EmbeddedStore(MemoryShelf()) as store:
        collections = {
            **PLURALS, "Deployment": DEPLOYMENTS, "ReplicaSet": REPLICA_SETS, "AgentPool": AGENT_POOLS,
            "AgentClass": AGENT_CLASSES, "PodGroup": POD_GROUPS,
        }  # fmt: skip
        for each in stored:
            await store.create(collections[each["kind"]], each)
        found = await asked_documents(store, document)
    names = [f"{each['kind']}/{each['metadata']['name']}" for each in found.documents]
    return names, f"{found.object['kind']}/{found.object['name']}"


def test_what_a_question_about_an_object_is_about():
    chat = workload("chat")
    web, newest = of_kind("Deployment", "web"), of_kind("ReplicaSet", "web-1")
    newest["metadata"]["ownerReferences"] = owned("x", web)["metadata"]["ownerReferences"]
    pool = of_kind("AgentPool", "pool", "neuronetes.io/v1alpha1", spec={})
    kind = of_kind("AgentClass", "class", "neuronetes.io/v1alpha1", spec={})
    train = of_kind("PodGroup", "train", "scheduling.x-k8s.io/v1alpha1", spec={})
    first = owned("big-0", workload("big"), **{WORKLOAD: "big"})
    members = [pod(f"m{number}", labels={GROUP: "train"}) for number in range(3)]
    members[2]["status"]["phase"] = "Succeeded"
    cases = {
        "itself": (pod("p"), (), (["Pod/p"], "Pod/p")),
        "its pool": (
            owned("pool-x", pool, **{WORKLOAD: "pool"}),
            (pool, kind),
            (["AgentClass/class", "AgentPool/pool"], "AgentPool/pool"),
        ),
        "its workload": (owned("chat-0", chat, **{WORKLOAD: "chat"}), (chat,), (["Workload/chat"], "Workload/chat")),
        "a workload that is gone": (owned("chat-0", chat, **{WORKLOAD: "chat"}), (), (["Pod/chat-0"], "Pod/chat-0")),
        "the Deployment above": (owned("web-1-x", newest), (web, newest), (["Deployment/web"], "Deployment/web")),
        "a ReplicaSet": (newest, (web, newest), (["Deployment/web"], "Deployment/web")),
        "a group, without ended members": (
            members[0],
            (train, *members),
            (["PodGroup/train", "Pod/m0", "Pod/m1"], "PodGroup/train"),
        ),
        "a group without an object": (members[0], members, (["Pod/m0", "Pod/m1"], "Pod/m0")),
        "a part of a replica": (
            owned("big-0-1", first, **{SHARD: "big-0"}),
            (workload("big"), first),
            (["Workload/big"], "Workload/big"),
        ),
    }
    found = {name: asyncio.run(asked(document, *stored)) for name, (document, stored, _) in cases.items()}

    assert found == {name: expected for name, (*_, expected) in cases.items()}


def test_where_a_pod_is():
    bound = pod("p", nodeName="a")
    marked = pod("p", nodeName="a")
    marked["metadata"]["annotations"] = {DEVICES: '[{"index":0}]', RECORD: "1-2"}
    spoilt = pod("p", nodeName="a")
    spoilt["metadata"]["annotations"] = {DEVICES: "{"}

    assert bound_of(pod("p")) is None
    assert bound_of(workload("chat")) is None
    assert bound_of(bound) == {"worker": "a", "gpus": [], "record": None}
    assert bound_of(marked) == {"worker": "a", "gpus": [{"index": 0}], "record": "1-2"}
    assert bound_of(spoilt)["gpus"] == []


@virtually
async def test_a_pool_whose_pods_the_controllers_made():
    loop = asyncio.get_running_loop()
    async with EmbeddedStore(MemoryShelf(), clock=loop.clock) as store:
        system = ControlSystem(store, clock=loop.clock)
        await system.start()
        await store.create(PLURALS["Workload"], workload("chat", 2))
        await asyncio.sleep(5)
        made = [each.document() for each in (await store.list(PODS)).items]
        found = [await asked_documents(store, each) for each in made]
        await system.stop()

    assert len(made) == 2
    assert {each.object["name"] for each in found} == {"chat"}

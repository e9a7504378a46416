import asyncio

import orjson

from bayplan.control.collections import NODES, PODS, PRIORITY_CLASSES
from bayplan.control.store import Binding, Deletion, Key
from bayplan.manifests.marks import BOOKING
from bayplan.stores.memory import MemoryShelf
from unit.control.faults import LateStore
from unit.control.scheduling.scheduler import nodes, pod, running, virtually, worker, workload


def foreign(name, on="a", gpus=1, **more):
    return pod(name, gpus, schedulerName="default-scheduler", nodeName=on, **more)


class BeforeBind:
    """Does something once, just before Pods are bound."""

    def __init__(self):
        self.action = None

    async def pre_bind(self, decision):
        action, self.action = self.action, None
        if action is not None:
            await action()


@virtually
async def test_a_foreign_pod_keeps_its_number_while_others_of_its_owner_come_and_go():
    labels = {"scheduling.x-k8s.io/pod-group": "theirs"}
    async with running(worker("a"), worker("b")) as system:
        await system.create(*(foreign(f"f{number}", "ab"[number % 2], labels=labels) for number in range(4)))
        before = {name: booking.replica for name, booking in system.loop.live.pods}
        assert sorted(before.values()) == [0, 1, 2, 3]

        await system.delete("f1")
        await system.create(foreign("f4", "b", labels=labels))

        after = {name: booking.replica for name, booking in system.loop.live.pods}
        assert after.pop(("default", "f4")) == before.pop(("default", "f1"))
        assert after == before
        assert len(await system.whole()) == 4


@virtually
async def test_nothing_is_kept_of_pods_and_nodes_that_are_gone():
    async with running() as system:
        for number in range(5):
            await system.create(*nodes(worker(f"spot-{number}")))
            await system.create(foreign(f"f{number}", f"spot-{number}"), pod(f"p{number}"))
            await system.delete(f"f{number}", f"p{number}")
            await system.store.delete(Key(NODES, "", f"spot-{number}"))
            await system.settle()

        live = system.loop.live
        assert (live._pods_on, live._foreign, live._going, live.unreadable) == ({}, {}, set(), {})
        assert await system.whole() == []


@virtually
async def test_a_pod_that_another_scheduler_binds_meanwhile_counts_where_it_is():
    moment = BeforeBind()
    async with running(worker("a", 1), worker("b", 1), points=(moment,)) as system:

        async def elsewhere():
            (booked,) = system.held()
            other = "b" if booked[2] == "a" else "a"
            await system.store.bind([Binding("default", "p", other)])
            await asyncio.sleep(1)

        moment.action = elsewhere
        await system.create(pod("p"))
        await asyncio.sleep(2)
        await system.settle()

        where = (await system.where())["p"]
        assert await system.whole() == [("p", 0, where)]
        await system.create(pod("q"))
        assert len(set((await system.where()).values())) == 2


@virtually
async def test_a_pod_that_is_bound_and_gone_before_the_cache_hears_of_either_holds_nothing():
    moment, late = BeforeBind(), []

    def wrap(store):
        late.append(LateStore(store, PODS))
        return late[0]

    async with running(worker("a", 1), points=(moment,), wrap=wrap) as system:

        async def hold():
            late[0].hold()

        moment.action = hold
        await system.create(pod("p"))
        assert (await system.where()) == {"p": "a"}
        await system.store.delete(Key(PODS, "default", "p"), Deletion(grace_s=0))
        await system.store.create(PODS, pod("q"))
        late[0].expire()
        await asyncio.sleep(2)
        await system.settle()

        assert (await system.where()) == {"q": "a"}
        assert await system.whole() == [("q", 0, "a")]


@virtually
async def test_another_pod_of_the_same_name_gets_its_own_place():
    moment, late = BeforeBind(), []

    def wrap(store):
        late.append(LateStore(store, PODS))
        return late[0]

    async with running(worker("a", 1), points=(moment,), wrap=wrap) as system:

        async def hold():
            late[0].hold()

        moment.action = hold
        await system.create(pod("p"))
        await system.store.delete(Key(PODS, "default", "p"), Deletion(grace_s=0))
        await system.store.create(PODS, pod("p"))
        late[0].expire()
        await asyncio.sleep(2)
        await system.settle()

        assert (await system.where()) == {"p": "a"}
        assert await system.whole() == [("p", 0, "a")]


@virtually
async def test_late_news_of_a_pod_that_is_bound_by_now_starts_no_second_decision():
    moment, late = BeforeBind(), []

    def wrap(store):
        late.append(LateStore(store, PODS))
        return late[0]

    async with running(worker("a", 4), points=(moment,), wrap=wrap) as system:
        (owner,) = await system.create(workload("chat"))

        async def change_its_labels():
            late[0].hold()
            key = Key(PODS, "default", "chat-0")
            await system.store.patch(key, lambda old: _labelled(old, "late", "yes"))

        moment.action = change_its_labels
        await system.create(pod("chat-0", 0, owner=owner))
        assert (await system.where()) == {"chat-0": "a"}
        late[0].go_on()
        await asyncio.sleep(2)
        await system.settle()

        assert len(system.records.newest()) == 1
        assert await system.whole() == [("chat", 0, "a")]


def _labelled(document, key, value):
    document["metadata"]["labels"] = {**document["metadata"]["labels"], key: value}
    return document


def spoil(node):
    node["spec"] = {"taints": [{"key": "k", "effect": "Sometimes"}]}
    return node


@virtually
async def test_a_node_that_cannot_be_read_is_left_out_and_told_and_comes_back():
    async with running(worker("a", 2), worker("b", 2)) as system:
        await system.create(pod("one", 2), pod("two", 2))
        before = await system.whole()
        await system.patch("Node", "a", spoil)

        assert set(system.loop.live.unreadable) == {"a"}
        assert "Unreadable" in await system.told("a")
        assert system.held() == before

        await system.delete("one", "two")
        await system.create(pod("three", 2), pod("four", 2))
        assert sorted(map(str, (await system.where()).values())) == ["None", "b"]

        await system.patch("Node", "a", lambda old: {**old, "spec": {}})

        assert set((await system.where()).values()) == {"a", "b"}
        assert system.loop.live.unreadable == {}
        assert "Readable" in await system.told("a")
        await system.whole()


@virtually
async def test_a_start_with_a_node_that_cannot_be_read_takes_in_all_others():
    shelf = MemoryShelf()
    async with running(worker("a", 2), worker("b", 2), shelf=shelf) as system:
        await system.create(pod("one", 2), pod("two", 2))
        await system.patch("Node", "a", spoil)
    async with running(shelf=shelf, epoch=2) as system:
        assert set(system.loop.live.state.workers) == {"b"}
        (held,) = system.held()
        assert held[2] == "b"


@virtually
async def test_a_pod_that_cannot_be_read_does_not_cost_its_worker():
    async with running(worker("a", 2)) as system:
        strange = foreign("strange")
        strange["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "lots"
        await system.create(strange, pod("p"))

        assert (await system.where())["p"] == "a"
        assert system.held() == [("p", 0, "a")]


@virtually
async def test_a_booking_that_somebody_spoilt_counts_by_what_the_pod_asks_for():
    async with running(worker("a", 2)) as system:
        await system.create(pod("p", 2))

        def change(old):
            old["metadata"]["annotations"][BOOKING] = "{"
            return old

        await system.patch("Pod", "p", change)
        await system.create(pod("q"))

        assert (await system.where()) == {"p": "a", "q": None}


@virtually
async def test_a_worker_that_goes_and_comes_back_holds_what_its_pods_hold():
    async with running(worker("a", 2)) as system:
        await system.create(pod("p"))
        await system.store.delete(Key(NODES, "", "a"))
        await system.settle()
        assert system.loop.live.state.workers == {}
        await system.create(*nodes(worker("a", 2)))
        await system.create(pod("q", 2), pod("r"))

        assert (await system.where()) == {"p": "a", "q": None, "r": "a"}
        assert await system.whole() == [("p", 0, "a"), ("r", 0, "a")]


@virtually
async def test_a_pod_that_ended_holds_nothing():
    async with running(worker("a", 1)) as system:
        await system.create(pod("p"))
        await system.patch("Pod", "p", lambda old: {**old, "status": {"phase": "Succeeded"}}, "status")
        await system.create(pod("q"))

        assert (await system.where())["q"] == "a"
        assert await system.whole() == [("q", 0, "a")]


@virtually
async def test_a_priority_that_changes_is_taken_over():
    async with running(worker("a", 1)) as system:
        await system.create(pod("p", priority=5))
        await system.patch("Pod", "p", lambda old: {**old, "spec": {**old["spec"], "priority": 7}})

        assert [each.priority for _, each in system.loop.live.pods] == [7]
        assert await system.whole() == [("p", 0, "a")]


@virtually
async def test_pods_that_are_bound_and_being_deleted_are_terminating_until_they_are_stuck():
    async with running(worker("a", 2)) as system:
        live, clock = system.loop.live, asyncio.get_running_loop().clock
        await system.create(pod("p"), pod("q"), pod("waits", 9))
        assert live.terminating(clock()) == {}
        await system.delete("p", "waits", grace_s=30)

        assert {each.workload: round(left_s) for each, left_s in live.terminating(clock() + 10).items()} == {"p": 80}
        assert live.terminating(clock() + 91) == {}
        await system.delete("p")
        assert live.terminating(clock()) == {}


@virtually
async def test_a_priority_class_that_comes_later_counts_for_pods_that_wait():
    async with running() as system:
        await system.create(pod("low", priority=1), pod("high", priorityClassName="gold"))
        gold = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "gold"}, "value": 9}
        await system.store.create(PRIORITY_CLASSES, gold)
        await system.settle()
        await system.create(*nodes(worker("a", 1)))

        assert (await system.where()) == {"low": None, "high": "a"}
        assert orjson.loads((await system.pod("high"))["metadata"]["annotations"][BOOKING])["priority"] == 9

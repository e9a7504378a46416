"""Deletion: preconditions, finalizers, grace, owners and what they own, namespaces."""

import asyncio

import pytest

from bayplan.control.store import Binding, Deletion, Key, Propagation
from bayplan.control.store_errors import ForbiddenError, InvalidObjectError, NotFoundError, StaleError
from contracts.store.implementations import (
    NAMESPACES,
    PODS,
    POOLS,
    eventually,
    is_gone,
    key,
    merged,
    metadata_of,
    names,
    namespace_named,
    owner,
    pod,
    pool,
)

CHAT = key(POOLS, "chat")


def finalizers(*kept):
    def change(latest):
        latest["metadata"]["finalizers"] = list(kept)
        return latest

    return change


def test_deleted_is_gone_and_the_name_is_free(on_store):
    async def scenario(store):
        created = await store.create(POOLS, pool())
        deleted = await store.delete(CHAT)

        assert deleted.revision > created.revision
        with pytest.raises(NotFoundError):
            await store.get(CHAT)
        assert metadata_of(await store.create(POOLS, pool()))["uid"] != metadata_of(created)["uid"]

    on_store(scenario)


def test_preconditions(on_store):
    async def scenario(store):
        created = await store.create(POOLS, pool())
        for wrong in (Deletion(uid="other"), Deletion(revision=created.revision - 1)):
            with pytest.raises(StaleError):
                await store.delete(CHAT, wrong)
        assert await store.get(CHAT) == created
        await store.delete(CHAT, Deletion(uid=metadata_of(created)["uid"], revision=created.revision))

    on_store(scenario)


def test_an_object_stays_until_its_finalizers_are_gone(on_store):
    async def scenario(store):
        await store.create(POOLS, pool(finalizers=["a/x", "b/y"]))
        marked = metadata_of(await store.delete(CHAT))

        assert marked["deletionTimestamp"]
        assert marked["deletionGracePeriodSeconds"] == 0
        assert marked["generation"] == 2
        assert metadata_of(await store.delete(CHAT)) == marked
        assert metadata_of(await store.patch(CHAT, finalizers("b/y")))["deletionTimestamp"]
        await store.patch(CHAT, finalizers())
        with pytest.raises(NotFoundError):
            await store.get(CHAT)

    on_store(scenario)


def test_no_new_finalizers_on_an_object_that_is_being_deleted(on_store):
    async def scenario(store):
        await store.create(POOLS, pool(finalizers=["a/x"]))
        await store.delete(CHAT)
        with pytest.raises(InvalidObjectError):
            await store.patch(CHAT, finalizers("a/x", "b/y"))
        changed = await store.patch(CHAT, merged(replicas=7))

        assert changed.document()["spec"]["replicas"] == 7

    on_store(scenario)


def test_a_mark_cannot_be_taken_back(on_store):
    async def scenario(store):
        await store.create(POOLS, pool(finalizers=["a/x"]))
        marked = metadata_of(await store.delete(CHAT))
        updated = await store.update(CHAT, pool(finalizers=["a/x"], labels={"a": "b"}))

        assert metadata_of(updated)["deletionTimestamp"] == marked["deletionTimestamp"]

    on_store(scenario)


def test_finalizers_may_go_while_the_object_is_not_deleted(on_store):
    async def scenario(store):
        await store.create(POOLS, pool(finalizers=["a/x"]))
        await store.patch(CHAT, finalizers())

        assert metadata_of(await store.get(CHAT))["finalizers"] == []

    on_store(scenario)


def test_a_bound_pod_is_given_time(on_store):
    async def scenario(store):
        where = key(PODS, "p")
        await store.create(PODS, pod("p"))
        await store.bind([Binding("default", "p", "n")])
        marked = metadata_of(await store.delete(where, Deletion(grace_s=30)))
        assert marked["deletionGracePeriodSeconds"] == 30
        shorter = metadata_of(await store.delete(where, Deletion(grace_s=10)))
        assert shorter["deletionGracePeriodSeconds"] == 10
        longer = metadata_of(await store.delete(where, Deletion(grace_s=60)))
        assert longer == shorter
        await store.delete(where, Deletion(grace_s=0))
        assert await is_gone(store, where)

    on_store(scenario)


def test_other_objects_need_no_time(on_store):
    async def scenario(store):
        await store.create(PODS, pod("p"))
        await store.create(POOLS, pool())
        await store.delete(key(PODS, "p"), Deletion(grace_s=30))
        await store.delete(CHAT, Deletion(grace_s=30))

        assert await is_gone(store, key(PODS, "p"))
        assert await is_gone(store, CHAT)

    on_store(scenario)


async def family(store, *, block=False, held=()):
    """A pool that owns two pods, one of which owns a third."""
    above = await store.create(POOLS, pool())
    first = await store.create(PODS, pod("first", owners=[owner(above, block=block)], finalizers=held))
    await store.create(PODS, pod("second", owners=[owner(above)]))
    await store.create(PODS, pod("third", owners=[owner(first, block=block)]))
    return above


def test_background_the_owner_goes_first(on_store):
    async def scenario(store):
        await family(store)
        await store.delete(CHAT, Deletion(Propagation.BACKGROUND))
        assert await is_gone(store, CHAT)

        async def empty():
            return not (await store.list(PODS)).items

        await eventually(empty)

    on_store(scenario)


def test_foreground_the_owner_waits_for_what_blocks_it(on_store):
    async def scenario(store):
        await family(store, block=True, held=["a/x"])
        marked = metadata_of(await store.delete(CHAT, Deletion(Propagation.FOREGROUND)))
        assert marked["finalizers"] == ["foregroundDeletion"]

        async def only_the_held_one():
            return names(await store.list(PODS)) == ["first"]

        await eventually(only_the_held_one)
        assert metadata_of(await store.get(CHAT))["deletionTimestamp"]
        await store.patch(key(PODS, "first"), finalizers())

        async def gone():
            return await is_gone(store, CHAT) and not (await store.list(PODS)).items

        await eventually(gone)

    on_store(scenario)


def test_foreground_without_dependents(on_store):
    async def scenario(store):
        await store.create(POOLS, pool())
        await store.delete(CHAT, Deletion(Propagation.FOREGROUND))
        await eventually(lambda: is_gone(store, CHAT))

    on_store(scenario)


def test_foreground_in_a_circle_ends(on_store):
    async def scenario(store):
        first = await store.create(POOLS, pool("one"))
        second = await store.create(POOLS, pool("two", owners=[owner(first, block=True)]))

        def own(latest):
            latest["metadata"]["ownerReferences"] = [owner(second, block=True)]
            return latest

        await store.patch(key(POOLS, "one"), own)
        await store.delete(key(POOLS, "one"), Deletion(Propagation.FOREGROUND))

        async def empty():
            return not (await store.list(POOLS)).items

        await eventually(empty)

    on_store(scenario)


def test_orphans_stay_without_the_reference(on_store):
    async def scenario(store):
        await family(store)
        marked = metadata_of(await store.delete(CHAT, Deletion(Propagation.ORPHAN)))
        assert marked["finalizers"] == ["orphan"]
        await eventually(lambda: is_gone(store, CHAT))

        assert names(await store.list(PODS)) == ["first", "second", "third"]
        assert "ownerReferences" not in metadata_of(await store.get(key(PODS, "first")))
        assert metadata_of(await store.get(key(PODS, "third")))["ownerReferences"]

    on_store(scenario)


def test_an_object_with_another_owner_stays(on_store):
    async def scenario(store):
        one = await store.create(POOLS, pool("one"))
        two = await store.create(POOLS, pool("two"))
        await store.create(PODS, pod("p", owners=[owner(one), owner(two)]))
        await store.delete(key(POOLS, "one"))

        async def one_reference():
            references = metadata_of(await store.get(key(PODS, "p")))["ownerReferences"]
            return [each["name"] for each in references] == ["two"]

        await eventually(one_reference)

    on_store(scenario)


LOST = {
    "uid of another life": {"uid": "long-ago"},
    "another name": {"name": "misnamed"},
}


@pytest.mark.parametrize("wrong", LOST.values(), ids=LOST)
def test_an_owner_that_is_not_there(on_store, wrong):
    async def scenario(store):
        above = await store.create(POOLS, pool())
        await store.create(PODS, pod("p", owners=[{**owner(above), **wrong}]))
        await eventually(lambda: is_gone(store, key(PODS, "p")))

    on_store(scenario)


def test_an_owner_of_another_namespace_does_not_count(on_store):
    async def scenario(store):
        above = await store.create(POOLS, pool(namespace="kube-system"))
        await store.create(PODS, pod("p", owners=[owner(above)]))
        await eventually(lambda: is_gone(store, key(PODS, "p")))

    on_store(scenario)


async def _settled(store):
    await asyncio.sleep(0.05)


def test_an_owner_that_is_there_keeps_its_dependents(on_store):
    async def scenario(store):
        await family(store)
        await store.patch(key(PODS, "first"), merged(x=1))
        await _settled(store)

        assert names(await store.list(PODS)) == ["first", "second", "third"]

    on_store(scenario)


def test_a_namespace_goes_with_everything_in_it(on_store):
    async def scenario(store):
        await store.create(NAMESPACES, namespace_named("team"))
        await asyncio.gather(*(store.create(PODS, pod(f"p{number}", "team")) for number in range(300)))
        await store.create(POOLS, pool("held", "team", finalizers=["a/x"]))
        await store.create(POOLS, pool())
        ending = (await store.delete(key(NAMESPACES, "team"))).document()
        assert ending["status"]["phase"] == "Terminating"
        assert ending["metadata"]["deletionTimestamp"]

        with pytest.raises(ForbiddenError):
            await store.create(PODS, pod("late", "team"))

        async def only_held():
            return not (await store.list(PODS)).items

        await eventually(only_held)
        assert names(await store.list(NAMESPACES)).count("team") == 1
        await store.patch(Key(POOLS, "team", "held"), finalizers())
        await eventually(lambda: is_gone(store, key(NAMESPACES, "team")))
        assert names(await store.list(POOLS)) == ["chat"]
        with pytest.raises(NotFoundError):
            await store.create(PODS, pod("late", "team"))

    on_store(scenario)


def test_creations_race_with_the_end_of_their_namespace(on_store):
    async def scenario(store):
        await store.create(NAMESPACES, namespace_named("team"))
        creations = [store.create(PODS, pod(f"p{number}", "team")) for number in range(50)]
        done = asyncio.gather(*creations, store.delete(key(NAMESPACES, "team")), return_exceptions=True)
        await done
        await eventually(lambda: is_gone(store, key(NAMESPACES, "team")))

        assert not (await store.list(PODS)).items

    on_store(scenario)


def test_a_namespace_stays_active_through_an_update(on_store):
    async def scenario(store):
        await store.create(NAMESPACES, namespace_named("team"))
        given = namespace_named("team")
        given["metadata"]["labels"] = {"a": "b"}
        updated = (await store.update(key(NAMESPACES, "team"), given)).document()

        assert updated["spec"] == {"finalizers": ["kubernetes"]}
        assert updated["status"] == {"phase": "Active"}

    on_store(scenario)

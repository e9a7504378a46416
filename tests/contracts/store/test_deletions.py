"""Deletion: preconditions, finalizers, grace, owners and what they own, namespaces."""

import pytest

from bayplan.control.store import Binding, Deletion
from bayplan.control.store_errors import InvalidObjectError, NotFoundError, StaleError
from contracts.store.deletions import CHAT, finalizers
from contracts.store.implementations import (
    PODS,
    POOLS,
    is_gone,
    key,
    merged,
    metadata_of,
    pod,
    pool,
)


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


@pytest.mark.parametrize(("own", "grace_s"), [(None, 30), (5, 5), (0, None)])
def test_without_a_grace_a_pod_gets_the_time_that_it_names(on_store, own, grace_s):
    async def scenario(store):
        document = pod("p")
        if own is not None:
            document["spec"] = {**document.get("spec", {}), "terminationGracePeriodSeconds": own}
        await store.create(PODS, document)
        await store.bind([Binding("default", "p", "n")])

        await store.delete(key(PODS, "p"))

        left = [metadata_of(each) for each in (await store.list(PODS)).items]
        assert [each["deletionGracePeriodSeconds"] for each in left] == ([] if grace_s is None else [grace_s])

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

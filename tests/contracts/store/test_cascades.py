"""Owners and what they own, in the background, the foreground and as orphans; namespaces that end."""

import asyncio

import pytest

from bayplan.control.store import Deletion, Key, Propagation
from bayplan.control.store_errors import ForbiddenError, NotFoundError
from contracts.store.deletions import CHAT, finalizers
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


async def settled(store):
    """Until the store has looked at everything before: a Pod that is garbage from the start is deleted after that."""
    await store.create(PODS, pod("fence", owners=[{"kind": "AgentPool", "name": "none", "uid": "long-ago"}]))
    await eventually(lambda: is_gone(store, key(PODS, "fence")))


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


def owned_by(*above):
    def change(latest):
        latest["metadata"]["ownerReferences"] = [owner(each, block=True) for each in above]
        return latest

    return change


def test_foreground_in_a_circle_that_is_closed_later_ends(on_store):
    """Two owners wait, each for a Pod that is held; then each is made to wait for the other as well."""

    async def scenario(store):
        one, two = [await store.create(POOLS, pool(name)) for name in ("one", "two")]
        for above, name in ((one, "first"), (two, "second")):
            await store.create(PODS, pod(name, owners=[owner(above, block=True)], finalizers=["a/x"]))
        for name in ("one", "two"):
            await store.delete(key(POOLS, name), Deletion(Propagation.FOREGROUND))
        await store.patch(key(POOLS, "one"), owned_by(two))
        await store.patch(key(POOLS, "two"), owned_by(one))
        await store.patch(key(PODS, "first"), finalizers())
        assert names(await store.list(POOLS)) == ["one", "two"]
        await store.patch(key(PODS, "second"), finalizers())

        async def empty():
            return not (await store.list(POOLS)).items

        await eventually(empty)

    on_store(scenario)


def test_foreground_a_circle_waits_for_a_member_that_is_held(on_store):
    async def scenario(store):
        one = await store.create(POOLS, pool("one"))
        two = await store.create(POOLS, pool("two", owners=[owner(one, block=True)], finalizers=["a/x"]))
        await store.patch(key(POOLS, "one"), owned_by(two))
        await store.delete(key(POOLS, "one"), Deletion(Propagation.FOREGROUND))
        await settled(store)
        assert names(await store.list(POOLS)) == ["one", "two"]
        await store.patch(key(POOLS, "two"), lambda latest: kept_by(latest, "foregroundDeletion"))

        async def empty():
            return not (await store.list(POOLS)).items

        await eventually(empty)

    on_store(scenario)


def kept_by(latest, *names):
    latest["metadata"]["finalizers"] = [each for each in latest["metadata"]["finalizers"] if each in names]
    return latest


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


def test_a_reference_that_is_given_another_name_later(on_store):
    async def scenario(store):
        above = await store.create(POOLS, pool())
        await store.create(PODS, pod("p", owners=[owner(above)]))

        def rename(latest):
            latest["metadata"]["ownerReferences"][0]["name"] = "misnamed"
            return latest

        await store.patch(key(PODS, "p"), rename)
        await eventually(lambda: is_gone(store, key(PODS, "p")))

    on_store(scenario)


def test_an_owner_of_another_namespace_does_not_count(on_store):
    async def scenario(store):
        above = await store.create(POOLS, pool(namespace="kube-system"))
        await store.create(PODS, pod("p", owners=[owner(above)]))
        await eventually(lambda: is_gone(store, key(PODS, "p")))

    on_store(scenario)


def test_an_owner_that_is_there_keeps_its_dependents(on_store):
    async def scenario(store):
        await family(store)
        await store.patch(key(PODS, "first"), merged(x=1))
        await settled(store)

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

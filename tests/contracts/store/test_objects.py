"""Objects one by one: create, get, update, patch, with the metadata that Kubernetes keeps."""

import asyncio
import re

import pytest

from bayplan.control.store_errors import (
    AlreadyExistsError,
    ForbiddenError,
    InvalidObjectError,
    NotFoundError,
    StaleError,
)
from contracts.store.implementations import (
    CONFIG_MAPS,
    NAMESPACES,
    NODES,
    POOLS,
    config_map,
    document,
    key,
    merged,
    metadata_of,
    pool,
)

CHAT = key(POOLS, "chat")


def test_what_is_created_can_be_read(on_store):
    async def scenario(store):
        created = await store.create(POOLS, pool(labels={"a": "b"}))

        assert await store.get(CHAT) == created
        made = created.document()
        assert made["spec"] == {"replicas": 1}
        assert made["metadata"]["labels"] == {"a": "b"}
        assert made["metadata"]["resourceVersion"] == str(created.revision)
        assert made["metadata"]["generation"] == 1
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", made["metadata"]["uid"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made["metadata"]["creationTimestamp"])

    on_store(scenario)


def test_the_caller_keeps_its_document(on_store):
    given = pool()

    on_store(lambda store: store.create(POOLS, given))

    assert given == pool()


def test_clock_uid_and_suffix_are_arguments(on_store, implementation):
    if not implementation.compacts:
        pytest.skip("a server of its own draws these")

    async def scenario(store):
        return metadata_of(await store.create(POOLS, {**pool(), "metadata": named}))

    named = {"generateName": "a-", "namespace": "default"}
    drawn = iter(range(100))
    options = {"clock": lambda: 1.9, "uids": lambda: f"uid-{next(drawn)}", "suffixes": lambda: "zzzzz"}
    made = on_store(scenario, **options)

    assert made["creationTimestamp"] == "1970-01-01T00:00:01Z"
    assert made["uid"].startswith("uid-")
    assert made["name"] == "a-zzzzz"


def test_generated_names_differ_and_fit_a_label(on_store):
    async def scenario(store):
        given = {**pool(), "metadata": {"generateName": "x" * 70, "namespace": "default"}}
        made = [metadata_of(await store.create(POOLS, given))["name"] for _ in range(3)]

        assert len(set(made)) == 3
        assert all(re.fullmatch("x{58}[a-z0-9]{5}", name) for name in made)

    on_store(scenario)


REFUSED = {
    "no name":             (POOLS, {"metadata": {"namespace": "default"}}, InvalidObjectError),
    "no metadata":         (POOLS, {"spec": {}}, InvalidObjectError),
    "no namespace":        (POOLS, pool(namespace=""), InvalidObjectError),
    "namespace not there": (POOLS, pool(namespace="elsewhere"), NotFoundError),
    "a revision":          (POOLS, {"metadata": {"name": "a", "namespace": "default", "resourceVersion": "5"}},
                            InvalidObjectError),
    "owner without uid":   (POOLS, pool(owners=[{"kind": "Pod", "name": "p"}]), InvalidObjectError),
    "finalizers no list":  (POOLS, {"metadata": {"name": "a", "namespace": "default", "finalizers": "x"}},
                            InvalidObjectError),
}  # fmt: skip


@pytest.mark.parametrize(("collection", "given", "error"), REFUSED.values(), ids=REFUSED)
def test_create_refuses(on_store, collection, given, error):
    async def scenario(store):
        with pytest.raises(error):
            await store.create(collection, {"apiVersion": "v1", "kind": "X", **given})

        assert not (await store.list(collection)).items

    on_store(scenario)


def test_a_name_is_given_once(on_store):
    async def scenario(store):
        first = await store.create(POOLS, pool())
        with pytest.raises(AlreadyExistsError):
            await store.create(POOLS, pool(spec={"replicas": 2}))
        with pytest.raises(AlreadyExistsError):
            await store.create(POOLS, pool(), dry_run=True)

        assert await store.get(CHAT) == first

    on_store(scenario)


def test_the_same_name_is_free_elsewhere(on_store):
    async def scenario(store):
        await store.create(POOLS, pool())
        await store.create(POOLS, pool(namespace="kube-system"))
        await store.create(NODES, document("Node", "chat", ""))

        assert len((await store.list(POOLS)).items) == 2

    on_store(scenario)


def test_collections_without_status_count_no_generation(on_store):
    async def scenario(store):
        await store.create(CONFIG_MAPS, config_map(data={"a": "1"}))
        changed = await store.update(key(CONFIG_MAPS, "c"), config_map(data={"a": "2"}))

        assert "generation" not in metadata_of(changed)
        assert changed.document()["data"] == {"a": "2"}

    on_store(scenario)


def test_missing_objects(on_store):
    async def scenario(store):
        for attempt in (
            store.get(CHAT),
            store.update(CHAT, pool()),
            store.patch(CHAT, lambda latest: latest),
            store.delete(CHAT),
        ):
            with pytest.raises(NotFoundError):
                await attempt

    on_store(scenario)


def test_an_update_replaces_the_spec_and_counts_the_generation(on_store):
    async def scenario(store):
        created = await store.create(POOLS, pool())
        updated = await store.update(CHAT, pool(spec={"replicas": 2}, labels={"new": "yes"}))

        assert updated.revision > created.revision
        before, after = metadata_of(created), metadata_of(updated)
        assert after["generation"] == 2
        assert after["labels"] == {"new": "yes"}
        assert {field: after[field] for field in ("uid", "creationTimestamp", "name", "namespace")} == {
            field: before[field] for field in ("uid", "creationTimestamp", "name", "namespace")
        }

    on_store(scenario)


def test_metadata_and_status_leave_the_generation(on_store):
    async def scenario(store):
        await store.create(POOLS, pool())
        labelled = await store.update(CHAT, pool(labels={"a": "b"}))
        told = await store.update(CHAT, {**pool(), "status": {"phase": "Ready"}}, subresource="status")

        assert metadata_of(labelled)["generation"] == 1
        assert metadata_of(told)["generation"] == 1
        assert told.document()["status"] == {"phase": "Ready"}

    on_store(scenario)


def test_status_and_the_rest_are_written_apart(on_store):
    async def scenario(store):
        await store.create(POOLS, pool())
        await store.update(
            CHAT, {**pool(spec={"replicas": 9}, labels={"x": "y"}), "status": {"ready": 1}}, subresource="status"
        )
        updated = await store.update(CHAT, {**pool(spec={"replicas": 3}), "status": {"ready": 7}})

        assert updated.document()["status"] == {"ready": 1}
        assert updated.document()["spec"] == {"replicas": 3}
        assert "labels" not in metadata_of(updated)

    on_store(scenario)


def test_a_status_can_be_taken_away(on_store):
    async def scenario(store):
        await store.create(POOLS, pool())
        await store.update(CHAT, {**pool(), "status": {"ready": 1}}, subresource="status")
        emptied = await store.update(CHAT, pool(), subresource="status")

        assert "status" not in emptied.document()

    on_store(scenario)


def test_an_update_that_changes_nothing_writes_nothing(on_store):
    async def scenario(store):
        created = await store.create(POOLS, pool())

        assert await store.update(CHAT, pool()) == created
        assert await store.patch(CHAT, lambda latest: latest) == created
        assert (await store.list(POOLS)).revision == created.revision

    on_store(scenario)


def test_true_and_one_are_different_values(on_store):
    async def scenario(store):
        await store.create(POOLS, pool(spec={"a": 1}))
        changed = await store.update(CHAT, pool(spec={"a": True}))

        assert changed.document()["spec"]["a"] is True
        assert metadata_of(changed)["generation"] == 2

    on_store(scenario)


def test_compare_and_set(on_store):
    async def scenario(store):
        created = (await store.create(POOLS, pool())).document()
        newer = await store.patch(CHAT, merged(replicas=2))
        created["spec"] = {"replicas": 3}
        with pytest.raises(StaleError):
            await store.update(CHAT, created)
        with pytest.raises(StaleError):
            await store.patch(CHAT, lambda _: created)

        assert await store.get(CHAT) == newer

    on_store(scenario)


def test_another_uid_is_another_object(on_store):
    async def scenario(store):
        await store.create(POOLS, pool())
        stranger = pool(spec={"replicas": 2})
        stranger["metadata"]["uid"] = "someone-else"
        with pytest.raises(StaleError):
            await store.update(CHAT, stranger)

    on_store(scenario)


@pytest.mark.parametrize("field", ["name", "namespace"])
def test_names_cannot_change(on_store, field):
    async def scenario(store):
        await store.create(POOLS, pool())
        renamed = pool(spec={"replicas": 2})
        renamed["metadata"][field] = "other"
        with pytest.raises(InvalidObjectError):
            await store.update(CHAT, renamed)

    on_store(scenario)


def test_the_store_alone_says_uid_times_and_generation(on_store):
    async def scenario(store):
        created = metadata_of(await store.create(POOLS, pool()))

        def spoil(latest):
            latest["metadata"] |= {"creationTimestamp": "1999-01-01T00:00:00Z", "generation": 99}
            latest["metadata"] |= {"deletionTimestamp": "1999-01-01T00:00:00Z", "deletionGracePeriodSeconds": 4}
            del latest["metadata"]["uid"]
            return latest

        assert metadata_of(await store.patch(CHAT, spoil)) == created

    on_store(scenario)


def test_patches_in_a_race_all_count(on_store):
    async def scenario(store):
        await store.create(POOLS, pool(spec={"count": 0}))

        def one_more(latest):
            latest["spec"]["count"] += 1
            return latest

        await asyncio.gather(*(store.patch(CHAT, one_more) for _ in range(20)))
        made = (await store.get(CHAT)).document()

        assert made["spec"]["count"] == 20
        assert made["metadata"]["generation"] == 21

    on_store(scenario)


def test_of_updates_in_a_race_one_counts(on_store):
    async def scenario(store):
        created = (await store.create(POOLS, pool())).document()
        attempts = (store.update(CHAT, {**created, "spec": {"replicas": number}}) for number in range(10, 20))
        done = await asyncio.gather(*attempts, return_exceptions=True)

        assert sorted(type(each).__name__ for each in done) == ["StaleError"] * 9 + ["Stored"]

    on_store(scenario)


def test_dry_runs_write_nothing(on_store):
    async def scenario(store):
        tried = await store.create(POOLS, pool(), dry_run=True)
        assert metadata_of(tried)["uid"]
        with pytest.raises(NotFoundError):
            await store.get(CHAT)
        created = await store.create(POOLS, pool())
        assert (await store.update(CHAT, pool(spec={"replicas": 5}), dry_run=True)).document()["spec"] == {
            "replicas": 5
        }
        assert (await store.patch(CHAT, merged(replicas=6), dry_run=True)).document()["spec"] == {"replicas": 6}
        await store.delete(CHAT, dry_run=True)

        assert await store.get(CHAT) == created

    on_store(scenario)


def test_lasting_namespaces_stay(on_store):
    async def scenario(store):
        with pytest.raises(ForbiddenError):
            await store.delete(key(NAMESPACES, "default"))

    on_store(scenario)


def test_what_json_cannot_hold_is_refused_and_the_next_object_is_kept(on_store):
    async def scenario(store):
        good, bad = config_map("good"), config_map("bad")
        bad["data"] = {"a": 10**30}
        tries = [store.create(CONFIG_MAPS, each) for each in (config_map("first"), bad, good)]
        first, refused, kept = await asyncio.wait_for(asyncio.gather(*tries, return_exceptions=True), 30)

        assert isinstance(refused, InvalidObjectError)
        assert (await store.get(key(CONFIG_MAPS, "good"))) == kept
        assert kept.revision == first.revision + 1
        with pytest.raises(NotFoundError):
            await store.get(key(CONFIG_MAPS, "bad"))

    on_store(scenario)

"""Pods get their workers, several at once, all or none."""

import asyncio

import pytest

from bayplan.control.store import Binding
from bayplan.control.store_errors import NotFoundError, StaleError
from contracts.store.implementations import PODS, key, merged, metadata_of, pod, watching


async def pods(store, *names):
    return [await store.create(PODS, pod(name)) for name in names]


def worker_of(stored):
    return stored.document()["spec"].get("nodeName")


def test_several_pods_at_once(on_store):
    async def scenario(store):
        made = await pods(store, "a", "b")
        revision = await store.bind(
            [Binding("default", "a", "n1", annotations={"x": "1"}), Binding("default", "b", "n2")]
        )
        first, second = [await store.get(key(PODS, name)) for name in ("a", "b")]

        assert (worker_of(first), worker_of(second)) == ("n1", "n2")
        assert metadata_of(first)["annotations"] == {"x": "1"}
        assert second.revision == revision
        assert metadata_of(first)["uid"] == metadata_of(made[0])["uid"]
        (condition,) = first.document()["status"]["conditions"]
        assert (condition["type"], condition["status"]) == ("PodScheduled", "True")

    on_store(scenario)


def test_annotations_are_merged(on_store):
    async def scenario(store):
        given = pod("a")
        given["metadata"]["annotations"] = {"kept": "yes", "changed": "old"}
        await store.create(PODS, given)
        await store.bind([Binding("default", "a", "n", annotations={"changed": "new"})])

        assert metadata_of(await store.get(key(PODS, "a")))["annotations"] == {"kept": "yes", "changed": "new"}

    on_store(scenario)


REFUSED = {
    "bound before":  (Binding("default", "bound", "n2"), StaleError),
    "bound to same": (Binding("default", "bound", "n1"), StaleError),
    "another uid":   (Binding("default", "b", "n2", uid="other"), StaleError),
    "not there":     (Binding("default", "c", "n2"), NotFoundError),
    "named twice":   (Binding("default", "a", "n2"), StaleError),
    "being deleted": (Binding("default", "held", "n2"), StaleError),
    "gated":         (Binding("default", "gated", "n2"), StaleError),
}  # fmt: skip


@pytest.mark.parametrize(("wrong", "error"), REFUSED.values(), ids=REFUSED)
def test_one_refusal_binds_none(on_store, wrong, error):
    async def scenario(store):
        await pods(store, "a", "b", "bound")
        await store.create(PODS, pod("gated", spec={"schedulingGates": [{"name": "g"}]}))
        await store.create(PODS, pod("held", finalizers=["a/x"]))
        await store.delete(key(PODS, "held"))
        await store.bind([Binding("default", "bound", "n1")])
        before = await store.list(PODS)
        with pytest.raises(error):
            await store.bind([Binding("default", "a", "n1"), wrong])

        assert (await store.list(PODS)).items == before.items

    on_store(scenario)


def test_of_two_binders_one_wins(on_store):
    async def scenario(store):
        await pods(store, "a", "b")
        attempts = (
            store.bind([Binding("default", "a", worker), Binding("default", "b", worker)]) for worker in ("n1", "n2")
        )
        done = await asyncio.gather(*attempts, return_exceptions=True)

        assert sorted(type(each).__name__ for each in done) == ["StaleError", "int"]
        workers = {worker_of(each) for each in (await store.list(PODS)).items}
        assert len(workers) == 1

    on_store(scenario)


def test_a_change_of_something_else_does_not_refuse_a_binding(on_store):
    async def scenario(store):
        await pods(store, "a")
        await asyncio.gather(
            store.patch(key(PODS, "a"), merged(priority=3)),
            store.bind([Binding("default", "a", "n")]),
        )
        spec = (await store.get(key(PODS, "a"))).document()["spec"]

        assert (spec["nodeName"], spec["priority"]) == ("n", 3)

    on_store(scenario)


def test_watchers_hear_a_binding_once(on_store):
    async def scenario(store):
        (made,) = await pods(store, "a")
        async with watching(store, PODS, since=made.revision) as watch:
            revision = await store.bind([Binding("default", "a", "n")])
            change = await anext(watch)

        assert (str(change.type), change.stored.revision) == ("MODIFIED", revision)

    on_store(scenario)


def test_a_revision_that_is_not_the_stored_one(on_store):
    async def scenario(store):
        (made,) = await pods(store, "a")
        await store.patch(key(PODS, "a"), merged(schedulerName="bayplan"))
        with pytest.raises(StaleError):
            await store.bind([Binding("default", "a", "n", revision=str(made.revision))])

        now = await store.get(key(PODS, "a"))
        await store.bind([Binding("default", "a", "n", revision=str(now.revision))])
        assert worker_of(await store.get(key(PODS, "a"))) == "n"

    on_store(scenario)

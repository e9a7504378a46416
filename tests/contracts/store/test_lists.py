"""Lists: order, selections, pages that all show one revision, and revisions that are no longer kept."""

import asyncio

import pytest

from bayplan.control.selection import Selection, parse_fields, parse_labels
from bayplan.control.store_errors import ExpiredError
from bayplan.framework.errors import InputError
from contracts.store.implementations import CONFIG_MAPS, POOLS, config_map, key, merged, names, pool


async def filled(store):
    for name, labels in (("b", {"tier": "gold"}), ("a", {"tier": "iron"}), ("d", None), ("c", {"tier": "gold"})):
        await store.create(POOLS, pool(name, labels=labels, spec={"size": name.upper()}))
    await store.create(POOLS, pool("z", "kube-system", labels={"tier": "gold"}))


def test_lists_are_in_the_order_of_names(on_store):
    async def scenario(store):
        await filled(store)

        assert names(await store.list(POOLS)) == ["a", "b", "c", "d", "z"]
        assert names(await store.list(POOLS, "default")) == ["a", "b", "c", "d"]
        assert names(await store.list(POOLS, "kube-public")) == []
        assert names(await store.list(CONFIG_MAPS)) == []

    on_store(scenario)


CHOSEN = {
    "label":          ("tier=gold", "", ["b", "c", "z"]),
    "label differs":  ("tier!=gold", "", ["a", "d"]),
    "label in":       ("tier in (iron, lead)", "", ["a"]),
    "label is there": ("tier", "", ["a", "b", "c", "z"]),
    "label is not":   ("!tier", "", ["d"]),
    "field":          ("", "spec.size=C", ["c"]),
    "name":           ("", "metadata.name=z", ["z"]),
    "namespace":      ("", "metadata.namespace!=default", ["z"]),
    "both":           ("tier=gold", "metadata.name!=b", ["c", "z"]),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "fields", "expected"), CHOSEN.values(), ids=CHOSEN)
def test_selections(on_store, labels, fields, expected):
    async def scenario(store):
        await filled(store)
        selection = Selection(parse_labels(labels), parse_fields(fields))

        assert names(await store.list(POOLS, "", selection)) == expected

    on_store(scenario)


def test_pages_show_the_revision_of_the_first(on_store):
    async def scenario(store):
        await filled(store)
        first = await store.list(POOLS, limit=2)
        await store.delete(key(POOLS, "c"))
        await store.create(POOLS, pool("bb"))
        await store.create(POOLS, pool("e"))
        await store.patch(key(POOLS, "d"), merged(size="new"))
        second = await store.list(POOLS, limit=2, next=first.next)
        third = await store.list(POOLS, limit=2, next=second.next)

        assert [names(page) for page in (first, second, third)] == [["a", "b"], ["c", "d"], ["z"]]
        assert first.revision == second.revision == third.revision
        assert second.items[1].document()["spec"] == {"size": "D"}
        assert third.next == ""
        assert first.remaining == 3
        assert names(await store.list(POOLS)) == ["a", "b", "bb", "d", "e", "z"]

    on_store(scenario)


def test_pages_of_a_selection_are_full(on_store):
    async def scenario(store):
        await filled(store)
        gold = Selection(parse_labels("tier=gold"))
        first = await store.list(POOLS, "", gold, limit=2)
        second = await store.list(POOLS, "", gold, limit=2, next=first.next)

        assert (names(first), names(second)) == (["b", "c"], ["z"])
        assert first.remaining is None

    on_store(scenario)


def test_a_page_that_holds_everything_has_no_next(on_store):
    async def scenario(store):
        await filled(store)

        assert (await store.list(POOLS, limit=5)).next == ""
        assert (await store.list(POOLS, limit=500)).next == ""

    on_store(scenario)


def test_long_lists_are_whole(on_store):
    async def scenario(store):
        creations = (store.create(CONFIG_MAPS, config_map(f"c{number:04}")) for number in range(1_203))
        await asyncio.gather(*creations)

        assert names(await store.list(CONFIG_MAPS)) == [f"c{number:04}" for number in range(1_203)]

    on_store(scenario)


def test_lists_at_an_older_revision(on_store):
    async def scenario(store):
        await filled(store)
        before = await store.list(POOLS)
        await store.delete(key(POOLS, "a"))
        await store.create(POOLS, pool("a", spec={"size": "again"}))
        await store.patch(key(POOLS, "b"), merged(size=2))
        await store.patch(key(POOLS, "b"), merged(size=3))
        await store.create(POOLS, pool("n"))
        await store.delete(key(POOLS, "n"))

        assert await store.list(POOLS, revision=before.revision) == before

    on_store(scenario)


def test_revisions_that_are_not_kept(on_store, implementation):
    if not implementation.compacts:
        pytest.skip("the server compacts when it likes")

    async def scenario(store):
        await filled(store)
        first = await store.list(POOLS, limit=1)
        for number in range(30):
            await store.patch(key(POOLS, "a"), merged(size=number))
        with pytest.raises(ExpiredError):
            await store.list(POOLS, limit=1, next=first.next)
        with pytest.raises(ExpiredError):
            await store.list(POOLS, revision=first.revision)
        with pytest.raises(ExpiredError):
            await store.list(POOLS, revision=10**9)

        assert names(await store.list(POOLS)) == ["a", "b", "c", "d", "z"]

    on_store(scenario, history=10)


@pytest.mark.parametrize("token", ["x", "!!", "bnVsbA==", "WzEsMiwzXQ=="])
def test_continue_of_somebody_else(on_store, token):
    async def scenario(store):
        with pytest.raises(InputError):
            await store.list(POOLS, next=token)

    on_store(scenario)

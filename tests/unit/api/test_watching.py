"""Watches: one line for each change."""

import asyncio

from served_api import run
from unit.api.objects import NODES, PODS, TABLE, node, pod, post

BRIEF = "timeoutSeconds=1"


def told(answer):
    return [(each["type"], each["object"]["metadata"].get("name")) for each in answer.lines]


def test_what_is_there_comes_first_then_the_changes():
    async def talk(api):
        await post(api, PODS, pod("a"))
        watch = asyncio.create_task(api.ask("GET", f"{PODS}?watch=1&{BRIEF}"))
        await asyncio.sleep(0.05)
        await post(api, PODS, pod("b"))
        await api.ask("DELETE", f"{PODS}/a")
        return await watch

    assert told(run(talk)) == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "a")]


def test_changes_after_a_revision_each_once():
    async def talk(api):
        first, *_ = await post(api, PODS, pod("a"), pod("b"), pod("c"))
        return await api.ask("GET", f"{PODS}?watch=1&{BRIEF}&resourceVersion={first['metadata']['resourceVersion']}")

    assert told(run(talk)) == [("ADDED", "b"), ("ADDED", "c")]


def test_one_object():
    async def talk(api):
        await post(api, PODS, pod("a"), pod("b"))
        return await api.ask("GET", f"{PODS}?watch=1&{BRIEF}&fieldSelector=metadata.name%3Db")

    assert told(run(talk)) == [("ADDED", "b")]


def test_an_object_that_leaves_the_selection_is_told_as_deleted():
    async def talk(api):
        (made,) = await post(api, PODS, pod("a", labels={"app": "x"}))
        patch = {"metadata": {"labels": {"app": "y"}}}
        await api.ask("PATCH", f"{PODS}/a", patch, media="application/merge-patch+json")
        revision = made["metadata"]["resourceVersion"]
        return await api.ask("GET", f"{PODS}?watch=1&{BRIEF}&labelSelector=app%3Dx&resourceVersion={revision}")

    assert told(run(talk)) == [("DELETED", "a")]


def test_tables_of_changes():
    async def talk(api):
        await post(api, NODES, node())
        return await api.ask("GET", f"{NODES}?watch=1&{BRIEF}", accept=TABLE)

    (line,) = run(talk).lines
    assert line["object"]["kind"] == "Table"
    assert line["object"]["rows"][0]["cells"][0] == "n"

"""Watches: one line for each change."""

import asyncio

import pytest

from bayplan.api import watching
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


MARKED = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"


def test_a_mark_stands_behind_the_objects_that_are_there():
    async def talk(api):
        await post(api, PODS, pod("a"), pod("b"))
        watch = asyncio.create_task(api.ask("GET", f"{PODS}?watch=1&{BRIEF}&{MARKED}"))
        await asyncio.sleep(0.05)
        (later,) = await post(api, PODS, pod("c"))
        return await watch, later

    answer, later = run(talk)
    mark = answer.lines[2]["object"]
    assert told(answer) == [("ADDED", "a"), ("ADDED", "b"), ("BOOKMARK", None), ("ADDED", "c")]
    assert mark["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert int(mark["metadata"]["resourceVersion"]) < int(later["metadata"]["resourceVersion"])


def test_the_mark_of_an_empty_collection():
    async def talk(api):
        return await api.ask("GET", f"{PODS}?watch=1&{BRIEF}&{MARKED}&resourceVersion=0")

    assert told(run(talk)) == [("BOOKMARK", None)]


def test_changes_alone():
    async def talk(api):
        await post(api, PODS, pod("a"))
        wish = "sendInitialEvents=false&resourceVersionMatch=NotOlderThan"
        watch = asyncio.create_task(api.ask("GET", f"{PODS}?watch=1&{BRIEF}&{wish}"))
        await asyncio.sleep(0.05)
        await post(api, PODS, pod("b"))
        return await watch

    assert told(run(talk)) == [("ADDED", "b")]


def test_revision_zero_is_any_state():
    async def talk(api):
        await post(api, PODS, pod("a"))
        return await api.ask("GET", f"{PODS}?watch=1&{BRIEF}&resourceVersion=0")

    assert told(run(talk)) == [("ADDED", "a")]


OPTIONS = {
    "initial events without a match": ("sendInitialEvents=true", 422),
    "a match without initial events": ("resourceVersionMatch=NotOlderThan", 422),
    "an exact match": ("sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1", 422),
    "a revision of another store": (f"{MARKED}&resourceVersion=999999", 504),
    "a field that cannot be selected by": ("fieldSelector=spec.color%3Dred", 400),
}


@pytest.mark.parametrize(("query", "code"), OPTIONS.values(), ids=OPTIONS)
def test_options_that_make_no_sense(query, code):
    async def talk(api):
        return await api.ask("GET", f"{PODS}?watch=1&{BRIEF}&{query}")

    assert run(talk).status == code


def test_what_a_slow_client_has_to_catch_up_with_comes_in_pieces(monkeypatch):
    monkeypatch.setattr(watching, "_LARGE_PIECE", 1_000)

    async def talk(api):
        first, *_ = await post(api, PODS, pod("first"), *(pod(f"p{number}") for number in range(20)))
        since = first["metadata"]["resourceVersion"]
        return await api.ask("GET", f"{PODS}?watch=1&{BRIEF}&resourceVersion={since}")

    answer = run(talk)
    assert told(answer) == [("ADDED", f"p{number}") for number in range(20)]
    assert len([each for each in answer.pieces if each]) >= 10

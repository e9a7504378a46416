import asyncio

from bayplan.control.store import Change, ChangeType, Collection, Key, Stored
from bayplan.stores import hub as hub_module
from bayplan.stores.hub import Hub
from bayplan.stores.shelf import Entry

PODS, NODES = Collection("", "pods"), Collection("", "nodes")


def entry(revision, collection=PODS, text=b"{}"):
    return Entry(Key(collection, "", "x"), Change(ChangeType.ADDED, Stored(text, revision)), None)


def revisions(found):
    return None if found is None else [each.revision for each in found]


def test_a_watcher_gets_what_came_after_its_position():
    hub = Hub(10)
    hub.publish([entry(11), entry(12, NODES), entry(13)])

    assert revisions(hub.after(PODS, 10)) == [11, 13]
    assert revisions(hub.after(PODS, 11)) == [13]
    assert revisions(hub.after(PODS, 13)) == []
    assert hub.revision == 13


def test_what_was_before_the_hub_is_in_the_shelf():
    hub = Hub(10)

    assert hub.after(PODS, 9) is None
    assert revisions(hub.after(PODS, 10)) == []


def test_few_changes_are_kept(monkeypatch):
    monkeypatch.setattr(hub_module, "MOST_RECENT", 3)
    hub = Hub(0)
    for revision in range(1, 8):
        hub.publish([entry(revision)])

    assert hub.after(PODS, 2) is None
    assert revisions(hub.after(PODS, 3)) == [4, 5, 6, 7]


def test_few_bytes_are_kept(monkeypatch):
    monkeypatch.setattr(hub_module, "MOST_BYTES", 10)
    hub = Hub(0)
    hub.publish([entry(1, text=b"x" * 15), entry(2, text=b"x" * 15)])

    assert hub.after(PODS, 0) is None
    assert revisions(hub.after(PODS, 1)) == [2]


def test_only_watchers_of_the_collection_are_woken():
    async def scenario():
        hub = Hub(0)
        pods, nodes = (asyncio.create_task(hub.wait(each, None)) for each in (PODS, NODES))
        await asyncio.sleep(0)
        hub.publish([entry(1)])
        await pods
        assert not nodes.done()
        hub.close()
        await nodes

    asyncio.run(scenario())

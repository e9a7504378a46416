"""Short lists that are kept: forgotten when something in them changes, and bounded."""

from bayplan.control.store import Change, ChangeType, Collection, Key, Stored
from bayplan.stores.shelf import Entry
from bayplan.stores.small_lists import SmallLists

CLASSES = Collection("scheduling.k8s.io", "priorityclasses", namespaced=False)
PODS = Collection("", "pods", namespaced=True)
ITEM = Stored(b"{}", 1)


def changed(collection, namespace="", name="a"):
    return Entry(Key(collection, namespace, name), Change(ChangeType.ADDED, ITEM), None)


def test_a_list_is_kept_until_its_collection_changes():
    lists = SmallLists()
    lists.keep(CLASSES, "", (ITEM,))
    lists.notice([changed(PODS, "default")])
    assert lists.get(CLASSES, "") == (ITEM,)

    lists.notice([changed(CLASSES)])
    assert lists.get(CLASSES, "") is None


def test_a_change_in_a_namespace_is_one_of_all_namespaces():
    lists = SmallLists()
    for namespace in ("", "a", "b"):
        lists.keep(PODS, namespace, ())
    lists.notice([changed(PODS, "a")])

    assert [lists.get(PODS, namespace) for namespace in ("", "a", "b")] == [None, None, ()]


def test_long_lists_are_not_kept_and_many_are_forgotten():
    lists = SmallLists()
    lists.keep(PODS, "long", (ITEM,) * 33)
    assert lists.get(PODS, "long") is None

    for number in range(257):
        lists.keep(PODS, str(number), ())
    assert lists.get(PODS, "0") is None
    assert lists.get(PODS, "256") == ()

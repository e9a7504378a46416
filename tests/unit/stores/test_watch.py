"""How a change looks to a watcher that sees only a part of the objects."""

import pytest

from bayplan.control.selection import Selection, parse_labels
from bayplan.control.store import Change, ChangeType, Collection, Key, Stored
from bayplan.stores.hub import Hub
from bayplan.stores.memory import MemoryShelf
from bayplan.stores.shelf import Entry
from bayplan.stores.watch import Watch

PODS = Collection("", "pods")
GOLD = Selection(parse_labels("tier=gold"))
ADDED, MODIFIED, DELETED = ChangeType.ADDED, ChangeType.MODIFIED, ChangeType.DELETED


def at(tier, revision):
    if tier is None:
        return None
    return Stored(b'{"metadata":{"labels":{"tier":"%b"},"resourceVersion":"%d"}}' % (tier.encode(), revision), revision)


def seen(entry, namespace="", selection=GOLD):
    return Watch(MemoryShelf(), Hub(0), PODS, namespace, selection, 0, None)._seen(entry)


def entry(kind, before, after):
    return Entry(Key(PODS, "d", "p"), Change(kind, at(after, 2)), at(before, 1))


CASES = {
    "new and chosen": (ADDED, None, "gold", (ADDED, "gold")),
    "new and not chosen": (ADDED, None, "iron", None),
    "stays chosen": (MODIFIED, "gold", "gold", (MODIFIED, "gold")),
    "stays outside": (MODIFIED, "iron", "iron", None),
    "enters": (MODIFIED, "iron", "gold", (ADDED, "gold")),
    "leaves": (MODIFIED, "gold", "iron", (DELETED, "gold")),
    "is deleted": (DELETED, "gold", "gold", (DELETED, "gold")),
    "is deleted outside": (DELETED, "iron", "iron", None),
}


@pytest.mark.parametrize(("kind", "before", "after", "expected"), CASES.values(), ids=CASES)
def test_changes_through_a_selection(kind, before, after, expected):
    change = seen(entry(kind, before, after))

    if expected is None:
        assert change is None
    else:
        metadata = change.stored.document()["metadata"]
        assert (change.type, metadata["labels"]["tier"]) == expected
        assert (change.stored.revision, metadata["resourceVersion"]) == (2, "2")


def test_other_namespaces_are_not_seen():
    change = entry(ADDED, None, "gold")

    assert seen(change, "other") is None
    assert seen(change, "d", None) is change.change

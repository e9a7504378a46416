"""Lists are taken apart, and each object is told by its kind or its looks."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.kinds import entries_of
from bayplan.manifests.reader import Document

SORTED = {
    "a node":             ({"kind": "Node"}, [("Node", "f")]),
    "a list":             ({"kind": "List", "items": [{"kind": "Node"}, {"kind": "Pod"}]},
                           [("Node", "f: items[0]"), ("Pod", "f: items[1]")]),
    "a typed list":       ({"kind": "NodeList", "items": [{}, {"kind": "Pod"}]},
                           [("Node", "f: items[0]"), ("Pod", "f: items[1]")]),
    "a plain list":       ([{"kind": "Node"}], [("Node", "f: [0]")]),
    "lists in a list":    ([{"kind": "NodeList", "items": [{}]}], [("Node", "f: [0].items[0]")]),
    "pages of GPUStack":  ({"items": [{"worker_uuid": "u"}, {"model_name": "m", "worker_name": "w"}], "pagination": {}},
                           [("GPUStack worker", "f: items[0]"), ("GPUStack model instance", "f: items[1]")]),
    "told by devices":    ({"name": "w", "status": {"gpu_devices": []}}, [("GPUStack worker", "f")]),
    "told by workers":    ({"workers": []}, [("Cluster", "f")]),
    "an empty list":      ({"kind": "List", "items": []}, []),
    "a kind of no text":  ({"kind": 3, "workers": []}, [("Cluster", "f")]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), SORTED.values(), ids=SORTED)
def test_objects_with_their_places(data, expected):
    assert [(entry.kind, entry.place()) for entry in entries_of([Document(data, "f")])] == expected


def nested(depth):
    data = {"kind": "Node"}
    for _ in range(depth):
        data = {"kind": "List", "items": [data]}
    return data


REFUSED = {
    "a text":            ("nodes", "f", "is no object"),
    "nothing":           (None, "f", "is no object"),
    "a number in it":    ([1], "f: [0]", "is no object"),
    "a text in items":   ({"kind": "List", "items": ["n"]}, "f: items[0]", "is no object"),
    "unknown looks":     ({"a": 1}, "f", "has no kind and does not look like"),
    "unknown in a list": ({"kind": "List", "items": [{}]}, "f: items[0]", "has no kind and does not look like"),
    "lists for ever":    (nested(30), "f: items[0]", "lists are nested"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_object_is_refused(data, place, words):
    with pytest.raises(InputError) as caught:
        list(entries_of([Document(data, "f")]))

    assert caught.value.place.startswith(place)
    assert words in caught.value.message
    assert caught.value.next

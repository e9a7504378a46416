"""Fields that hostile text may have filled with anything."""

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.entry import Entry, flag, listed, mapping, mappings, name_of, text, texts
from bayplan.manifests.reader import Document, read_text

READERS = (mapping, listed, mappings, text, flag, texts)


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_absent_and_null_are_the_same(read):
    assert read({}, "a", "a") == read({"a": None}, "a", "a")
    assert not read({}, "a", "a")


WRONG = {
    "mapping":  (mapping, [[], "x", 1, True, {1: "x"}, {None: 2}]),
    "listed":   (listed, [{}, "x", 1, True]),
    "mappings": (mappings, [[1], [{}, None], [[]]]),
    "text":     (text, [1, [], {}, False]),
    "flag":     (flag, [0, 1, "true", []]),
    "texts":    (texts, [[], {"a": {}}, {"a": [1]}, {"a": 10**100}]),
    "name_of":  (lambda holder, key, place: name_of(holder, place, key), ["", None, 1]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("read", "value"),
    [
        pytest.param(read, value, id=f"{name} {value!r}"[:60])
        for name, (read, values) in WRONG.items()
        for value in values
    ],
)
def test_wrong_types_are_refused_with_place_and_next_step(read, value):
    with pytest.raises(InputError) as caught:
        read({"a": value}, "a", "b.a")

    assert caught.value.place.startswith("b.a")
    assert caught.value.next


def test_an_error_is_told_from_the_file_down():
    (document,) = read_text('{"items": [\n{"a": {\n"b": 1}}]}', "f.json")
    entry = Entry(document.data["items"][0], "Node", document, ("items", 0))

    error = entry.located(InputError("is wrong", place='a["b"]', next="mend it"))

    assert str(error) == "f.json:3: items[0].a.b: is wrong; mend it"


def test_data_without_a_text_has_no_lines():
    assert Entry({}, "Node", Document({}, "documents[0]"), ("items", 3)).place("a.b") == "documents[0]: items[3].a.b"

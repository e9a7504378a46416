"""Text, files and streams become documents, or are refused at a place with a next step."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.limits import DOCUMENT, INVENTORY, Limits
from bayplan.manifests.reader import Document, read_file, read_stream, read_text

SMALL = Limits(bytes_per_document=20, bytes_per_stream=50)

READ = {
    "nothing": ("", []),
    "blank lines and comments": ("\n# nothing\n\n", []),
    "yaml mapping": ("a: 1\n", [{"a": 1}]),
    "yaml of many documents": ("a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
    "an empty document is left out": ("a: 1\n---\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
    "an explicit null is not": ("null\n", [None]),
    "json object": ('{"a": [1, 2.5, null, true, "x"]}', [{"a": [1, 2.5, None, True, "x"]}]),
    "json list is one document": ('[{"a": 1}, {"b": 2}]', [[{"a": 1}, {"b": 2}]]),
    "kind: List stays": ('{"kind": "List", "items": [{}]}', [{"kind": "List", "items": [{}]}]),
    "json with tabs": ('{\n\t"a":\t1}', [{"a": 1}]),
    "byte order mark, json": ("\ufeff[1]", [[1]]),
    "byte order mark, yaml": ("\ufeffa: 1", [{"a": 1}]),
    "flow style is yaml": ("{a: b, 'c': [d]}", [{"a": "b", "c": ["d"]}]),
    "trailing comma is yaml": ('{"a": [1, 2,],}', [{"a": [1, 2]}]),
    "json documents between dashes": ('{"a": 1}\n---\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
    "surrogate pair in json": ('["\\ud83d\\ude00"]', [["\N{GRINNING FACE}"]]),
    "integer of 64 digits, json": (f"[{'9' * 64}]", [[int("9" * 64)]]),
    "integer of 64 digits, yaml": (f"- {'9' * 64}", [[int("9" * 64)]]),
    "64 levels, json": ("[" * 64 + "]" * 64, None),
    "64 levels, yaml": ("- " * 63 + "[]", None),
    "bytes": (b"a: \xc3\xa9", [{"a": "é"}]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "data"), READ.values(), ids=READ)
def test_what_is_read(text, data):
    documents = read_text(text, "f")

    if data is not None:
        assert [document.data for document in documents] == data


def test_a_huge_integer_in_json_is_exact_and_its_neighbours_stay():
    text = '{"a": 123456789012345678901234567890, "b": 1e30, "c": {"d": []}, "e": "1e+30,"}'

    assert read_text(text, "f")[0].data == {
        "a": 123456789012345678901234567890,
        "b": 1e30,
        "c": {"d": []},
        "e": "1e+30,",
    }
    assert type(read_text(text, "f")[0].data["a"]) is int


def test_position_counts_documents_that_were_left_out():
    assert [document.position for document in read_text("---\n---\na: 1\n---\nb: 2", "f")] == [1, 2]


REFUSED = {
    "broken json": ('{"a": 1,\n "b" 2}', "f:2:6", "not valid JSON"),
    "cut off": ('{"a": [1,', "f:1:10", "not valid JSON"),
    "text behind json": ('{"a": 1} x', "f:1:10", "not valid"),
    "two json values": ('{"a": 1}\n{"b": 2}', "f:2:1", "not valid"),
    "broken yaml": ("a: 1\n b: 2", "f:2:3", "not valid YAML"),
    "tab as indentation": ("a:\n\tb: 1", "f:2:1", "not valid YAML"),
    "unclosed quote": ('a: "b\nc: d', "f:2:5", "not valid YAML"),
    "flow style that breaks late": ("{a: b, c: [d}", "f:1:13", "not valid YAML"),
    "utf-16": ("a: 1".encode("utf-16"), "f:1:1", "UTF-16"),
    "python tag": ("a: !!python/object/apply:os.system [ls]", "f:1:4: a", "the tag"),
    "unknown alias": ("a: *b", "f:1:4: a", "refers to no anchor"),
    "recursion": ("a: &a [*a]", "f:1:8: a[0]", "inside the node that it names"),
    "number as a key": ("1: a", "f:1:1", "the key 1 is not text"),
    "true as a key": ("true: a", "f:1:1", "the key true is not text"),
    "list as a key": ("? [a]\n: b", "f:1:3", "cannot be a key"),
    "alias of a list as a key": ("a: &a [b]\n*a : c", "f:2:1", "cannot be a key"),
    "merge of a text": ("a: {<<: b}", "f:1:9: a.<<", "can only merge mappings"),
    "two merges": ("a: &a {b: c}\nd: {<<: *a, <<: *a}", "f:2:13: d", "<< is given twice"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(text, place, words):
    with pytest.raises(InputError) as caught:
        read_text(text, "f")

    assert caught.value.place == place
    assert words in caught.value.message
    assert caught.value.next


TOO_LARGE = {
    "one document": ("a: " + "b" * 18, "f:1", "at most 20 bytes are read, and it holds 21 bytes"),
    "the second document": ("a: 1\n---\nb: " + "c" * 18, "f:2", "holds 25 bytes"),
    "bytes count, not characters": ("a: " + "é" * 9, "f:1", "21 bytes"),
    "the whole text": ("a: 1\n---\n" * 6, "f", "at most 50 bytes are read, and it holds 54 bytes"),
}


@pytest.mark.parametrize(("text", "place", "words"), TOO_LARGE.values(), ids=TOO_LARGE)
def test_sizes(text, place, words):
    with pytest.raises(InputError) as caught:
        read_text(text, "f", SMALL)

    assert caught.value.place == place
    assert words in caught.value.message


def test_sizes_at_the_limit_pass():
    assert len(read_text("a: " + "b" * 16 + "\n---\n" + "b: " + "c" * 13, "f", SMALL)) == 2


def test_what_the_user_names_as_inventory_may_be_large():
    text = "[" + "1," * 300_000 + "1]"

    with pytest.raises(InputError):
        read_text(text, "f", DOCUMENT)
    assert len(read_text(text, "f", INVENTORY)[0].data) == 300_001


PLACES = {
    "a key": ("a:\n  b:\n    - c\n    - d: 1\n", "a.b[1].d", "f:4: a.b[1].d"),
    "a list item": ("a:\n  b:\n    - c\n    - d: 1\n", "a.b[0]", "f:3: a.b[0]"),
    "a missing field: what is around it": ("a:\n  b:\n    - c\n    - d: 1\n", "a.b[1].x", "f:4: a.b[1].x"),
    "the document": ("\n\na: 1", "", "f:3"),
    "behind an alias": ("a: &a\n  b: 1\nc: *a\n", "c.b", "f:3: c.b"),
    "json": ('{\n "a": {\n  "b": [1,\n   {"c": "}", "d.e": 2}]}}', 'a.b[1]["d.e"]', 'f:4: a.b[1]["d.e"]'),
    "json, an item": ('{\n "a": {\n  "b": [1,\n   {"c": "}", "d.e": 2}]}}', "a.b[0]", "f:3: a.b[0]"),
    "json, missing": ('{\n "a": {\n  "b": [1,\n   {"c": "}", "d.e": 2}]}}', "a.b[7].c", "f:3: a.b[7].c"),
    "json, inside a scalar": ('{\n "a": 1}', "a.b", "f:2: a.b"),
    "json, the document": ("\n\n[1]", "", "f:3"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "path", "place"), PLACES.values(), ids=PLACES)
def test_places(text, path, place):
    assert read_text(text, "f")[0].place(path) == place


def test_lines_of_the_second_document():
    first, second = read_text("a: 1\n---\nb:\n  c: 2\n", "f")

    assert (first.line("a"), second.line("b.c"), second.line(("b", "c"))) == (1, 4, 4)


def test_data_from_no_text_has_no_lines():
    document = Document({"a": 1}, "workload")

    assert document.line("a") is None
    assert document.place("a") == "workload: a"


def test_a_file_is_read(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1\n")

    assert read_file(path)[0].place("a") == f"{path}:1: a"


def _missing(folder: Path) -> Path:
    return folder / "missing.yaml"


def _directory(folder: Path) -> Path:
    return folder


def _too_large(folder: Path) -> Path:
    path = folder / "large.yaml"
    path.write_bytes(b"a" * 51)
    return path


def _not_a_path(folder: Path) -> Path:
    return folder / "a\x00b"


def _beneath_a_file(folder: Path) -> Path:
    (folder / "file").write_bytes(b"")
    return folder / "file" / "a.yaml"


UNREADABLE = {
    "missing": (_missing, "no such file"),
    "directory": (_directory, "a folder"),
    "too large": (_too_large, "holds 51 bytes"),
    "not a path": (_not_a_path, "cannot be read"),
    "beneath a file": (_beneath_a_file, "cannot be read"),
}


@pytest.mark.parametrize(("make", "words"), UNREADABLE.values(), ids=UNREADABLE)
def test_files_that_cannot_be_read(tmp_path, make, words):
    with pytest.raises(InputError) as caught:
        read_file(make(tmp_path), SMALL)

    assert str(tmp_path)[:20] in caught.value.place
    assert words in caught.value.message
    assert caught.value.next


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1")
    path.chmod(0)

    with pytest.raises(InputError, match="may not be read"):
        read_file(path)


def test_an_endless_file_is_read_up_to_the_limit():
    with pytest.raises(InputError, match="more than that"):
        read_file(Path("/dev/zero"), SMALL)


def test_a_stream_is_named_and_bounded():
    assert read_stream(io.BytesIO(b"a: 1"))[0].place("a") == "<stdin>:1: a"
    with pytest.raises(InputError, match="too large"):
        read_stream(io.BytesIO(b"a" * 51), limits=SMALL)


WRONG_TEXTS = {
    "UTF-16": ("kind: Cluster".encode("utf-16"), "this text is UTF-16, and only UTF-8 is read; save the file as UTF-8"),
    "binary": (b"\x7fELF\x02\x01\0\0", "this is a binary file, neither YAML nor JSON; name a text file"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), WRONG_TEXTS.values(), ids=WRONG_TEXTS)
def test_what_is_no_text_is_told(data, expected):
    with pytest.raises(InputError, match=expected):
        read_text(data, "f")

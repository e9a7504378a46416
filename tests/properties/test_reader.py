"""Any text gives documents or a refusal; ordinary documents mean what other readers say they mean."""

from __future__ import annotations

import json
import re

import yaml
from hypothesis import example, given, strategies as st

from bayplan.framework.errors import InputError
from bayplan.manifests.reader import Document, read_text

PIECES = st.sampled_from(
    [*"{}[]:,-?&*!|>'\"%@`#~ \n\t\\\r\x00\x7f\x85\ufeff\u2028é", "---\n", "...\n", "<<: ", "*a", "&a ", "a: ", "- ",
     "\n  ", '"a": ', '"', "null", "1e999", "NaN", "0x", "12:30:00", "\\u0000", "\\ud800", "!!str ", "%YAML 1.1\n", "k",
     "9" * 70]
)  # fmt: skip
SOUP = st.lists(PIECES, max_size=40).map("".join)

# YAML 1.2 reads 0e0, 1e5 and 0o7 as numbers, YAML 1.1 as text, and so PyYAML writes such text without quotes
NUMBER = re.compile(r"[-+.]?[0-9.]")
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=8).filter(
    lambda text: not NUMBER.match(text)
)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn", "Co")), max_size=12).filter(
    lambda text: not NUMBER.match(text)
)
SCALARS = st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)
TREES = st.lists(VALUES) | st.dictionaries(NAMES, VALUES)


def attempt(text: str | bytes) -> list[Document] | InputError:
    try:
        return read_text(text, "f")
    except InputError as error:
        return error


def check(text: str | bytes) -> None:
    """Reads or refuses; what was read knows its places, and what was refused too."""
    found = attempt(text)
    if isinstance(found, InputError):
        assert found.place.startswith("f")
        assert found.next
    else:
        assert all(document.line() is not None for document in found)


@given(SOUP)
@example("[" * 700)
@example("[1," * 2000)
@example('{"a": {"b"')
@example("? - a\n: b")
def test_soup_is_read_or_refused(text):
    check(text)


@given(st.text())
def test_any_text_is_read_or_refused(text):
    check(text)


@given(st.binary())
def test_any_bytes_are_read_or_refused(data):
    check(data)


@given(st.binary(max_size=30).map(lambda data: b'{"a": [' + data))
def test_bytes_that_begin_like_json_are_read_or_refused(data):
    check(data)


@given(TREES, st.sampled_from([None, 1]), st.booleans())
def test_json_round_trip(value, indent, ensure_ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)

    assert_same(read_text(text, "f")[0].data, value)


@given(TREES, st.booleans())
def test_yaml_means_what_libyaml_wrote(value, flow):
    text = yaml.dump(value, Dumper=yaml.CSafeDumper, default_flow_style=flow, allow_unicode=True)

    assert_same(read_text("# yaml\n" + text, "f")[0].data, yaml.load(text, Loader=yaml.CSafeLoader))


@given(TREES)
def test_every_path_has_a_line_in_both_languages(value):
    written = {"json": json.dumps(value, indent=1), "yaml": "# yaml\n" + yaml.dump(value, Dumper=yaml.CSafeDumper)}
    for text in written.values():
        document = read_text(text, "f")[0]
        lines = [document.line(path) for path in paths(document.data)]

        assert lines == sorted(lines)
        assert lines[-1] <= text.count("\n") + 1


@given(st.dictionaries(NAMES, SCALARS, min_size=1), st.data())
def test_a_key_twice_is_never_read(value, data):
    key = data.draw(st.sampled_from(sorted(value)))
    pairs = [*value.items(), (key, data.draw(SCALARS))]
    text = ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(item)}" for name, item in pairs)

    for written in ("{" + text + "}", "# yaml\n{" + text + "}"):
        found = attempt(written)

        assert isinstance(found, InputError)
        assert "is given twice" in found.message


def paths(value, steps=()):
    yield steps
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in children:
        yield from paths(child, (*steps, step))


def assert_same(found, expected) -> None:
    """Equal, and of the same types all the way down: 1, 1.0 and True are three values."""
    assert type(found) is type(expected)
    if isinstance(found, dict):
        assert list(found) == list(expected)
        for key, item in found.items():
            assert_same(item, expected[key])
    elif isinstance(found, list):
        assert len(found) == len(expected)
        for item, other in zip(found, expected, strict=True):
            assert_same(item, other)
    else:
        assert found == expected

"""What is written as YAML reads back equal, by PyYAML's YAML 1.1 and by our own reader of YAML 1.2."""

import pytest
import yaml
from hypothesis import given, strategies as st

from bayplan.cli.yaml_output import yaml_pieces
from bayplan.manifests.reader import read_text

WORDS = ("yes", "No", "on", "null", "~", "true", "1", "1.5", "1e5", "0x10", "12:30", "2024-01-01", "=", "<<", "- a", "")
LETTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | LETTERS
    | st.sampled_from(WORDS)
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(LETTERS | st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=20,
)


def printable(value):
    """Our reader refuses control characters wherever they stand."""
    if isinstance(value, dict):
        return all(map(printable, [*value, *value.values()]))
    if isinstance(value, list):
        return all(map(printable, value))
    return not isinstance(value, str) or value.isprintable()


def written(document, **options):
    return "".join(yaml_pieces(document, **options))


@given(DATA, st.booleans())
def test_pyyaml_reads_what_was_written(data, unicode):
    text = written(data, unicode=unicode)

    assert yaml.safe_load(text) == data
    assert unicode or text.isascii()


@given(st.dictionaries(st.text("aä: #-'\"\\", min_size=1), DATA, min_size=1).filter(printable))
def test_our_own_reader_reads_what_was_written(data):
    (document,) = read_text(written(data), "f")

    assert document.data == data


TEXTS = {
    "a name":              ({"a": "ampere-0"}, "a: ampere-0\n"),
    "words":               ({"a": "two words"}, "a: two words\n"),
    "a size":              ({"a": "80Gi"}, "a: 80Gi\n"),
    "a date":              ({"a": "2024-01-01"}, 'a: "2024-01-01"\n'),
    "a truth value":       ({"a": "on"}, 'a: "on"\n'),
    "a colon":             ({"a": "b: c"}, 'a: "b: c"\n'),
    "a large number":      ({"a": 1e16}, "a: 1.0e+16\n"),
    "nothing":             ({"a": None, "b": [], "c": {}}, "a: null\nb: []\nc: {}\n"),
    "mappings in a list":  ({"a": [{"b": 1, "c": 2}, {"b": 3}]}, "a:\n- b: 1\n  c: 2\n- b: 3\n"),
    "lists in a list":     ({"a": [[0, 1, "nvlink", 300.0]]}, "a:\n- [0, 1, nvlink, 300.0]\n"),
    "a list in a mapping": ({"a": {"b": [1]}}, "a:\n  b:\n  - 1\n"),
    "a control character": ({"a": "\x7f\u2028"}, 'a: "\\x7F\\u2028"\n'),
}  # fmt: skip


@pytest.mark.parametrize(("document", "text"), TEXTS.values(), ids=TEXTS)
def test_how_it_looks(document, text):
    assert written(document) == text


def test_a_key_that_is_too_long_for_one_line_is_read_again():
    document = {"k" * 2_000: {"a b" * 500: [1]}, "b" * 2_000: ["x"]}

    assert yaml.safe_load(written(document)) == document


def test_large_documents_come_in_pieces():
    document = {"items": [{"name": f"n-{number}", "size": number} for number in range(50_000)]}

    pieces = list(yaml_pieces(document))

    assert len(pieces) > 2
    assert "".join(pieces).count("\n") == 100_001


def test_what_yaml_has_no_form_for_is_not_written():
    with pytest.raises(TypeError, match="a set cannot be written"):
        written({"a": {1}})

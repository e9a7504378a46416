"""Whatever an inventory holds, it is read or refused with a place: never anything else."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from bayplan.library.read_cluster import as_document
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.inventory.literals import read_literal
from bayplan.manifests.reader import Document
from properties.spoiling import paths_of, refusal_of, replace, values_with

FIXTURES = Path(__file__).parents[1] / "fixtures" / "inventory"
NAMES = (
    "device-plugins",
    "kubernetes-nodes",
    "resource-topology",
    "pods",
    "alnair-nodes",
    "gpustack-workers",
    "gpustack-instances",
)
OBJECTS = [json.loads((FIXTURES / f"{name}.json").read_text()) for name in NAMES]

values = values_with("", "-1", "1e30", "NaN", "9" * 80, "0.5", "8Gi", "{'a': ", "[" * 50, 10**30, -1, 2**63)
PATHS = [(number, path) for number, data in enumerate(OBJECTS) for path in paths_of(data) if path]


@given(st.lists(st.tuples(st.sampled_from(PATHS), values), min_size=1, max_size=3))
def test_an_inventory_with_anything_anywhere_is_read_or_refused(spoilt):
    documents = copy.deepcopy(OBJECTS)
    for (number, path), value in spoilt:
        replace(documents[number], path, value)

    error = refusal_of(lambda: json.dumps(as_document(read(documents)), allow_nan=False))

    assert error is None or (error.place.startswith("documents[") and error.next)


def read(documents):
    return read_inventory(Document(data, f"documents[{number}]") for number, data in enumerate(documents))


literals = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc-_", max_size=6), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(literals)
def test_what_python_writes_is_read_as_it_was(value):
    assert read_literal(repr(value), "p") == value


@given(st.text("{}[]()'\",:\\ 0123456789.-+eETrueNonlfas", max_size=60))
def test_any_text_is_a_literal_or_refused(text):
    error = refusal_of(lambda: read_literal(text, "p"))

    assert error is None or error.place == "p"


@pytest.mark.parametrize("name", NAMES)
def test_the_fixtures_stand_alone(name):
    read_inventory([Document(OBJECTS[NAMES.index(name)], name)])

"""What library functions may be given."""

from __future__ import annotations

import pytest

from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.manifests.reader import Document

READ = Document({"a": 1}, "f.yaml")

GIVEN = {
    "one dict": ({"a": 1}, [("w", {"a": 1})]),
    "one document": (READ, [("f.yaml", {"a": 1})]),
    "several": ([{"a": 1}, READ], [("w[0]", {"a": 1}), ("f.yaml", {"a": 1})]),
    "none": ([], []),
    "a generator": (iter([{}]), [("w[0]", {})]),
    "what is none is left to its reader": ([None, "text"], [("w[0]", None), ("w[1]", "text")]),
    "a list of objects inside": ([[{}, {}]], [("w[0]", [{}, {}])]),
}


@pytest.mark.parametrize(("given", "found"), GIVEN.values(), ids=GIVEN)
def test_documents(given, found):
    assert [(each.source, each.data) for each in documents_of(given, "w")] == found


@pytest.mark.parametrize("given", ["a.yaml", None, 5, b""])
def test_no_documents(given):
    with pytest.raises(InputError, match="is no document; give a dict") as refused:
        documents_of(given, "w")

    assert refused.value.place == "w"

"""Every node of a YAML document is found on its line, in documents of any size."""

from __future__ import annotations

from bayplan.manifests.yaml_places import YamlPlaces

TEXT = """\
# comment
a:
  - b: 1
    c: {d: 2,
        e: 3}
  - - f
---
g: &x
  h: |
    text
    text
? i
: j
k:
  <<: *x
"""


def lines(position, *paths):
    places = YamlPlaces(TEXT, position)
    return [places.line(path) for path in paths]


def test_lines():
    assert lines(0, (), ("a",), ("a", 0), ("a", 0, "c", "e"), ("a", 1, 0)) == [2, 2, 3, 5, 6]


def test_lines_of_another_document():
    assert lines(1, ("g", "h"), ("i",), ("k", "h"), ("k", "<<")) == [9, 12, 14, 15]


def test_what_was_not_remembered_is_looked_for():
    places = YamlPlaces(TEXT, 0, remembered=2)

    assert [places.line(path) for path in (("a", 0, "c", "e"), ("a", 9, "x"), ("a",))] == [5, 2, 2]

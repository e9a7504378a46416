"""Paths as people write them."""

from __future__ import annotations

import pytest

from bayplan.framework.config.place import Place, clip

SPELLED = {
    "root":     ((), "", "document"),
    "field":    (("plugins",), "plugins", "plugins"),
    "item":     (("plugins", 0, "type"), "plugins[0].type", "plugins[0].type"),
    "odd key":  (("labels", "a.b/c"), 'labels["a.b/c"]', 'labels["a.b/c"]'),
    "quotes":   (('a"b',), '["a\\"b"]', '["a\\"b"]'),
    "space":    (("a b", 1), '["a b"][1]', '["a b"][1]'),
    "empty":    (("",), '[""]', '[""]'),
    "accents":  (("größe",), "größe", "größe"),
    "long key": (("k" * 61,), "k" * 61, "k" * 60 + "…"),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "path", "shown"), SPELLED.values(), ids=SPELLED)
def test_a_place_is_spelled_in_full_for_lookups_and_shortly_for_people(steps, path, shown):
    assert (Place(steps).path, str(Place(steps))) == (path, shown)


def test_steps_in_and_out():
    assert Place().at("a").at(1) == Place(("a", 1))
    assert Place(("a", 1)).parent == Place(("a",))


def test_foreign_text_cannot_steer_a_terminal():
    assert clip("a\x1b[2J\n") == "a\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}"
    assert clip("x" * 60) == "x" * 60

"""Paths are spelled as people write them, and read back."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from bayplan.manifests.paths import clip, spell, spell_short, split

SPELLINGS = {
    "nothing": ((), ""),
    "keys": (("spec", "gpus"), "spec.gpus"),
    "an index": (("gpus", 0, "memory"), "gpus[0].memory"),
    "a list": ((3, "a"), "[3].a"),
    "dots and slashes": (("labels", "a.b/c"), 'labels["a.b/c"]'),
    "an empty key": (("",), '[""]'),
    "a quote": (('a"b',), '["a\\"b"]'),
    "a number in a key": (("0",), "0"),
}


@pytest.mark.parametrize(("steps", "text"), SPELLINGS.values(), ids=SPELLINGS)
def test_spellings(steps, text):
    assert spell(steps) == text
    assert split(text) == steps


@given(st.lists(st.text() | st.integers(0, 10**9)))
def test_nothing_is_lost(steps):
    assert split(spell(steps)) == tuple(steps)


@given(st.text())
def test_any_text_splits(text):
    assert isinstance(split(text), tuple)


def test_foreign_text_is_clipped_and_cannot_steer_a_terminal():
    assert clip("a\x1b[2J") == "a\N{REPLACEMENT CHARACTER}[2J"
    assert len(spell_short(["k" * 1_000_000])) < 100

"""Every hostile document is refused with its place, and costs no more memory than is allowed."""

from __future__ import annotations

import tracemalloc

import pytest

from bayplan.framework.errors import InputError
from bayplan.manifests.reader import read_text
from unit.manifests.hostile import CASES, MIB, alias_bomb, merge_chain


@pytest.mark.parametrize(("make", "place", "words"), CASES.values(), ids=CASES)
def test_refused_with_place_and_next_step(make, place, words):
    with pytest.raises(InputError) as caught:
        read_text(make(), "f")

    assert caught.value.place.startswith(place)
    assert words in caught.value.message
    assert caught.value.next
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("make", [make for make, _, _ in CASES.values()], ids=CASES)
def test_memory_is_bounded(make):
    text = make()
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read_text(text, "f")
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak_bytes <= 64 * MIB


def test_the_bombs_are_as_small_as_they_claim():
    assert len(alias_bomb()) < 400
    assert len(merge_chain()) < 80_000

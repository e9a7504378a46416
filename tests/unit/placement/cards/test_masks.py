"""Sets of cards as numbers, whatever their width."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bayplan.placement.cards.masks import marked, mask_of, masks_of, positions

PLACES = st.sets(st.integers(0, 69))


@pytest.mark.parametrize("width", [0, 1, 8, 9, 16, 62, 63, 64, 70])
def test_every_width(width):
    rows = np.array([[True] * width, [False] * width, [place == width - 1 for place in range(width)]], np.bool_)

    assert masks_of(rows).tolist() == [(1 << width) - 1, 0, 1 << width >> 1]


def test_no_rows():
    assert masks_of(np.zeros((0, 70), np.bool_)).tolist() == []
    assert masks_of(np.zeros((0, 7), np.bool_)).tolist() == []


@given(PLACES)
def test_there_and_back(places):
    mask = mask_of(places)

    assert list(positions(mask)) == sorted(places)
    assert masks_of(marked(mask, 70)[None]).tolist() == [mask]

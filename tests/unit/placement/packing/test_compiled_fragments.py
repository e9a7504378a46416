"""Fragments, compiled and not."""

import numpy as np

from bayplan.placement.packing.compiled_fragments import fragments
from bayplan.placement.packing.demand import NEVER_MILLI
from bayplan.placement.packing.fragments import plain_fragments


def test_same_bits():
    chance = np.random.default_rng(4)
    demands = (
        chance.dirichlet(np.ones(6)),
        np.array([0, 1, 1, 1, 2, 8]),
        chance.integers(0, 16_000, 6),
        np.where(chance.random((3, 6)) < 0.2, NEVER_MILLI, chance.choice([100, 500, 1000], (3, 6))),
    )
    rows = chance.integers(0, 3, 50), chance.integers(0, 20_000, 50), chance.choice([0, 300, 600, 1000], (50, 8))

    assert fragments(*demands, *rows).tolist() == plain_fragments(*demands, *rows).tolist()

"""Uses of cards that go up and down."""

import math
import random

import pytest

from bayplan.control.nodes.cyclic import STEADY, patterns_of

COUNT = 120
NOISE = random.Random(1)  # noqa: S311 (no secret)

CYCLIC = {
    "a smooth wave": ([50 + 30 * math.sin(2 * math.pi * n / 10) for n in range(COUNT)], 10),
    "a wave with noise": ([50 + 30 * math.sin(2 * math.pi * n / 12) + NOISE.gauss(0, 4) for n in range(COUNT)], 12),
    "steps": ([90 if n % 8 < 4 else 10 for n in range(COUNT)], 8),
    "short dips, as between steps of training": ([0 if n % 15 == 0 else 95 for n in range(COUNT)], 15),
    "few samples": ([90 if n % 6 < 3 else 10 for n in range(36)], 6),
}


@pytest.mark.parametrize(("samples", "period"), CYCLIC.values(), ids=CYCLIC)
def test_patterns_are_found(samples, period):
    assert patterns_of([samples]) == [(True, period)]


WITHOUT = {
    "always the same": [50.0] * COUNT,
    "noise": [NOISE.gauss(50, 10) for _ in range(COUNT)],
    "ever more": list(range(COUNT)),
    "one step": [10.0] * 60 + [90.0] * 60,
    "idle": [0.0] * COUNT,
}


@pytest.mark.parametrize("samples", WITHOUT.values(), ids=WITHOUT)
def test_no_pattern(samples):
    assert patterns_of([samples]) == [STEADY]


def test_each_series_is_judged_by_itself():
    wave, rest = CYCLIC["a smooth wave"][0], WITHOUT["noise"]

    assert patterns_of([rest, wave, rest]) == [STEADY, (True, 10), STEADY]
